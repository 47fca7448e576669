import { MAX_LIFETIME_MS } from '@latchkey/key-protocol';

export type SeenRequests = {
  /** Returns false for a statement that this node has accepted before, or may have accepted before it was started. */
  accept: (statement: { id: string; expiresAt: number }, nowMs: number) => boolean;
};

/** Remembers the ids of statements until they expire. */
export function createSeenRequests(startedAtMs: number): SeenRequests {
  /** Expiry by id, in the order of acceptance. */
  const seen = new Map<string, number>();
  return {
    accept({ id, expiresAt }, nowMs) {
      // Every statement of before the start expires until then.
      if (expiresAt <= startedAtMs + MAX_LIFETIME_MS || seen.has(id)) return false;
      for (const [old, oldExpiry] of seen) {
        // A later statement may expire earlier: it stays until those before it are gone.
        if (oldExpiry > nowMs) break;
        seen.delete(old);
      }
      seen.set(id, expiresAt);
      return true;
    },
  };
}
