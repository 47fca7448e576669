/** Nonces and states of stored transactions, without a chain. */
import { createStore, type NewTransaction, type Store, type StoredTransaction } from '@latchkey/outbox';
import { eq, sql } from 'drizzle-orm';
import { type Address, type Hex, numberToHex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { transactions } from '../db/schema.ts';

let database: OpenTestDatabase;
let store: Store;
let payer: Address;
let last = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  store = createStore(database.db);
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await database.db.delete(transactions);
  payer = await newPayer();
});

/** A payer whose next nonce is 5. */
async function newPayer(): Promise<Address> {
  const address = numberToHex(++last, { size: 20 });
  await store.raiseNonce(address, 5);
  return address;
}
async function add(own: Partial<NewTransaction> = {}, of = payer): Promise<StoredTransaction> {
  const call: NewTransaction = {
    data: '0x1234',
    gas: 9n,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: 1n,
    account: 7n,
    idempotencyId: undefined,
    payment: undefined,
    capsChange: undefined,
    sign: async (nonce) => ({ raw: `0x0${nonce}` as Hex, hash: `0xa${nonce}` as Hex }),
    ...own,
  };
  const [result] = await store.add(of, [call]);
  if (result?.status !== 'fulfilled') throw result?.reason;
  return result.value;
}
const mine = (
  { id }: StoredTransaction,
  blockNumber: bigint,
  { blockHash = `0xb${blockNumber}` as Hex, status = 'mined' as 'mined' | 'reverted' } = {},
) => store.settle(id, { status, minedHash: '0xee', blockNumber, blockHash, transactionIndex: 0 });
const nonces = (of: StoredTransaction[]) => of.map((transaction) => [transaction.payer, transaction.nonce]);

describe('pending transactions', () => {
  test('are those of all payers that no process has touched, by payer and nonce', async () => {
    const other = await newPayer();
    const ofOther = await add({}, other);
    const [one, two] = [await add(), await add()];
    await mine(await add(), 1n);
    // Their order in the table is another one.
    await store.touch(one.id);
    await store.touch(ofOther.id);
    expect(nonces(await store.pending(0))).toEqual([
      [payer, 5],
      [payer, 6],
      [other, 5],
    ]);
    expect(await store.pending(20)).toEqual([]);
    await database.db
      .update(transactions)
      .set({ updatedAt: sql`now() - interval '21 seconds'` })
      .where(eq(transactions.id, two.id));
    expect(nonces(await store.pending(20))).toEqual([[payer, 6]]);
    expect(await store.touch(two.id)).toEqual(two);
    expect(await store.pending(20)).toEqual([]);
  });

  test('take another form, and settled ones do not', async () => {
    const { id } = await add();
    const fees = { maxFeePerGas: 20n, maxPriorityFeePerGas: 2n };
    await store.reprice(id, { raw: '0x0b', hash: '0xb1' }, fees);
    const repriced = { ...fees, raw: '0x0b', hashes: ['0xa5', '0xb1'], nonce: 5 };
    expect(await store.get(id)).toMatchObject(repriced);
    await store.settle(id, { status: 'replaced' });
    await store.reprice(id, { raw: '0x0c', hash: '0xc1' }, { maxFeePerGas: 30n, maxPriorityFeePerGas: 3n });
    expect(await store.get(id)).toMatchObject({ ...repriced, status: 'replaced' });
    expect(await store.touch(id)).toBeUndefined();
  });
});

describe('the next nonce', () => {
  test('is unknown for a payer that never had one, and only rises', async () => {
    expect(await store.nextNonce(numberToHex(999, { size: 20 }))).toBeUndefined();
    await store.raiseNonce(payer, 4);
    expect(await store.nextNonce(payer)).toBe(5);
    await store.raiseNonce(payer, 8);
    expect(await store.nextNonce(payer)).toBe(8);
    await expect(add({}, numberToHex(998, { size: 20 }))).rejects.toThrow('has no stored nonce');
  });

  test('is lowered from the known one only', async () => {
    expect(await store.lowerNonce(payer, 6, 3, 100n)).toBe(false);
    expect(await store.nextNonce(payer)).toBe(5);
    expect(await store.lowerNonce(payer, 5, 3, 100n)).toBe(true);
    expect(await store.nextNonce(payer)).toBe(3);
  });

  test('is not lowered below a transaction that is pending, or that a reorg can make pending', async () => {
    const first = await add();
    expect(await store.lowerNonce(payer, 6, 5, 100n)).toBe(false);
    // One below does not count, and no one of another payer.
    await add({}, await newPayer());
    expect(await store.lowerNonce(payer, 6, 6, 100n)).toBe(true);
    await mine(first, 100n);
    expect(await store.lowerNonce(payer, 6, 5, 100n)).toBe(false);
    expect(await store.nextNonce(payer)).toBe(6);
    expect(await store.lowerNonce(payer, 6, 5, 101n)).toBe(true);
  });

  test('of the first open transaction is the lowest from a nonce on', async () => {
    const [one, , three] = [await add(), await add(), await add()];
    await add({}, await newPayer());
    expect(await store.firstOpen(payer, 0, 2n)).toBe(5);
    expect(await store.firstOpen(payer, 6, 2n)).toBe(6);
    await mine(one, 1n);
    expect(await store.firstOpen(payer, 0, 2n)).toBe(6);
    expect(await store.firstOpen(payer, 8, 2n)).toBeUndefined();
    expect(three.nonce).toBe(7);
  });
});

describe('blocks', () => {
  test('are those of mined transactions, each once, in their order', async () => {
    expect(await store.lastBlock()).toBeUndefined();
    await add();
    for (const block of [12n, 10n, 11n, 11n]) await mine(await add(), block);
    expect(await store.lastBlock()).toBe(12n);
    expect(await store.blocksFrom(11n)).toEqual([
      { number: 11n, hash: '0xb11' },
      { number: 12n, hash: '0xb12' },
    ]);
  });

  test('that a reorg replaced leave their transactions pending, and no others', async () => {
    const [first, second, later, ofOtherBlock, replaced] = [
      await add(),
      await add(),
      await add(),
      await add(),
      await add(),
    ];
    await mine(second, 10n, { status: 'reverted' });
    await mine(first, 10n);
    await mine(later, 11n);
    await mine(ofOtherBlock, 10n, { blockHash: '0xff' });
    await store.settle(replaced.id, { status: 'replaced' });
    const reopened = await store.reopen({ number: 10n, hash: '0xb10' });
    expect(reopened.map(({ id }) => id)).toEqual([first.id, second.id]);
    const open = { status: 'pending', minedHash: null, blockNumber: null };
    // Only a success can have been answered.
    expect(reopened).toMatchObject([
      { ...open, droppedAt: expect.any(Date) },
      { ...open, droppedAt: null },
    ]);
    expect(nonces(await store.pending(0))).toEqual([
      [payer, 5],
      [payer, 6],
    ]);
    expect(await store.lastBlock()).toBe(11n);
  });

  test('give a request back to its transaction, unless it was repeated since', async () => {
    const [reverted, mined] = [
      await add({ idempotencyId: 'repeated' }),
      await add({ idempotencyId: 'once' }),
    ];
    await mine(reverted, 10n, { status: 'reverted' });
    await mine(mined, 10n);
    const repeated = await add({ idempotencyId: 'repeated' });
    await store.reopen({ number: 10n, hash: '0xb10' });
    expect((await store.byIdempotencyId('repeated'))?.id).toBe(repeated.id);
    expect((await store.byIdempotencyId('once'))?.id).toBe(mined.id);
  });
});

describe('another nonce for a transaction', () => {
  const next = (nonce: number, of = payer) => ({
    payer: of,
    nonce,
    data: '0x1234' as Hex,
    gas: 9n,
    maxFeePerGas: 20n,
    maxPriorityFeePerGas: 2n,
    raw: '0x0b' as Hex,
    hash: '0xb1' as Hex,
  });

  test('is the next one of a payer, and is stored with its form', async () => {
    const known = await add();
    const other = await newPayer();
    expect(await store.renumber(known, next(5, other))).toBe(true);
    expect(await store.get(known.id)).toEqual({
      ...known,
      payer: other,
      maxFeePerGas: 20n,
      maxPriorityFeePerGas: 2n,
      raw: '0x0b',
      hashes: ['0xa5', '0xb1'],
    });
    expect([await store.nextNonce(payer), await store.nextNonce(other)]).toEqual([6, 6]);
  });

  test.each<[string, (known: StoredTransaction) => Promise<[StoredTransaction, number]>]>([
    ['that is not the next one', async (known) => [known, 7]],
    [
      'while an earlier one is pending',
      async () => {
        const later = await add();
        return [later, 7];
      },
    ],
    [
      'of a transaction that has changed',
      async (known) => {
        await store.renumber(known, next(6));
        return [known, 7];
      },
    ],
    [
      'of a settled transaction',
      async (known) => {
        await mine(known, 1n);
        return [known, 6];
      },
    ],
  ])('is not given: one %s', async (_what, prepare) => {
    const [known, nonce] = await prepare(await add());
    const before = [await store.get(known.id), await store.nextNonce(payer)];
    expect(await store.renumber(known, next(nonce))).toBe(false);
    expect([await store.get(known.id), await store.nextNonce(payer)]).toEqual(before);
  });
});
