import { LIFETIME_MS, MAX_SKEW_MS } from '@latchkey/key-protocol';

export type SeenRequests = {
  /**
   * Accepts a statement. Returns `used` for a statement that this node has accepted, and `unknown` for one that it may have accepted
   * before its last start, which is possible for every statement in the first two seconds.
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
        // A statement that expires earlier than an older one stays until the older one has expired.
        if (oldExpiry > nowMs) break;
        seen.delete(old);
      }
      seen.set(id, expiresAt);
      return 'accepted';
    },
  };
}
