import { eq } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { readCaps } from '../billing/caps.ts';
import { InsufficientCreditError, listEntries, move } from '../billing/ledger.ts';
import { createAccountHeads } from '../db/account-heads.ts';
import { transactions } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { createOutbox, type NewTransaction } from './outbox.ts';

const PAYER: Address = '0x00000000000000000000000000000000000000aa';
const PRICE = 10_000n;

let database: OpenTestDatabase;
let accounts = 0n;
beforeAll(async () => {
  database = await openTestDatabase();
  await createOutbox(database.db).syncNonce(PAYER, 7);
});
afterAll(() => database.dispose());

/** Returns a transaction of a new account with credit for one write. `signed` collects the nonces that were signed. */
const transactionOf = async (signed: number[] = [], own: Partial<NewTransaction> = {}) => {
  const account = ++accounts;
  await move(database.db, account, 'credit', PRICE, { externalId: `test ${account}`, reason: 'test' });
  const transaction: NewTransaction = {
    payer: PAYER,
    data: '0x01',
    gas: 2n ** 40n,
    maxFeePerGas: 2n ** 60n,
    maxPriorityFeePerGas: 1n,
    account,
    idempotencyId: undefined,
    payment: { key: account, amountMicros: PRICE, reason: 'test' },
    capsChange: undefined,
    sign: async (nonce) => {
      signed.push(nonce);
      return { raw: `0x${nonce}` as Hex, hash: `0x${account}${nonce}` as Hex };
    },
    ...own,
  };
  return transaction;
};
const kinds = async (account: bigint) =>
  (await listEntries(database.db, account, { offset: 0, limit: 10 })).entries.map(({ kind }) => kind);
const heads = () => createAccountHeads(database.db, { solePeriod: () => undefined });

describe('add', () => {
  test('returns what it stored', async () => {
    const outbox = createOutbox(database.db);
    const capsChange = { key: hashText(1n), caps: null };
    const added = await outbox.add(await transactionOf([], { capsChange, idempotencyId: 'an id' }));
    expect(await outbox.get(added.id)).toEqual(added);
    expect(await outbox.byIdempotencyId('an id')).toEqual(added);
    const [row] = await database.db.select().from(transactions).where(eq(transactions.id, added.id));
    expect(row).toMatchObject({ capsChange, reserve: 2n });
  });

  test('signs again with the next nonce when another process has used the known one', async () => {
    const [ours, theirs] = [createOutbox(database.db), createOutbox(database.db)];
    const signed: number[] = [];
    const { nonce } = await ours.add(await transactionOf(signed));
    await theirs.add(await transactionOf());
    const added = await ours.add(await transactionOf(signed));
    expect(added.nonce).toBe(nonce + 2);
    expect(signed).toEqual([nonce, nonce + 1, nonce + 2]);
    expect(added.raw).toBe(`0x${nonce + 2}`);
  });

  test('takes no nonce and stores nothing when the account cannot pay', async () => {
    const outbox = createOutbox(database.db);
    const { nonce } = await outbox.add(await transactionOf());
    const poor = await transactionOf([], { account: 9_999n });
    await expect(outbox.add(poor)).rejects.toThrow(InsufficientCreditError);
    expect((await outbox.add(await transactionOf())).nonce).toBe(nonce + 1);
  });
});

describe('settle', () => {
  test('captures the price, sets the caps and raises the head of the account, once', async () => {
    const outbox = createOutbox(database.db);
    const key = hashText(77n);
    const caps = { spendCapCents: 5, spendWindowSec: 60, maxRunsPerMinute: null, maxConcurrency: 2 };
    const { id, account } = await outbox.add(await transactionOf([], { capsChange: { key, caps } }));
    expect(await heads().get(account)).toBe(0n);
    await outbox.settle(id, { status: 'mined', minedHash: '0x01', blockNumber: 12n });
    await outbox.settle(id, { status: 'replaced' });
    expect(await heads().get(account)).toBe(12n);
    expect(await outbox.get(id)).toMatchObject({ status: 'mined', minedHash: '0x01', blockNumber: 12n });
    expect(await kinds(account)).toEqual(['capture', 'reserve', 'credit']);
    expect(await readCaps(database.db, [key])).toEqual(new Map([[key, caps]]));
  });

  test('does not lower the head', async () => {
    const outbox = createOutbox(database.db);
    const later = await outbox.add(await transactionOf([], { payment: undefined }));
    const { account } = later;
    const earlier = await outbox.add(await transactionOf([], { payment: undefined, account }));
    await outbox.settle(later.id, { status: 'mined', blockNumber: 20n });
    await outbox.settle(earlier.id, { status: 'mined', blockNumber: 19n });
    expect(await heads().get(account)).toBe(20n);
  });

  test.each(['reverted', 'replaced'] as const)('releases the price of a %s transaction', async (status) => {
    const outbox = createOutbox(database.db);
    const key = hashText(78n);
    const caps = { spendCapCents: 5, spendWindowSec: null, maxRunsPerMinute: null, maxConcurrency: null };
    const { id, account } = await outbox.add(await transactionOf([], { capsChange: { key, caps } }));
    await outbox.settle(id, { status, blockNumber: 12n });
    expect(await kinds(account)).toEqual(['release', 'reserve', 'credit']);
    expect(await heads().get(account)).toBe(0n);
    expect(await readCaps(database.db, [key])).toEqual(new Map());
  });
});
