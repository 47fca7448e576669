/** The requests of the runs of one connection to its relayer and, through it, to the key nodes. */
import {
  ActionError,
  type AllowanceRequest,
  type FromRunner,
  type ToRunner,
} from '@latchkey/runner-protocol';
import type { AskSigned } from '../keys/runner-keys.ts';

type Answer = Extract<
  ToRunner,
  {
    type:
      | 'partial'
      | 'partials end'
      | 'certificate'
      | 'certificate refused'
      | 'allowance'
      | 'allowance refused';
  }
>;

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(send: (message: FromRunner) => void) {
  /** Certificates and allowances. */
  const texts = new Map<number, PromiseWithResolvers<string>>();
  const nodeCalls = new Map<
    number,
    { onAnswer: Parameters<AskSigned>[1]; onEnd: Parameters<AskSigned>[2] }
  >();
  let lastCall = 0;
  const askText = (messageOf: (call: number) => FromRunner): Promise<string> => {
    lastCall += 1;
    const answer = Promise.withResolvers<string>();
    texts.set(lastCall, answer);
    send(messageOf(lastCall));
    return answer.promise;
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
      return (cid) => askText((call) => ({ type: 'certificate', call, run, cid }));
    },
    /** Returns the function that resolves to the JSON of a signed statement. */
    allowancesFor(run: number): (allowance: AllowanceRequest) => Promise<string> {
      let number = 0;
      return (allowance) => {
        number += 1;
        return askText((call) => ({ type: 'take allowance', call, run, number, allowance }));
      };
    },
    receive(message: Answer): void {
      if (message.type === 'partial') nodeCalls.get(message.call)?.onAnswer(message);
      else if (message.type === 'partials end') nodeCalls.get(message.call)?.onEnd(message);
      else {
        const answer = texts.get(message.call);
        texts.delete(message.call);
        if ('value' in message) answer?.resolve(message.value);
        else answer?.reject(new ActionError(message.error.name, message.error.message));
      }
    },
  };
}
