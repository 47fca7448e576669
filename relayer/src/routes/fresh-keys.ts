/**
 * Keys that the relayer makes. An observer of a pending transaction can register the hash of its new key first; the contract then
 * refuses the transaction.
 */

import { ContractRevertError } from '@latchkey/chain/errors';
import { conflict } from '@latchkey/http';
import { apiKeyFromBytes, apiKeyHash } from '@latchkey/protocol';
import type { RequestSeeds } from '../db/request-seeds.ts';

/** Each taken hash costs the payer a reverted transaction. */
const MAX_KEYS = 5;

export type FreshKey = { key: string; hash: bigint };

/** Returns the key of an attempt: the same one for every retry with the same idempotency id. */
export async function makeKey(
  requestSeeds: Pick<RequestSeeds, 'seedFor'>,
  idempotencyId: string | undefined,
): Promise<FreshKey> {
  const key = apiKeyFromBytes(await requestSeeds.seedFor(idempotencyId));
  return { key, hash: apiKeyHash(key) };
}

/**
 * Calls `attempt` until the hash of its key is free, at most five times. Each attempt has its own idempotency id, so that a retry of the
 * request makes the same keys and finds the registered one.
 */
export async function withFreshKey<T>(
  requestSeeds: Pick<RequestSeeds, 'has'>,
  idempotencyId: string | undefined,
  attempt: (idempotencyId: string | undefined) => Promise<T>,
): Promise<T> {
  let id = idempotencyId;
  for (let number = 1; ; number++) {
    try {
      return await attempt(id);
    } catch (thrown) {
      if (!(thrown instanceof ContractRevertError)) throw thrown;
      const isTaken = thrown.revert?.errorName === 'AccountAlreadyExists';
      if (isTaken && number === MAX_KEYS) throw allTaken(thrown);
      id = idempotencyId === undefined ? undefined : `${idempotencyId} key ${number + 1}`;
      // Goes on after any error while the next attempt was made before: a later key can have been registered before a crash.
      if (!isTaken && (id === undefined || !(await requestSeeds.has(id)))) throw thrown;
    }
  }
}

const allTaken = (cause: Error) =>
  conflict(`Others registered the hashes of ${MAX_KEYS} new keys before this request could.`, {
    cause,
    fix: 'Nothing was charged. Send the request again, with a new Idempotency-Key if it has one.',
  });

/** The error for a taken hash of a key that the caller made: the relayer does not replace such a key. */
export const keyIsTaken = (field: string) =>
  conflict(`${field}: the key is or was in use.`, {
    fix: 'Make another key and send the request again. The relayer replaces only keys that it made itself.',
  });
