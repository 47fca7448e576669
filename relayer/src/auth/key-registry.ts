import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import type { AccountConfig } from '../chain/account-config.ts';
import { type Chain, later } from '../chain/chain.ts';
import type { AccountHeads } from '../db/account-heads.ts';

const MAX_KEYS = 50_000;
/** Bounds what a lost log subscription can hide; the logs drop an entry long before. */
const TTL_MS = 5_000;
/** How long a hash that names nothing is not asked for again, if no newer block is seen meanwhile. */
const UNKNOWN_TTL_MS = 1_000;

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
   * write to the account through this relayer.
   */
  find: (hash: bigint, minBlock: bigint) => Promise<(KnownKey & { minBlock: bigint }) | undefined>;
  /** True for a hash that named something when this process asked for it last, however long ago. */
  isKnown: (hash: bigint) => boolean;
  /** Forgets the keys of an account, or all of them. */
  drop: (account?: bigint) => void;
};

/**
 * The chain's key registry with a cache. Concurrent questions for one hash are one question. What names nothing is
 * remembered only as long as no newer block was seen: a write through this process always shows its block first. A key is never taken from a
 * state older than the account's last write.
 */
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
  const unknown = new LRUCache<bigint, { block: bigint }>({ max: MAX_KEYS, ttl: UNKNOWN_TTL_MS });
  const known = new LRUCache<bigint, true>({ max: MAX_KEYS });
  const asking = new Map<string, Promise<Entry | undefined>>();
  let drops = 0;

  const resolve = (hash: bigint, minBlock: bigint): Promise<Entry | undefined> => {
    // A question that began before a newer block or a drop may have the older answer.
    const question = [hash, minBlock, chain.head(), drops].join();
    const running = asking.get(question);
    if (running) return running;
    const answer = ask(hash, minBlock).finally(() => asking.delete(question));
    asking.set(question, answer);
    return answer;
  };

  const ask = async (hash: bigint, minBlock: bigint): Promise<Entry | undefined> => {
    const dropsBefore = drops;
    if (chain.head() === 0n) await chain.refreshHead();
    await chain.reach(minBlock);
    const block = chain.head();
    const [account, adminWallet, managed, isUsageKey, expiration] = await accountConfig.read('resolve', [
      hash,
    ]);
    if (account === 0n) {
      known.delete(hash);
      if (dropsBefore === drops) unknown.set(hash, { block });
      return undefined;
    }
    known.set(hash, true);
    const key = { hash, account, adminWallet, managed, isUsageKey, expiration, block };
    if (dropsBefore === drops) {
      cache.set(hash, key);
      hashesOf.set(account, (hashesOf.get(account) ?? new Set()).add(hash));
    }
    return key;
  };

  return {
    async find(hash, minBlock) {
      const head = chain.head();
      if (head > 0n && head >= minBlock && unknown.get(hash)?.block === head) return undefined;
      let key = cache.get(hash);
      if (!key || key.block < minBlock) key = await resolve(hash, minBlock);
      if (!key) return undefined;
      const written = await accountHeads.get(key.account);
      if (written > key.block) key = await resolve(hash, written);
      return key && { ...key, minBlock: later(minBlock, written) };
    },
    isKnown: (hash) => known.has(hash),
    drop(account) {
      drops++;
      unknown.clear();
      if (account === undefined) cache.clear();
      else for (const hash of [...(hashesOf.get(account) ?? [])]) cache.delete(hash);
    },
  };
}
