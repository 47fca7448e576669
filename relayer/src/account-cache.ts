import { LRUCache } from 'lru-cache';

export type AccountCache<Key, Value> = {
  get: (key: Key) => Value | undefined;
  set: (key: Key, value: Value) => void;
  delete: (key: Key) => void;
  /** Removes the entries of an account, or of all accounts. */
  drop: (account?: bigint) => void;
};

/** Returns a cache whose entries know their account. `options` are options of an LRU cache. */
export function createAccountCache<Key extends string | bigint, Value extends { account: bigint }>(
  options: Pick<LRUCache.OptionsBase<Key, Value, unknown>, 'max' | 'maxSize' | 'sizeCalculation' | 'ttl'>,
): AccountCache<Key, Value> {
  const keysByAccount = new Map<bigint, Set<Key>>();
  const entries = new LRUCache<Key, Value>({
    ...(options as { max: number }),
    dispose: ({ account }, key) => {
      const keys = keysByAccount.get(account);
      keys?.delete(key);
      if (keys?.size === 0) keysByAccount.delete(account);
    },
  });
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.set(key, value);
      // An entry larger than the whole cache is not kept.
      if (!entries.has(key)) return;
      const { account } = value;
      keysByAccount.set(account, (keysByAccount.get(account) ?? new Set()).add(key));
    },
    delete: (key) => void entries.delete(key),
    drop(account) {
      if (account !== undefined)
        for (const key of [...(keysByAccount.get(account) ?? [])]) entries.delete(key);
      // Clearing takes time in proportion to the capacity, even of an empty cache.
      else if (entries.size > 0) entries.clear();
    },
  };
}
