/** The runner's side of a key process: it passes requests to the key nodes and answers on, and ends the process with its task. */
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
  /** Settles with the task, and when the process has ended. */
  result: Promise<string>;
  /** Ends the process, with every copy of a key. */
  end: () => void;
};

/** The process ends when the task has its result. */
export function openKeyTask(taking: Promise<KeyProcess>, host: TaskHost): OpenTask {
  const { promise: result, resolve, reject } = Promise.withResolvers<string>();
  const asks = new Map<number, ReturnType<AskNodes>>();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(overdue);
    for (const done of asks.values()) done(false);
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
  const receive = (message: FromKeyProcess): void => {
    if (isOver) return;
    switch (message.type) {
      case 'ask': {
        const { ask, statement } = message;
        const onAnswer: Parameters<AskNodes>[1] = (answer) => {
          try {
            send({ type: 'answer', ask, answer, parameters: host.decode(answer.parameters) });
          } catch (error) {
            host.onWrongAnswer(answer.identifier, (error as Error).message);
          }
        };
        const onEnd: Parameters<AskNodes>[2] = ({ isRefused, message }) =>
          send({ type: 'end', ask, reason: { isRefused, message } });
        asks.set(ask, host.ask(statement, onAnswer, onEnd));
        return;
      }
      case 'done':
        asks.get(message.ask)?.(message.isMissing);
        asks.delete(message.ask);
        return;
      case 'wrong answer':
        host.onWrongAnswer(message.node, message.reason);
        return;
      case 'public key':
        host.publicKeyOf(message.cid).then(
          (publicKey) => send({ type: 'public key', publicKey }),
          ({ name, message }: Error) => send({ type: 'no public key', name, message }),
        );
        return;
      case 'result':
        resolve(message.value);
        end();
        return;
      case 'failed':
        reject(errorOf(message));
        end();
        return;
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

function errorOf({ kind, name, message }: Extract<FromKeyProcess, { type: 'failed' }>): Error {
  if (kind === 'action') return new ActionError(name, message);
  return kind === 'not released' ? new KeyNotReleasedError(message, false) : new Error(message);
}
