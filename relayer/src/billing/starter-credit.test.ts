import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { listEntries } from './ledger.ts';
import { giveStarterCredit } from './starter-credit.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());

const entriesOf = async (account: bigint) =>
  (await listEntries(database.db, account, { offset: 0, limit: 10 })).entries;

test('an account gets its starter credit once', async () => {
  for (const account of [1n, 2n, 1n]) await giveStarterCredit(database.db, account, 25);
  for (const account of [1n, 2n])
    expect(await entriesOf(account)).toMatchObject([
      { kind: 'credit', amountMicros: 250_000n, reason: 'starter credit' },
    ]);
});

test('without starter credit there is no entry, and it can be given later', async () => {
  await giveStarterCredit(database.db, 3n, 0);
  expect(await entriesOf(3n)).toEqual([]);
  await giveStarterCredit(database.db, 3n, 1);
  expect(await entriesOf(3n)).toHaveLength(1);
});
