import { isDeepStrictEqual } from 'node:util';
import { idempotencyConflict, invalidParameter, StripeApiError } from './errors.ts';
import { nowSec } from './ids.ts';
import type { State } from './state.ts';

/** Stripe removes keys after a day. */
const KEPT_SEC = 86_400;
const MAX_KEY_LENGTH = 255;

export type Reply = { status: number; body: object };

export type Keyed = {
  /** The `Idempotency-Key` header. */
  key: string;
  /** The same key of another caller is a different key. */
  caller: 'publishable' | 'secret';
  path: string;
  params: unknown;
  requestId: string;
};

/**
 * Executes once per key. A repetition with the same parameters returns the first reply, also a failed one, and
 * `original`, the id of the request that had the effect. `execute` has its whole effect before it returns, so
 * concurrent duplicates get the first reply. Throws an idempotency_error for other parameters; an error of `execute`
 * leaves the key unused.
 */
export function once(
  { idempotency }: Pick<State, 'idempotency'>,
  { key, caller, path, params, requestId }: Keyed,
  execute: () => Reply,
): Reply & { original?: string } {
  if (key.length > MAX_KEY_LENGTH)
    throw invalidParameter(`Idempotency keys have at most ${MAX_KEY_LENGTH} characters.`, {});
  const name = `${caller} ${key}`;
  const known = idempotency.get(name);
  if (known && known.createdSec > nowSec() - KEPT_SEC) {
    const advice = `Try using a key other than '${key}' if you meant to execute a different request.`;
    if (known.path !== path)
      throw idempotencyConflict(
        `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${known.path}'). ${advice}`,
      );
    if (!isDeepStrictEqual(known.params, params))
      throw idempotencyConflict(
        `Keys for idempotent requests can only be used with the same parameters they were first used with. ${advice}`,
      );
    return { status: known.status, body: known.body, original: known.requestId };
  }
  const reply = execute();
  idempotency.set(name, { createdSec: nowSec(), path, params, requestId, ...reply });
  return reply;
}

/** Returns the reply of a request that started to execute, also a failed one. Throws the error of any other request. */
export function executeReply(execute: () => object): Reply {
  try {
    return { status: 200, body: execute() };
  } catch (error) {
    if (!(error instanceof StripeApiError) || !error.hasStarted) throw error;
    return { status: error.status, body: { error: error.error } };
  }
}
