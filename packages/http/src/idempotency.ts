/** A finished outcome as it was sent. It may hold a secret that is shown once: a durable store seals it. */
export type StoredReply = { status: number; headers: Record<string, string>; body: string };

export type Claim =
  /** The caller now holds the record and has to complete or release it. */
  | { state: 'claimed' }
  | { state: 'running'; requestHash: string }
  | { state: 'done'; requestHash: string; reply: StoredReply };

/**
 * Remembers the outcome of each request that came with an `Idempotency-Key`, for 24 hours at least.
 * `id` is 64 hex digits and names caller, method, path and key; it is the primary key of the store.
 */
export type IdempotencyStore = {
  /**
   * Atomic. Takes the record for `holder` when there is none, or when the one there is running, has the same
   * `requestHash` and its lease has ended (its process died); otherwise says what is there.
   */
  claim: (id: string, request: { requestHash: string; holder: string; leaseMs: number }) => Promise<Claim>;
  /** Moves the end of the lease to `leaseMs` from now, if `holder` still holds the record. */
  renew: (id: string, holder: string, leaseMs: number) => Promise<void>;
  /** Stores the final outcome, if `holder` still holds the record. */
  complete: (id: string, holder: string, reply: StoredReply) => Promise<void>;
  /** Forgets the record, if `holder` still holds it: the outcome was not final and the next attempt runs. */
  release: (id: string, holder: string) => Promise<void>;
};
