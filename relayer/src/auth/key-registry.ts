import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import type { AccountConfig } from '../chain/account-config.ts';
import { type Chain, later } from '../chain/chain.ts';
import type { AccountHeads } from '../db/account-heads.ts';

const MAX_KEYS = 50_000;
/** Bounds what a lost log subscription can hide; the logs drop an entry long before. */
const TTL_MS = 5_000;

/** What the chain says of a key hash. */
export type KnownKey = {
  hash: bigint;
  /** Master hash of the account that it belongs to. */
  account: bigint;
  /** Who owns a ChainSecured account. */
  adminWallet: Address;
  /** The account key administers the account. */
  managed: boolean;
  isUsageKey: boolean;
  /** Unix seconds, 0 for never. */
  expiration: bigint;
};

type Entry = KnownKey & {
  /** The entry is as of this block or a later one. */
  block: bigint;
};

export type KeyRegistry = {
  /**
   * Undefined for a hash that names nothing at `minBlock` or later. The `minBlock` of the result also covers the last
   * write to the account through this service.
   */
  find: (hash: bigint, minBlock: bigint) => Promise<(KnownKey & { minBlock: bigint }) | undefined>;
  /** Forgets the keys of an account, or all of them. */
  drop: (account?: bigint) => void;
};

/** The chain's key registry with a cache. A key is never taken from a state older than the account's last write. */
export function createKeyRegistry(
  chain: Pick<Chain, 'head' | 'refreshHead' | 'reach'>,
  accountConfig: Pick<AccountConfig, 'read'>,
  accountHeads: Pick<AccountHeads, 'get'>,
): KeyRegistry {
  const hashesOf = new Map<bigint, Set<bigint>>();
  const cache = new LRUCache<bigint, Entry>({
    max: MAX_KEYS,
    ttl: TTL_MS,
    dispose: ({ account }, hash) => {
      const hashes = hashesOf.get(account);
      hashes?.delete(hash);
      if (hashes?.size === 0) hashesOf.delete(account);
    },
    noDisposeOnSet: true,
  });
  let drops = 0;

  const resolve = async (hash: bigint, minBlock: bigint): Promise<Entry | undefined> => {
    const dropsBefore = drops;
    if (chain.head() === 0n) await chain.refreshHead();
    await chain.reach(minBlock);
    const block = chain.head();
    const [account, adminWallet, managed, isUsageKey, expiration] = await accountConfig.read('resolve', [
      hash,
    ]);
    if (account === 0n) return undefined;
    const key = { hash, account, adminWallet, managed, isUsageKey, expiration, block };
    if (dropsBefore === drops) {
      cache.set(hash, key);
      hashesOf.set(account, (hashesOf.get(account) ?? new Set()).add(hash));
    }
    return key;
  };

  return {
    async find(hash, minBlock) {
      let key = cache.get(hash);
      if (!key || key.block < minBlock) key = await resolve(hash, minBlock);
      if (!key) return undefined;
      const written = await accountHeads.get(key.account);
      if (written > key.block) key = await resolve(hash, written);
      return key && { ...key, minBlock: later(minBlock, written) };
    },
    drop(account) {
      drops++;
      if (account === undefined) cache.clear();
      else for (const hash of [...(hashesOf.get(account) ?? [])]) cache.delete(hash);
    },
  };
}
