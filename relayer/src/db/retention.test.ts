/** Records are kept for their days from their end on, not from their creation on. */
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { RETENTION_DAYS, replayDeliveries } from '@latchkey/webhooks/deliveries';
import { asc, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addDelivery, addTestEndpoint, sendDue } from '../../test/webhooks.ts';
import { webhookTables } from '../webhooks/endpoints.ts';
import { sweep } from './retention.ts';
import { transactions, walletTransactions, webhookDeliveries } from './schema.ts';

const database = disposeAfterAll(await openTestDatabase());

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const DAYS_30 = 30 * 24;

/** Rows of a table of transactions that were created and have changed so many hours ago. */
const rows = [
  ['ended late', { createdAt: hoursAgo(40 * 24), updatedAt: hoursAgo(DAYS_30 - 1), status: 'mined' }],
  ['ended long ago', { createdAt: hoursAgo(40 * 24), updatedAt: hoursAgo(DAYS_30 + 1), status: 'mined' }],
  ['pending', { createdAt: hoursAgo(40 * 24), updatedAt: hoursAgo(40 * 24), status: 'pending' }],
] as const;
const common = (id: string) => ({
  id,
  nonce: 1,
  data: '0x',
  gas: 1n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  raw: '0x',
  hashes: [id],
  account: '0x01',
  payer: id,
});

test('settled transactions of payers and of wallets are kept for 30 days after their end', async () => {
  const { db } = database;
  const signed = {
    value: 0n,
    usageKey: '0x02',
    runId: 'run',
    cid: 'cid',
    forms: [],
    cancelRaw: '0x',
    cancelHash: '0x',
  };
  for (const [id, fields] of rows) {
    await db.insert(transactions).values({ ...common(id), ...fields });
    await db.insert(walletTransactions).values({ ...common(id), ...fields, ...signed, chainId: 1 });
  }
  await sweep(db, 30);
  for (const table of [transactions, walletTransactions]) {
    const left = await db.select({ id: table.id }).from(table).orderBy(asc(table.id));
    expect(left.map(({ id }) => id)).toEqual(['ended late', 'pending']);
  }
});

test('the idempotency of a write is kept for a day after its end', async () => {
  const { db } = database;
  await db.delete(transactions);
  for (const [id, hours] of [
    ['late', 23],
    ['old', 27],
  ] as const)
    await db.insert(transactions).values({
      ...common(id),
      idempotencyId: id,
      status: 'mined',
      createdAt: hoursAgo(48),
      updatedAt: hoursAgo(hours),
    });
  await sweep(db, 30);
  const left = await db.select().from(transactions).orderBy(asc(transactions.id));
  expect(left.map(({ idempotencyId }) => idempotencyId)).toEqual(['late', null]);
});

test('a delivery that was replayed is kept for 30 days after its last attempt', async () => {
  const { db } = database;
  const { id: endpointId } = await addTestEndpoint(db, '0x01');
  const [replayed] = [await addDelivery(db, endpointId), await addDelivery(db, endpointId)];
  await sendDue(db);
  const age = (days: number) =>
    db.update(webhookDeliveries).set({
      createdAt: sql`created_at - make_interval(days => ${days}::int)`,
      queuedAt: sql`queued_at - make_interval(days => ${days}::int)`,
    });
  const left = async () => {
    await sweep(db, 30);
    return (await db.select({ id: webhookDeliveries.id }).from(webhookDeliveries)).map(({ id }) => id);
  };
  await age(RETENTION_DAYS - 1);
  expect(await replayDeliveries(db, webhookTables, endpointId, { id: replayed })).toBe(1);
  await age(3);
  expect(await left()).toEqual([replayed]);
  await age(RETENTION_DAYS);
  expect(await left()).toEqual([]);
});
