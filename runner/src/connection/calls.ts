/** The requests of the runs of one connection to its relayer and, through it, to the key nodes. */
import {
  ActionError,
  type AllowanceRequest,
  type FromRunner,
  type ToRunner,
} from '@latchkey/runner-protocol';
import type { AskSigned } from '../keys/runner-keys.ts';

type Secret = Extract<ToRunner, { type: 'secret' }>;
type Subject = 'certificate' | 'allowance' | 'secret';
type Answer = Extract<ToRunner, { type: 'partial' | 'partials end' | Subject | `${Subject} refused` }>;

type NodeCall = { onAnswer: Parameters<AskSigned>[1]; onEnd: Parameters<AskSigned>[2] };

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(send: (message: FromRunner) => void) {
  /** Requests that have one answer, by its subject and call: text, or an encrypted secret. */
  const asks = new Map<string, PromiseWithResolvers<unknown>>();
  const nodeCalls = new Map<number, NodeCall>();
  let lastCall = 0;
  const askFor = <Value>(subject: Subject, messageOf: (call: number) => FromRunner): Promise<Value> => {
    lastCall += 1;
    const answer = Promise.withResolvers<unknown>();
    asks.set(`${subject} ${lastCall}`, answer);
    send(messageOf(lastCall));
    return answer.promise as Promise<Value>;
  };
  return {
    nodesFor(run: number): AskSigned {
      return (signed, onAnswer, onEnd) => {
        lastCall += 1;
        const call = lastCall;
        nodeCalls.set(call, { onAnswer, onEnd });
        send({ type: 'key request', call, run, signed });
        return (isMissing) => {
          if (nodeCalls.delete(call)) send({ type: 'key request done', call, run, isMissing });
        };
      };
    },
    certificatesFor(run: number): (cid: string) => Promise<string> {
      return (cid) => askFor('certificate', (call) => ({ type: 'certificate', call, run, cid }));
    },
    /** Returns the function that resolves to the JSON of a signed statement. */
    allowancesFor(run: number): (allowance: AllowanceRequest) => Promise<string> {
      let number = 0;
      return (allowance) => {
        number += 1;
        return askFor('allowance', (call) => ({ type: 'take allowance', call, run, number, allowance }));
      };
    },
    secretsFor(run: number) {
      return (name: string, version: number | undefined): Promise<Secret> =>
        askFor('secret', (call) => ({
          type: 'secret',
          call,
          run,
          name,
          ...(version !== undefined && { version }),
        }));
    },
    receive(message: Answer): void {
      if (message.type === 'partial') nodeCalls.get(message.call)?.onAnswer(message);
      else if (message.type === 'partials end') nodeCalls.get(message.call)?.onEnd(message);
      else {
        const name = `${message.type.replace(' refused', '')} ${message.call}`;
        const ask = asks.get(name);
        asks.delete(name);
        if ('error' in message) ask?.reject(new ActionError(message.error.name, message.error.message));
        else ask?.resolve(message.type === 'secret' ? message : message.value);
      }
    },
  };
}
