import { cidHash } from '@latchkey/protocol';
import { inSpan, traceHeaders } from '@latchkey/service/tracing';
import { type Dispatcher, request } from 'undici';
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
  // `fetch` would make a `Request` and web streams per call.
  const get = async (path: string, ms: number): Promise<Dispatcher.ResponseData> => {
    try {
      return await inSpan(
        'ask the indexer',
        () => request(`${url}/${path}`, { signal: AbortSignal.timeout(ms), headers: traceHeaders() }),
        { kind: 'CLIENT' },
      );
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
      const { statusCode, headers, body } = await get(`accounts/${master}/${list}?${query}`, timeoutMs);
      if (statusCode === 404 && group_id !== undefined) {
        await body.dump();
        throw new GroupNotIndexedError(`the account has no group ${group_id}`);
      }
      const items: unknown = await body.json().catch(() => undefined);
      const { 'x-total-count': total, 'x-block-number': blockNumber } = headers;
      const isList = statusCode === 200 && Array.isArray(items);
      if (!isList || typeof total !== 'string' || typeof blockNumber !== 'string')
        throw new IndexerUnavailableError(`the indexer responded with status ${statusCode}`);
      return { items, total, blockNumber };
    },
    async registeredCids(cids, minBlock) {
      const cidByHash = new Map(cids.map((cid) => [hashText(cidHash(cid)), cid]));
      const query = new URLSearchParams({
        hashes: [...cidByHash.keys()].join(),
        min_block: String(minBlock),
      });
      const { statusCode, body } = await get(`registered-actions?${query}`, timeoutMs);
      const hashes: unknown = await body.json().catch(() => undefined);
      if (statusCode !== 200 || !Array.isArray(hashes))
        throw new IndexerUnavailableError(`the indexer responded with status ${statusCode}`);
      return new Set(hashes.flatMap((hash: string) => cidByHash.get(hash) ?? []));
    },
    async ping() {
      const { statusCode, body } = await get('health', MAX_HEALTH_MS);
      await body.dump();
      if (statusCode !== 200)
        throw new IndexerUnavailableError(`the indexer responded with status ${statusCode}`);
    },
  };
}
