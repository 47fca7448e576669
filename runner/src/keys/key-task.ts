/** The runner's side of a key process: passes on requests to the key nodes and their answers, and ends the process with its task. */
import { ActionError } from '@latchkey/runner-protocol';
import type { GroupParameters } from '@latchkey/threshold';
import type { KeyProcess } from './key-processes.ts';
import type { FromKeyProcess, ToKeyProcess } from './key-protocol.ts';
import { type AskNodes, KeyNotReleasedError } from './releases.ts';

/** A task takes milliseconds and the answers of nodes. Only hostile arguments take longer. */
const TIMEOUT_MS = 30_000;

export type TaskHost = {
  ask: AskNodes;
  /** Throws for parameters of another group. */
  decode: (text: string) => GroupParameters;
  publicKeyOf: (cid: string) => Promise<string>;
  onWrongAnswer: (node: number, reason: string) => void;
};

export type OpenTask = {
  send: (message: ToKeyProcess) => void;
  /** Settles when the task or the process ends. */
  result: Promise<string>;
  /** Ends the process, with every copy of a key. */
  end: () => void;
};

/** The process ends when the task has its result. */
export function openKeyTask(taking: Promise<KeyProcess>, host: TaskHost): OpenTask {
  const { promise: result, resolve, reject } = Promise.withResolvers<string>();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(overdue);
    asks.endAll();
    taking.then(({ kill }) => kill()).catch(() => {});
    reject(new Error('the key process was ended'));
  };
  const overdue = setTimeout(() => {
    reject(new ActionError('KeyLimitError', `a key function took longer than ${TIMEOUT_MS} ms`));
    end();
  }, TIMEOUT_MS);
  const send = (message: ToKeyProcess): void => {
    taking.then((taken) => taken.send(message)).catch(() => {});
  };
  const asks = createAsks(host, send);
  const receive = (message: FromKeyProcess): void => {
    if (isOver) return;
    if (message.type === 'ask') asks.begin(message);
    else if (message.type === 'done') asks.end(message);
    else if (message.type === 'wrong answer') host.onWrongAnswer(message.node, message.reason);
    else if (message.type === 'public key')
      host.publicKeyOf(message.cid).then(
        (publicKey) => send({ type: 'public key', publicKey }),
        ({ name, message }: Error) => send({ type: 'no public key', name, message }),
      );
    else if (message.type === 'result') {
      resolve(message.value);
      end();
    } else if (message.type === 'failed') {
      reject(errorOf(message));
      end();
    }
  };
  taking.then(
    (taken) => {
      taken.onMessage = receive;
      void taken.exited.then(end);
      if (isOver) taken.kill();
    },
    (error: unknown) => {
      reject(error);
      end();
    },
  );
  // A key that is asked for ahead can end without a caller.
  result.catch(() => {});
  return { send, result, end };
}

/** The requests of a task to the key nodes. */
function createAsks({ ask, decode, onWrongAnswer }: TaskHost, send: (message: ToKeyProcess) => void) {
  const asks = new Map<number, ReturnType<AskNodes>>();
  return {
    begin({ ask: number, statement }: Extract<FromKeyProcess, { type: 'ask' }>): void {
      const onAnswer: Parameters<AskNodes>[1] = (answer) => {
        try {
          send({ type: 'answer', ask: number, answer, parameters: decode(answer.parameters) });
        } catch (error) {
          onWrongAnswer(answer.identifier, (error as Error).message);
        }
      };
      const onEnd: Parameters<AskNodes>[2] = ({ isRefused, message }) =>
        send({ type: 'end', ask: number, reason: { isRefused, message } });
      asks.set(number, ask(statement, onAnswer, onEnd));
    },
    end({ ask: number, isMissing }: Extract<FromKeyProcess, { type: 'done' }>): void {
      asks.get(number)?.(isMissing);
      asks.delete(number);
    },
    endAll(): void {
      for (const done of asks.values()) done(false);
    },
  };
}

function errorOf({ kind, name, message }: Extract<FromKeyProcess, { type: 'failed' }>): Error {
  if (kind === 'action') return new ActionError(name, message);
  return kind === 'not released' ? new KeyNotReleasedError(message, false) : new Error(message);
}
