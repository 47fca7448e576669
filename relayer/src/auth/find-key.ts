import { countMisses, type RateLimit } from '@latchkey/http';
import type { KeyRegistry } from './key-registry.ts';

export type KeyLookup = {
  keyRegistry: Pick<KeyRegistry, 'find' | 'findRecent' | 'findUnaccepted' | 'isKnown'>;
  /** Limits lookups without a result, per client network. */
  unknownKeyLimit: RateLimit;
};

/**
 * Returns the key that a caller presented. Counts only misses and throws 429 for an address with too many. Keys that
 * this process has seen are exempt, so that an attacker cannot lock out a caller behind the same address.
 */
export function findKey(
  context: KeyLookup,
  key: { hash: bigint; minBlock: bigint; ip: string },
): ReturnType<KeyRegistry['find']> {
  return withMissesCounted(context, key, context.keyRegistry.find);
}

/** Finds a key like `findKey`, with `KeyRegistry.findRecent`. */
export function findRecentKey(
  context: KeyLookup,
  key: { hash: bigint; minBlock: bigint; ip: string },
): ReturnType<KeyRegistry['findRecent']> {
  return withMissesCounted(context, key, context.keyRegistry.findRecent);
}

function withMissesCounted<Key>(
  { keyRegistry, unknownKeyLimit }: KeyLookup,
  { hash, minBlock, ip }: { hash: bigint; minBlock: bigint; ip: string },
  find: (hash: bigint, minBlock: bigint) => Promise<Key | undefined>,
): Promise<Key | undefined> {
  if (keyRegistry.isKnown(hash)) return find(hash, minBlock);
  return countMisses(unknownKeyLimit, ip, () => find(hash, minBlock));
}
