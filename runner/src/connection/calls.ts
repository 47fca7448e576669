/** The requests of the runs of one connection to its relayer and, through it, to the key nodes. */
import { ActionError, type FromRunner, type ToRunner } from '@latchkey/runner-protocol';
import type { AskSigned } from '../keys/runner-keys.ts';

type Refused = 'certificate refused' | 'secret refused';
type Answer = Extract<ToRunner, { type: 'partial' | 'partials end' | 'certificate' | 'secret' | Refused }>;
type Secret = Extract<ToRunner, { type: 'secret' }>;

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(send: (message: FromRunner) => void) {
  const certificates = new Map<number, PromiseWithResolvers<string>>();
  const secrets = new Map<number, PromiseWithResolvers<Secret>>();
  const nodeCalls = new Map<
    number,
    { onAnswer: Parameters<AskSigned>[1]; onEnd: Parameters<AskSigned>[2] }
  >();
  let lastCall = 0;
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
      return (cid) => {
        lastCall += 1;
        const answer = Promise.withResolvers<string>();
        certificates.set(lastCall, answer);
        send({ type: 'certificate', call: lastCall, run, cid });
        return answer.promise;
      };
    },
    secretsFor(run: number) {
      return (name: string, version: number | undefined): Promise<Secret> => {
        lastCall += 1;
        const answer = Promise.withResolvers<Secret>();
        secrets.set(lastCall, answer);
        send({ type: 'secret', call: lastCall, run, name, ...(version !== undefined && { version }) });
        return answer.promise;
      };
    },
    receive(message: Answer): void {
      if (message.type === 'partial') nodeCalls.get(message.call)?.onAnswer(message);
      else if (message.type === 'partials end') nodeCalls.get(message.call)?.onEnd(message);
      else if (message.type === 'certificate') certificates.get(message.call)?.resolve(message.value);
      else if (message.type === 'secret') secrets.get(message.call)?.resolve(message);
      else {
        const asked = message.type === 'secret refused' ? secrets : certificates;
        asked.get(message.call)?.reject(new ActionError(message.error.name, message.error.message));
      }
      if (message.type.startsWith('certificate')) certificates.delete(message.call);
      if (message.type.startsWith('secret')) secrets.delete(message.call);
    },
  };
}
