import { createHash } from 'node:crypto';

/** The final reply as it was sent. It may hold a secret that is shown once, so a durable store must seal it. */
export type StoredReply = { status: number; headers: Record<string, string>; body: string };

export type Claim =
  /** The caller holds the record and must complete or release it. */
  | { state: 'claimed' }
  | { state: 'running'; requestHash: string }
  | { state: 'done'; requestHash: string; reply: StoredReply };

/**
 * Stores the outcome of each request with an `Idempotency-Key` for at least 24 hours.
 * `id` is 64 hex digits, identifies caller, method, path and key, and is the primary key of the store.
 */
export type IdempotencyStore = {
  /**
   * Claims the record for `holder`, atomically: when there is none, or when it is running with the same `requestHash`
   * and an expired lease (its process died). Otherwise returns the state of the record.
   */
  claim: (id: string, request: { requestHash: string; holder: string; leaseMs: number }) => Promise<Claim>;
  /** Extends the lease to `leaseMs` from now if `holder` still holds the record. */
  renew: (id: string, holder: string, leaseMs: number) => Promise<void>;
  /** Stores the final outcome if `holder` still holds the record. */
  complete: (id: string, holder: string, reply: StoredReply) => Promise<void>;
  /** Deletes the record if `holder` still holds it: the outcome was not final and the next attempt runs. */
  release: (id: string, holder: string) => Promise<void>;
};

/** Returns the id of the requests with an `Idempotency-Key`. `scope`: `caller` and the `callerId`, or `ip` and the address. */
export const idempotencyIdOf = (request: {
  scope: string;
  method: string;
  path: string;
  key: string;
}): string => {
  const { scope, method, path, key } = request;
  return createHash('sha256')
    .update(JSON.stringify([scope, method, path, key]))
    .digest('hex');
};
