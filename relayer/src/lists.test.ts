import { until } from '@latchkey/testing/until';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ListQuery } from './indexer-client.ts';
import { createLists } from './lists.ts';

const schema = z.array(z.string());
const first: ListQuery = { page_number: 0, page_size: 100 };
const ACCOUNT = 7n;

/** An indexer whose list is its block; `questions` are the calls, `hold` delays the answers. */
function standIn(options: { maxBytes?: number } = {}) {
  const indexer = { block: 10n, questions: [] as string[], isWatching: true, hold: Promise.resolve() };
  const lists = createLists(
    {
      async list(account, list, { page_number }, minBlock) {
        indexer.questions.push(`${account} ${list} ${page_number} ${minBlock}`);
        const { block } = indexer;
        await indexer.hold;
        return { items: [`block ${block}`], total: '1', blockNumber: String(block) };
      },
    },
    { isWatching: () => indexer.isWatching, ...options },
  );
  type Asked = { account?: bigint; accountHead?: bigint; minBlock?: bigint; query?: ListQuery };
  const read = async ({ account = ACCOUNT, accountHead = 0n, minBlock, query = first }: Asked = {}) => {
    const reader = { account, accountHead, minBlock: minBlock ?? accountHead };
    const { reply } = await lists.read(reader, { list: 'groups', query, schema });
    return reply.bytes.toString();
  };
  return { indexer, lists, read };
}

describe('a page is asked for once', () => {
  test('by one caller after another and by concurrent callers', async () => {
    const { indexer, read } = standIn();
    await Promise.all([read(), read()]);
    expect(await read()).toBe('["block 10"]');
    expect(indexer.questions).toEqual(['7 groups 0 0']);
  });

  test('per account, list, page and group', async () => {
    const { indexer, lists, read } = standIn();
    for (let round = 0; round < 2; round++) {
      await read();
      await read({ account: 8n });
      await read({ query: { ...first, page_number: 1 } });
      await read({ query: { ...first, page_size: 5 } });
      await read({ query: { ...first, group_id: 3n } });
      const reader = { account: ACCOUNT, accountHead: 0n, minBlock: 0n };
      await lists.read(reader, { list: 'wallets', query: first, schema });
    }
    expect(indexer.questions).toHaveLength(6);
  });

  test('and validated once: items that do not match are an error and are not kept', async () => {
    const { indexer, lists } = standIn();
    const reader = { account: ACCOUNT, accountHead: 0n, minBlock: 0n };
    const wrong = { list: 'groups', query: first, schema: z.array(z.number()) } as const;
    for (let i = 0; i < 2; i++)
      await expect(lists.read(reader, wrong)).rejects.toThrow('reply does not match its schema');
    expect(indexer.questions).toHaveLength(2);
  });
});

describe('a page is asked for again', () => {
  test.each([
    ['a write of this process or a log of the account drops it', { drop: [ACCOUNT] }],
    ['the log subscription may have missed logs', { drop: [undefined] }],
  ])('when %s', async (_when, { drop: [account] }) => {
    const { indexer, lists, read } = standIn();
    await read();
    indexer.block = 11n;
    lists.drop(account);
    expect(await read()).toBe('["block 11"]');
  });

  test('not when another account changes', async () => {
    const { indexer, lists, read } = standIn();
    await read();
    lists.drop(8n, 12n);
    await read();
    expect(indexer.questions).toHaveLength(1);
  });

  test('when another process has written to the account', async () => {
    const { indexer, read } = standIn();
    await read();
    indexer.block = 12n;
    expect(await read({ accountHead: 9n })).toBe('["block 12"]');
    expect(indexer.questions.at(-1)).toBe('7 groups 0 9');
  });

  test('when the caller has seen a later block', async () => {
    const { indexer, read } = standIn();
    await read();
    indexer.block = 12n;
    expect(await read({ minBlock: 10n })).toBe('["block 10"]');
    expect(await read({ minBlock: 11n })).toBe('["block 12"]');
    expect(await read()).toBe('["block 12"]');
  });
});

describe('a page is not kept', () => {
  test('when the account changed while the indexer answered', async () => {
    const { indexer, lists, read } = standIn();
    const held = Promise.withResolvers<void>();
    indexer.hold = held.promise;
    const early = read();
    await until('asked', async () => indexer.questions.length === 1);
    lists.drop(ACCOUNT);
    indexer.block = 11n;
    const late = read();
    await until('asked again', async () => indexer.questions.length === 2);
    held.resolve();
    expect(await early).toBe('["block 10"]');
    expect(await late).toBe('["block 11"]');
    expect(await read()).toBe('["block 11"]');
    expect(indexer.questions).toHaveLength(2);
  });

  test('while the indexer is behind a log of the account', async () => {
    const { indexer, lists, read } = standIn();
    lists.drop(ACCOUNT, 12n);
    lists.drop(ACCOUNT, 11n);
    expect(await read()).toBe('["block 10"]');
    indexer.block = 11n;
    expect(await read()).toBe('["block 11"]');
    indexer.block = 12n;
    expect(await read()).toBe('["block 12"]');
    await read();
    expect(indexer.questions).toHaveLength(3);
  });

  test('while logs are not watched', async () => {
    const { indexer, read } = standIn();
    indexer.isWatching = false;
    await read();
    await read();
    expect(indexer.questions).toHaveLength(2);
  });

  test('beyond the maximum of bytes: the page that was unused for longest goes first', async () => {
    const { indexer, lists, read } = standIn({ maxBytes: 2_500 });
    for (const account of [1n, 2n, 1n, 3n, 1n]) await read({ account });
    expect(indexer.questions).toHaveLength(3);
    await read({ account: 2n });
    expect(indexer.questions).toHaveLength(4);
    for (const account of [1n, 2n, 3n]) lists.drop(account);
    const large = standIn({ maxBytes: 100 });
    for (let i = 0; i < 2; i++) await large.read();
    expect(large.indexer.questions).toHaveLength(2);
  });
});
