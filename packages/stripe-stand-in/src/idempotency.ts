import { isDeepStrictEqual } from 'node:util';
import { StripeApiError } from './errors.ts';
import type { State } from './state.ts';

export type Reply = { status: number; body: object };

/** A request with a key. The same key of another caller is a different key. */
export type Keyed = { key: string; path: string; params: unknown };

/**
 * Executes once per key. A repetition with the same parameters returns the first reply, also a failed one. `execute`
 * has its whole effect before it returns, so concurrent duplicates get the first reply. Throws an idempotency_error for
 * another request with the key.
 */
export function once(
  { idempotency }: Pick<State, 'idempotency'>,
  { key, path, params }: Keyed,
  execute: () => Reply,
): Reply {
  const known = idempotency.get(key);
  if (!known) {
    const reply = execute();
    idempotency.set(key, { path, params, ...reply });
    return reply;
  }
  if (known.path !== path || !isDeepStrictEqual(known.params, params))
    throw new StripeApiError(400, {
      type: 'idempotency_error',
      message: 'Keys for idempotent requests can only be used with the request they were first used with.',
    });
  return { status: known.status, body: known.body };
}
