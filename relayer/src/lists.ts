/** Pages of the accounts' lists, kept in memory in the form in which they are sent. */

import { later } from '@latchkey/chain/chain';
import { EncodedReply } from '@latchkey/http';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { createAccountCache } from './account-cache.ts';
import type { Reader } from './auth/authenticators.ts';
import type { IndexerClient, ListName, ListQuery } from './indexer-client.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Memory that a page needs in addition to its text. */
const ENTRY_BYTES = 1_024;
const MAX_ACCOUNTS = 50_000;
/** Upper bound for how long a lost log can hide a change, as for keys. Logs normally drop a page much earlier. */
const TTL_MS = 5_000;

export type ListReply = { reply: EncodedReply; total: string; blockNumber: string };

type Page = ListReply & {
  account: bigint;
  block: bigint;
  /** Head of the account before the page was asked for. A later write of any process changes it. */
  head: bigint;
};

export type Lists = {
  /**
   * Returns a page that is not older than the caller's `minBlock` and the last write to the account through any process.
   * The schema validates the indexer's items once. `complete` adds what the indexer does not know. Rejects with the
   * errors of the indexer.
   */
  read: (
    reader: Pick<Reader, 'account' | 'accountHead' | 'minBlock'>,
    request: {
      list: ListName;
      query: ListQuery;
      schema: z.ZodType;
      complete?: (items: unknown[]) => Promise<unknown[]>;
    },
  ) => Promise<ListReply>;
  /**
   * Drops the pages of an account, or of all accounts. The indexer can still be behind the change: later pages are kept
   * when they are at `fromBlock` or later.
   */
  drop: (account?: bigint, fromBlock?: bigint) => void;
};

export function createLists(
  indexer: Pick<IndexerClient, 'list'>,
  { maxBytes = MAX_BYTES, isWatching }: { maxBytes?: number; isWatching: () => boolean },
): Lists {
  const pages = createAccountCache<string, Page>({
    maxSize: maxBytes,
    sizeCalculation: ({ reply }) => reply.bytes.length + ENTRY_BYTES,
    ttl: TTL_MS,
  });
  /** Block of the newest log of an account. */
  const changedAt = new LRUCache<bigint, bigint>({ max: MAX_ACCOUNTS });
  const asking = new Map<string, { account: bigint; page: Promise<Page> }>();

  const keep = (key: string, page: Page): void => {
    if (isWatching() && page.block >= (changedAt.get(page.account) ?? 0n)) pages.set(key, page);
  };

  const ask: (...request: Parameters<Lists['read']>) => Promise<Page> = async (
    { account, accountHead, minBlock },
    { list, query, schema, complete },
  ) => {
    const { items, total, blockNumber } = await indexer.list(account, list, query, minBlock);
    const reply = new EncodedReply(schema, complete ? await complete(items) : items);
    return { account, reply, total, blockNumber, block: BigInt(blockNumber), head: accountHead };
  };

  return {
    async read(reader, request) {
      const { account, accountHead, minBlock } = reader;
      const { page_number, page_size, group_id = '' } = request.query;
      const key = [account, request.list, page_number, page_size, group_id].join('/');
      const known = pages.get(key);
      if (known && known.head === accountHead && known.block >= minBlock) return known;
      const question = [key, accountHead, minBlock].join('/');
      const running = asking.get(question);
      if (running) return running.page;
      const page = ask(reader, request);
      const mine = { account, page };
      asking.set(question, mine);
      try {
        const answer = await page;
        // The answer to a question from before a change can lack the change.
        if (asking.get(question) === mine) keep(key, answer);
        return answer;
      } finally {
        if (asking.get(question) === mine) asking.delete(question);
      }
    },
    drop(account, fromBlock = 0n) {
      for (const [question, { account: asked }] of asking)
        if (account === undefined || asked === account) asking.delete(question);
      pages.drop(account);
      if (account !== undefined) changedAt.set(account, later(fromBlock, changedAt.get(account) ?? 0n));
    },
  };
}
