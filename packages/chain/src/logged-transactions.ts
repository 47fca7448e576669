import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';

/** A log can be pushed before the node has answered the broadcast. */
const REMEMBERED = 1_000;

export type LoggedTransactions = {
  add: (hash: Hex) => void;
  /** Resolves to true when a log of one of these transactions is known, to false after `timeoutMs` or an abort. */
  wait: (hashes: readonly Hex[], timeoutMs: number, signal: AbortSignal) => Promise<boolean>;
};

/** The transactions whose logs arrived recently. */
export function createLoggedTransactions(): LoggedTransactions {
  const recent = new LRUCache<Hex, true>({ max: REMEMBERED });
  const logs = new EventEmitter().setMaxListeners(0);
  return {
    add(hash) {
      recent.set(hash, true);
      logs.emit(hash);
    },
    async wait(hashes, timeoutMs, signal) {
      const isKnown = () => hashes.some((hash) => recent.has(hash));
      if (isKnown() || signal.aborted) return isKnown();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      const done = () => resolve();
      for (const hash of hashes) logs.on(hash, done);
      signal.addEventListener('abort', done);
      try {
        await promise;
        return isKnown();
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        for (const hash of hashes) logs.off(hash, done);
      }
    },
  };
}
