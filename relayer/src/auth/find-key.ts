import { clientNetwork, type RateLimit } from '@latchkey/http';
import type { KeyRegistry } from './key-registry.ts';

export type KeyLookup = {
  keyRegistry: Pick<KeyRegistry, 'find' | 'isKnown'>;
  /** Limits lookups without a result, per client network. */
  unknownKeyLimit: RateLimit;
};

/**
 * Returns the key that a caller presented. Counts only misses and throws 429 for an address with too many. Keys that
 * this process has seen are exempt, so that an attacker cannot lock out a caller behind the same address.
 */
export async function findKey(
  { keyRegistry, unknownKeyLimit }: KeyLookup,
  { hash, minBlock, ip }: { hash: bigint; minBlock: bigint; ip: string },
): ReturnType<KeyRegistry['find']> {
  if (keyRegistry.isKnown(hash)) return keyRegistry.find(hash, minBlock);
  return countMisses(unknownKeyLimit, ip, () => keyRegistry.find(hash, minBlock));
}

/**
 * Takes a point of the address before the lookup, so that concurrent requests cannot exceed the limit. Gives it back
 * when the lookup finds a key or fails.
 */
export async function countMisses<T>(
  limit: RateLimit,
  ip: string,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const network = clientNetwork(ip);
  await limit.take(network);
  let isMiss = false;
  try {
    const found = await ask();
    isMiss = found === undefined;
    return found;
  } finally {
    if (!isMiss) await limit.giveBack(network);
  }
}
