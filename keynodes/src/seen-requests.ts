import { LIFETIME_MS, MAX_SKEW_MS } from '@latchkey/key-protocol';

export type SeenRequests = {
  /**
   * Accepts a statement. Returns `used` for one that this node has accepted, and `unknown` for one that it may have accepted
   * before it was started: within two seconds of the start that is every statement.
   */
  accept: (statement: { id: string; expiresAt: number }, nowMs: number) => 'accepted' | 'used' | 'unknown';
  /** Returns whether it accepts statements that are signed at this time. */
  isReady: (nowMs: number) => boolean;
};

/** Remembers the ids of statements until they expire. */
export function createSeenRequests(startedAtMs: number): SeenRequests {
  /** Expiry by id, in the order of acceptance. */
  const seen = new Map<string, number>();
  return {
    isReady: (nowMs) => nowMs > startedAtMs + MAX_SKEW_MS,
    accept({ id, expiresAt }, nowMs) {
      // Every statement that this node could have accepted before its start has expired after this time.
      if (expiresAt <= startedAtMs + LIFETIME_MS + MAX_SKEW_MS) return 'unknown';
      if (seen.has(id)) return 'used';
      for (const [old, oldExpiry] of seen) {
        // A later statement may expire earlier: it stays until those before it are gone.
        if (oldExpiry > nowMs) break;
        seen.delete(old);
      }
      seen.set(id, expiresAt);
      return 'accepted';
    },
  };
}
