import { clientNetwork, type RateLimit } from '@latchkey/http';
import type { KeyRegistry } from './key-registry.ts';

export type KeyLookup = {
  keyRegistry: Pick<KeyRegistry, 'find' | 'isKnown'>;
  /** Counts by network what came to nothing. */
  unknownKeyLimit: RateLimit;
};

/**
 * Finds what a caller presented. Only misses are counted: 429 for an address with too many of them, unless the key is
 * one that this process has known, so that a stranger cannot shut out a caller behind the same address.
 */
export async function findKey(
  { keyRegistry, unknownKeyLimit }: KeyLookup,
  { hash, minBlock, ip }: { hash: bigint; minBlock: bigint; ip: string },
): ReturnType<KeyRegistry['find']> {
  if (keyRegistry.isKnown(hash)) return keyRegistry.find(hash, minBlock);
  return countMisses(unknownKeyLimit, ip, () => keyRegistry.find(hash, minBlock));
}

/** Takes a point of the address first, so that concurrent requests cannot pass together, and gives it back unless nothing was found. */
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
