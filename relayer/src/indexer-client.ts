import { setTimeout as delay } from 'node:timers/promises';
import { cidHash } from '@latchkey/protocol';
import { inSpan, traceHeaders } from '@latchkey/service/tracing';
import {
  describeMismatch,
  OTHER_PROTOCOL_STATUS,
  PROTOCOL_HEADER,
  protocolHeader,
  protocols,
} from '@latchkey/service/versions';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { hashText } from './db/text.ts';

const MAX_HEALTH_MS = 3_000;
/** Pause after every indexer has failed. */
const RETRY_MS = 100;
/** As many as all kept pages of lists. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const dispatcher = new Agent({ maxResponseSize: MAX_REPLY_BYTES });

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
  /** Returns a page of what changed an account, newest first, at `minBlock` or later. `before` is the id of a change. */
  changes: (
    account: bigint,
    query: { page_size: number; before?: string | undefined },
    minBlock: bigint,
  ) => Promise<unknown[]>;
  /** Returns the CIDs among `cids` (at most 100) that any account has registered, at `minBlock` or later. */
  registeredCids: (cids: string[], minBlock: bigint) => Promise<Set<string>>;
  /** Rejects when the indexer does not follow the chain. */
  ping: () => Promise<void>;
  /** Resolves to the newest indexed block, undefined while there is none, and to the version of the indexer, whatever its health. */
  status: () => Promise<z.infer<typeof indexerHealth>>;
};

const indexerHealth = z.object({
  block_number: z.int().nonnegative().optional(),
  version: z.string().max(64).optional(),
});

/** @param urls Of an indexer and its standbys, of which one at a time serves requests. */
export function createIndexerClient({
  urls,
  timeoutMs,
}: {
  urls: readonly string[];
  timeoutMs: number;
}): IndexerClient {
  const get = createGet(urls);
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
      const items = await arrayOf({ statusCode, body });
      const { 'x-total-count': total, 'x-block-number': blockNumber } = headers;
      if (typeof total !== 'string' || typeof blockNumber !== 'string')
        throw new IndexerUnavailableError('the reply of the indexer has no counts');
      return { items, total, blockNumber };
    },
    async changes(account, { page_size, before }, minBlock) {
      const query = new URLSearchParams({
        page_size: String(page_size),
        min_block: String(minBlock),
        ...(before === undefined ? {} : { before }),
      });
      return arrayOf(await get(`accounts/${hashText(account)}/changes?${query}`, timeoutMs));
    },
    async registeredCids(cids, minBlock) {
      const cidByHash = new Map(cids.map((cid) => [hashText(cidHash(cid)), cid]));
      const query = new URLSearchParams({
        hashes: [...cidByHash.keys()].join(),
        min_block: String(minBlock),
      });
      const hashes = await arrayOf(await get(`registered-actions?${query}`, timeoutMs));
      return new Set(hashes.flatMap((hash) => cidByHash.get(hash as string) ?? []));
    },
    async ping() {
      const { statusCode, body } = await get('health', MAX_HEALTH_MS);
      await body.dump();
      if (statusCode !== 200)
        throw new IndexerUnavailableError(`the indexer responded with status ${statusCode}`);
    },
    status: async () => indexerHealth.parse(await (await get('health', MAX_HEALTH_MS)).body.json()),
  };
}

/** Resolves to the array in the reply. Rejects with `IndexerUnavailableError` for any other reply. */
async function arrayOf({
  statusCode,
  body,
}: Pick<Dispatcher.ResponseData, 'statusCode' | 'body'>): Promise<unknown[]> {
  const items: unknown = await body.json().catch(() => undefined);
  if (statusCode !== 200 || !Array.isArray(items))
    throw new IndexerUnavailableError(`the indexer responded with status ${statusCode}`);
  return items;
}

/**
 * Returns a function that asks the indexer that answered last, and when it fails the others, in turn until the time is over: a standby takes some
 * seconds.
 */
function createGet(urls: readonly string[]) {
  let used = 0;
  return async (path: string, ms: number): Promise<Dispatcher.ResponseData> => {
    const deadline = performance.now() + ms;
    for (let asked = 1; ; asked++) {
      const index = used;
      // An indexer that does not answer leaves time for the others of the round.
      const shares = urls.length - ((asked - 1) % urls.length);
      const leftMs = (deadline - performance.now()) / shares;
      const reply = ask(`${urls[index]}/${path}`, Math.max(1, Math.ceil(leftMs)));
      const response = await reply.catch((error: unknown) => error as Error);
      if (!(response instanceof Error) && response.statusCode < 500) return response;
      // Another request can have left it meanwhile.
      if (used === index) used = (index + 1) % urls.length;
      if (urls.length === 1 || performance.now() + RETRY_MS >= deadline) {
        if (response instanceof Error) throw response;
        return response;
      }
      if (!(response instanceof Error)) await response.body.dump();
      if (asked % urls.length === 0) await delay(RETRY_MS);
    }
  };
}

/** Rejects with `IndexerUnavailableError` when the indexer does not respond, or speaks another version. */
async function ask(url: string, ms: number): Promise<Dispatcher.ResponseData> {
  const signal = AbortSignal.timeout(ms);
  const headers = { ...protocolHeader(protocols.indexer), ...traceHeaders() };
  // `fetch` would make a `Request` and web streams per call.
  const response = await inSpan('ask the indexer', () => request(url, { dispatcher, signal, headers }), {
    kind: 'CLIENT',
  }).catch((cause: unknown) => {
    throw new IndexerUnavailableError('the indexer does not respond', { cause });
  });
  if (response.statusCode !== OTHER_PROTOCOL_STATUS) return response;
  await response.body.dump();
  const speaks = String(response.headers[PROTOCOL_HEADER]);
  throw new IndexerUnavailableError(
    describeMismatch(protocols.indexer, speaks, ['the indexer', 'this relayer']),
  );
}
