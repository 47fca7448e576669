import { type Chain, later } from '@latchkey/chain/chain';
import { hashStateOf, namesAccount } from '@latchkey/protocol';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { createAccountCache } from '../account-cache.ts';
import type { AccountConfig } from '../chain/account-config.ts';
import type { AccountHeads } from '../db/account-heads.ts';

const MAX_KEYS = 50_000;
/** Upper bound for how long a lost log subscription can hide a change. Logs normally drop an entry much earlier. */
const TTL_MS = 5_000;
/** How long an unknown hash is remembered when no newer block arrives. */
const UNKNOWN_TTL_MS = 1_000;

/** The chain's state of a key hash. */
export type KnownKey = {
  hash: bigint;
  /** Master hash of the account that owns the key. */
  account: bigint;
  /** Admin wallet of a ChainSecured account. */
  adminWallet: Address;
  /** True for an account key. */
  managed: boolean;
  isUsageKey: boolean;
  /** False while the account waits for the admin wallet that it was transferred to. */
  isAccepted: boolean;
  /** Unix seconds; 0 for no expiry. */
  expiration: bigint;
};

/** The state that one lookup read. Later lookups return the same object as long as no change of the account is known. */
export type RecentKey = KnownKey & {
  /** The key had this state at this block or a later one. */
  block: bigint;
};

/** The answer to one lookup. */
type Found = {
  key?: RecentKey;
  /** The account that waits for the wallet, when the identity of the wallet names no key. */
  waiting?: bigint;
};

export type KeyRegistry = {
  /**
   * Returns undefined for a hash that is unknown at `minBlock` or later. The `minBlock` of the result also covers
   * `accountHead`, the last write to the account through this relayer.
   */
  find: (
    hash: bigint,
    minBlock: bigint,
  ) => Promise<(KnownKey & { minBlock: bigint; accountHead: bigint }) | undefined>;
  /**
   * Finds a key like `find`, without asking the database for the last write: the result has the state at `block` or later, and
   * the caller must find the key again when the last write is later.
   */
  findRecent: (hash: bigint, minBlock: bigint) => Promise<RecentKey | undefined>;
  /**
   * Returns the master hash of a transferred account that was not accepted: the account that this hash names, or that waits for
   * the wallet with this identity.
   */
  findUnaccepted: (hash: bigint, minBlock: bigint) => Promise<bigint | undefined>;
  /** True for a hash that was known at the last lookup of this process, however long ago. */
  isKnown: (hash: bigint) => boolean;
  /** Removes the cached keys of an account, or of all accounts. */
  drop: (account?: bigint) => void;
};

/**
 * The chain's key registry with a cache. Concurrent lookups of one hash share one call. Unknown hashes are cached only
 * until a newer block is seen, because a write through this process always shows its block first. A key is never read
 * at a state older than the account's last write.
 */
export function createKeyRegistry(
  chain: Pick<Chain, 'head' | 'refreshHead' | 'reach'>,
  accountConfig: Pick<AccountConfig, 'read'>,
  accountHeads: Pick<AccountHeads, 'get'>,
): KeyRegistry {
  const cache = createAccountCache<bigint, RecentKey>({ max: MAX_KEYS, ttl: TTL_MS });
  const unknown = new LRUCache<bigint, Found & { block: bigint }>({ max: MAX_KEYS, ttl: UNKNOWN_TTL_MS });
  const known = new LRUCache<bigint, true>({ max: MAX_KEYS });
  const share = createSharing<Found>();
  let drops = 0;
  // A lookup that began before a newer block or a drop can return the older state.
  const resolve = (hash: bigint, minBlock: bigint): Promise<Found> =>
    share([hash, minBlock, chain.head(), drops].join(), () => ask(hash, minBlock));
  const ask = async (hash: bigint, minBlock: bigint): Promise<Found> => {
    const dropsBefore = drops;
    if (chain.head() === 0n) await chain.refreshHead();
    await chain.reach(minBlock);
    const block = chain.head();
    const found = toFound(hash, block, await accountConfig.read('accountState', [hash]));
    if (found.key) known.set(hash, true);
    else known.delete(hash);
    if (dropsBefore !== drops) return found;
    if (found.key) cache.set(hash, found.key);
    else unknown.set(hash, { ...found, block });
    return found;
  };
  const look = async (hash: bigint, minBlock: bigint): Promise<Found> => {
    const head = chain.head();
    const miss = unknown.get(hash);
    if (miss && head >= minBlock && miss.block === head) return miss;
    const key = cache.get(hash);
    return !key || key.block < minBlock ? resolve(hash, minBlock) : { key };
  };

  return {
    findRecent: async (hash, minBlock) => (await look(hash, minBlock)).key,
    async findUnaccepted(hash, minBlock) {
      const { key, waiting } = await look(hash, minBlock);
      return key && !key.isAccepted ? key.account : waiting;
    },
    async find(hash, minBlock) {
      let { key } = await look(hash, minBlock);
      if (!key) return undefined;
      const written = await accountHeads.get(key.account);
      if (written > key.block) ({ key } = await resolve(hash, written));
      return key && { ...key, minBlock: later(minBlock, written), accountHead: written };
    },
    isKnown: (hash) => known.has(hash),
    drop(account) {
      drops++;
      // Clearing takes time in proportion to the capacity, even of an empty cache.
      if (unknown.size > 0) unknown.clear();
      cache.drop(account);
      // The hash of an account that was just opened can be cached as an alias of another one.
      if (account !== undefined) cache.delete(account);
    },
  };
}

/** Returns a function whose concurrent calls with one question share one answer. */
function createSharing<Answer>(): (question: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const asking = new Map<string, Promise<Answer>>();
  return (question, ask) => {
    const running = asking.get(question);
    if (running) return running;
    const answer = ask().finally(() => asking.delete(question));
    asking.set(question, answer);
    return answer;
  };
}

type AccountState = {
  state: number;
  masterApiKeyHash: bigint;
  adminWalletAddress: Address;
  managed: boolean;
  accepted: boolean;
  expiration: bigint;
};

function toFound(hash: bigint, block: bigint, answer: AccountState): Found {
  const { state, masterApiKeyHash: account, adminWalletAddress: adminWallet, managed, expiration } = answer;
  const named = hashStateOf(state);
  if (!namesAccount(named)) return named === 'waiting' ? { waiting: account } : {};
  const isUsageKey = named === 'usageKey';
  const isAccepted = answer.accepted;
  return { key: { hash, account, adminWallet, managed, isUsageKey, isAccepted, expiration, block } };
}
