/** Passes the requests of a runner for keys to the key nodes, and their answers back. */
import { defaultLimits, type FromRunner, MAX_SIGNINGS, type ToRunner } from '@latchkey/runner-protocol';
import type { AskNodes, NodeAnswer, NodesEnd } from '../keys/key-nodes.ts';

/**
 * Maximum requests of a run to the key nodes: three per call of a key function, and for two keys that the runner may ask for ahead, when it takes the
 * process and when the run begins; a transaction can be signed again for other nonces. A wrong answer makes the runner ask again, with proofs; a signature asks for nonces and for shares.
 */
const MAX_KEY_REQUESTS =
  3 * (defaultLimits.maxKeyCalls + 2 + defaultLimits.maxTransactions * (MAX_SIGNINGS - 1));

const unanswered: NodesEnd = { isRefused: false, message: 'the key nodes do not answer' };
type KeyCall = { done: AbortController; end: NodesEnd };

/** The requests of one run or mint, by call. */
export class KeyRequests {
  readonly #calls = new Map<number, KeyCall>();

  /** Returns undefined for a repeated call, and above the limit. */
  begin(call: number): KeyCall | undefined {
    if (this.#calls.has(call) || this.#calls.size >= MAX_KEY_REQUESTS) return undefined;
    const request = { done: new AbortController(), end: unanswered };
    this.#calls.set(call, request);
    return request;
  }

  /** Ends a request. Returns why no further node answered, undefined for an unknown call. */
  end(call: number): NodesEnd | undefined {
    const request = this.#calls.get(call);
    request?.done.abort();
    return request?.end;
  }

  endAll(): void {
    for (const { done } of this.#calls.values()) done.abort();
  }
}

/** A run or a mint that may ask key nodes. */
export type Asking = {
  nodes: AskNodes;
  requests: KeyRequests;
  /** Called with a public message when the nodes did not give a needed key although none refused it. */
  onOutage: (message: string) => void;
};

export type KeyRequestsOptions = {
  send: (message: ToRunner) => void;
  /** Returns the run or mint with this number, undefined when it has ended or has no key nodes. */
  find: (run: number) => Asking | undefined;
  /** Called with errors of the relayer. */
  onError: (error: unknown, run: number) => void;
};

/** Returns the handlers of a runner's messages about key requests. */
export function createKeyRequests({ send, find, onError }: KeyRequestsOptions) {
  return {
    async answer({ call, run, signed }: Extract<FromRunner, { type: 'key request' }>): Promise<void> {
      const asking = find(run);
      const request = asking?.requests.begin(call);
      if (!asking || !request) {
        const message = 'the run has ended, has no key nodes, or has asked too often';
        return send({ type: 'partials end', call, isRefused: true, message });
      }
      const answer = (found: NodeAnswer) => send({ type: 'partial', call, ...found });
      let end: NodesEnd;
      try {
        end = await asking.nodes(signed, answer, request.done.signal);
      } catch (error) {
        onError(error, run);
        end = unanswered;
      }
      request.end = end;
      send({ type: 'partials end', call, ...end });
    },
    end({ call, run, isMissing }: Extract<FromRunner, { type: 'key request done' }>): void {
      const asking = find(run);
      const ended = asking?.requests.end(call);
      if (ended && isMissing && !ended.isRefused) asking?.onOutage(ended.message);
    },
  };
}
