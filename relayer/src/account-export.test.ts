import { BaseError } from 'viem';
import { expect, test } from 'vitest';
import { createAccountLists } from './account-export.ts';
import type { ListName, ListQuery } from './indexer-client.ts';

const ACCOUNT = 7n;
const contract = '0x00000000000000000000000000000000000000c0';

/** An indexer with lists of this length. The account has an event in each of `changedBlocks`; a block follows on each reading. */
function standIn(sizes: Partial<Record<ListName, number>>, changedBlocks: number[] = []) {
  let head = 10;
  const asked: string[] = [];
  const filters: unknown[] = [];
  const indexer = {
    async list(_account: bigint, list: ListName, { page_number, page_size }: ListQuery, minBlock: bigint) {
      asked.push(`${list} ${page_number} ${minBlock}`);
      const total = sizes[list] ?? 0;
      const length = Math.max(0, Math.min(page_size, total - page_number * page_size));
      const items = Array.from({ length }, (_, index) => page_number * page_size + index);
      return { items, total: String(total), blockNumber: String(head) };
    },
  };
  const request = async ({ params: [filter] }: { params: [{ fromBlock: string }] }) => {
    filters.push(filter);
    return changedBlocks.filter((block) => block >= Number(filter.fromBlock) && block <= head);
  };
  const chain = { refreshHead: async () => BigInt(++head), client: { request } };
  const read = createAccountLists({ indexer, chain: chain as never, contract });
  return { read, asked, filters, chain };
}

test('returns whole lists of several pages, of the block of the first page', async () => {
  const { read, asked, filters } = standIn({ groups: 500, actions: 2_001, 'api-keys': 1 });
  const { blockNumber, lists } = await read(ACCOUNT, 9n);
  expect(blockNumber).toBe(10n);
  expect(lists.groups).toHaveLength(500);
  expect(lists.actions).toEqual(Array.from({ length: 2_001 }, (_, index) => index));
  expect(lists['api-keys']).toEqual([0]);
  expect(lists.wallets).toEqual([]);
  expect(asked[0]).toBe('groups 0 9');
  expect(asked.filter((question) => question.startsWith('actions'))).toEqual([
    'actions 0 10',
    'actions 1 10',
    'actions 2 10',
  ]);
  const topics = [null, `0x${'7'.padStart(64, '0')}`];
  expect(filters).toEqual([{ address: contract, fromBlock: '0xb', toBlock: 'latest', topics }]);
});

test('reads again when the account changed after the first page, and returns the later block', async () => {
  const { read, asked } = standIn({}, [11]);
  expect((await read(ACCOUNT, 0n)).blockNumber).toBe(11n);
  expect(asked.filter((question) => question.startsWith('wallets'))).toEqual([
    'wallets 0 10',
    'wallets 0 11',
  ]);
});

test('fails when the account changes during each reading, or the chain cannot be asked', async () => {
  await expect(standIn({}, [11, 12, 13]).read(ACCOUNT, 0n)).rejects.toThrow('changed during each reading');
  const broken = standIn({});
  broken.chain.client.request = async () => {
    throw new BaseError('no answer');
  };
  await expect(broken.read(ACCOUNT, 0n)).rejects.toThrow('the chain could not be asked');
});
