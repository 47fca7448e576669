import { cidHash } from '@latchkey/protocol';
import { hashText } from './db/text.ts';

const MAX_HEALTH_MS = 3_000;

export type ListName = 'api-keys' | 'groups' | 'wallets' | 'actions';
export type ListQuery = { page_number: number; page_size: number; group_id?: bigint | undefined };

/** The indexer is down, behind the required block, or sent a malformed reply. */
export class IndexerUnavailableError extends Error {
  override readonly name = 'IndexerUnavailableError';
}

/** The account has no such group. */
export class GroupNotIndexedError extends Error {
  override readonly name = 'GroupNotIndexedError';
}

/** Finished lists, as the indexer serves them. */
export type IndexerClient = {
  /**
   * Returns a page of an account's list (by master hash), the total number of entries, and the block of the list, which
   * is `minBlock` or later.
   */
  list: (
    account: bigint,
    list: ListName,
    query: ListQuery,
    minBlock: bigint,
  ) => Promise<{ items: unknown[]; total: string; blockNumber: string }>;
  /** Returns the CIDs among `cids` (at most 100) that any account has registered, at `minBlock` or later. */
  registeredCids: (cids: string[], minBlock: bigint) => Promise<Set<string>>;
  /** Rejects when the indexer does not follow the chain. */
  ping: () => Promise<void>;
};

export function createIndexerClient({ url, timeoutMs }: { url: string; timeoutMs: number }): IndexerClient {
  const get = async (path: string, ms: number): Promise<Response> => {
    try {
      return await fetch(new URL(path, `${url}/`), { signal: AbortSignal.timeout(ms), redirect: 'error' });
    } catch (cause) {
      throw new IndexerUnavailableError('the indexer does not respond', { cause });
    }
  };
  return {
    async list(account, list, { page_number, page_size, group_id }, minBlock) {
      const query = new URLSearchParams({
        page_number: String(page_number),
        page_size: String(page_size),
        min_block: String(minBlock),
        ...(group_id === undefined ? {} : { group_id: String(group_id) }),
      });
      const master = hashText(account);
      const response = await get(`accounts/${master}/${list}?${query}`, timeoutMs);
      if (response.status === 404 && group_id !== undefined) {
        await response.body?.cancel();
        throw new GroupNotIndexedError(`the account has no group ${group_id}`);
      }
      const items: unknown = await response.json().catch(() => undefined);
      const total = response.headers.get('x-total-count');
      const blockNumber = response.headers.get('x-block-number');
      if (!response.ok || !Array.isArray(items) || total === null || blockNumber === null)
        throw new IndexerUnavailableError(`the indexer responded with status ${response.status}`);
      return { items, total, blockNumber };
    },
    async registeredCids(cids, minBlock) {
      const cidByHash = new Map(cids.map((cid) => [hashText(cidHash(cid)), cid]));
      const query = new URLSearchParams({
        hashes: [...cidByHash.keys()].join(),
        min_block: String(minBlock),
      });
      const response = await get(`registered-actions?${query}`, timeoutMs);
      const hashes: unknown = await response.json().catch(() => undefined);
      if (!response.ok || !Array.isArray(hashes))
        throw new IndexerUnavailableError(`the indexer responded with status ${response.status}`);
      return new Set(hashes.flatMap((hash: string) => cidByHash.get(hash) ?? []));
    },
    async ping() {
      const response = await get('health', MAX_HEALTH_MS);
      await response.body?.cancel();
      if (!response.ok)
        throw new IndexerUnavailableError(`the indexer responded with status ${response.status}`);
    },
  };
}
