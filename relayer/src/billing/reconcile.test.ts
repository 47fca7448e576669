import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { ledgerEntries } from '../db/schema.ts';
import type { CardProcessor } from './card-processor.ts';
import { availableMicros, listEntries, move } from './ledger.ts';
import type { Movement, Payment } from './payments.ts';
import { reconcile } from './reconcile.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());

/** An account and a payment of it, of which each test has its own. */
let account = 0n;
let paid: Movement;
let refunded: Movement;
/** Times before and after which no test of this file has entries. */
let since: Date;
beforeEach(async () => {
  account++;
  paid = { kind: 'credit', amountMicros: 500n, externalId: `stripe pi_${account}`, reason: 'payment' };
  refunded = { kind: 'reverse', amountMicros: 200n, externalId: `stripe re_${account}`, reason: 'refund' };
  const [{ now } = { now: new Date() }] = await database.db
    .insert(ledgerEntries)
    .values({
      account: `0x${'f'.repeat(64)}`,
      kind: 'credit',
      amountMicros: 1n,
      externalId: `gift ${account}`,
      reason: 'not of the card processor',
      number: 0n,
      availableAfter: 0n,
    })
    .returning({ now: ledgerEntries.createdAt });
  since = now;
});

/** A card processor that tells `recent` as changed, and finds `older` by their ids. */
function processorWith({ recent = [] as Payment[], older = [] as Payment[] }) {
  const asked: string[] = [];
  const processor: Pick<CardProcessor, 'paymentsSince' | 'payment' | 'findIntent'> = {
    async *paymentsSince() {
      yield* recent;
    },
    async payment(intent) {
      return older.find((payment) => payment.intent === intent);
    },
    async findIntent(id) {
      asked.push(id);
      return older.find(({ movements }) => movements.some(({ externalId }) => externalId === `stripe ${id}`))
        ?.intent;
    },
  };
  return { processor, asked };
}
const paymentOf = (movements: Movement[]): Payment => ({
  intent: `pi_${account}`,
  account,
  status: 'succeeded',
  movements,
});
const compare = (payments: Parameters<typeof processorWith>[0], fix = true) =>
  reconcile(database.db, processorWith(payments).processor, { since, fix });
const enter = ({ kind, amountMicros, ...cause }: Movement, of = account) =>
  move(database.db, of, kind, amountMicros, cause);
const entries = async () =>
  (await listEntries(database.db, account, { offset: 0, limit: 10 })).entries
    .map(({ kind, amountMicros }) => [kind, amountMicros])
    .reverse();

test('adds what is missing, once, and reports it', async () => {
  const recent = [paymentOf([paid, refunded])];
  await enter(paid);
  expect(await compare({ recent })).toEqual({
    payments: 1,
    differences: [{ kind: 'missing', externalId: refunded.externalId, account, fixed: true }],
  });
  expect(await entries()).toEqual([
    ['credit', 500n],
    ['reverse', 200n],
  ]);
  expect(await compare({ recent })).toEqual({ payments: 1, differences: [] });
  expect(await availableMicros(database.db, account)).toBe(300n);
});

test('changes nothing when it is only to compare', async () => {
  expect(await compare({ recent: [paymentOf([paid])] }, false)).toEqual({
    payments: 1,
    differences: [{ kind: 'missing', externalId: paid.externalId, account, fixed: false }],
  });
  expect(await entries()).toEqual([]);
});

test.each<[string, (movement: Movement) => Promise<unknown>]>([
  ['another amount', (movement) => enter({ ...movement, amountMicros: 501n })],
  ['another kind', (movement) => enter({ ...movement, kind: 'reverse' })],
  ['another account', (movement) => enter(movement, account + 1_000_000n)],
])('reports an entry with %s, and leaves it', async (_what, enterOther) => {
  await enterOther(paid);
  const before = await entries();
  expect((await compare({ recent: [paymentOf([paid])] })).differences).toEqual([
    { kind: 'different', externalId: paid.externalId, account, fixed: false },
  ]);
  expect(await entries()).toEqual(before);
});

test('reports an entry that the card processor does not know, and no entry of another origin', async () => {
  await enter(paid);
  expect(await compare({})).toEqual({
    payments: 0,
    differences: [{ kind: 'unknown', externalId: paid.externalId, account, fixed: false }],
  });
  expect(await entries()).toEqual([['credit', 500n]]);
});

test('looks up the payment of an entry that did not change lately, and adds what it lacks', async () => {
  await enter(refunded);
  expect(await compare({ older: [paymentOf([paid, refunded])] })).toEqual({
    payments: 1,
    differences: [{ kind: 'missing', externalId: paid.externalId, account, fixed: true }],
  });
  expect(await availableMicros(database.db, account)).toBe(300n);
});

test('does not look up entries of payments that were compared', async () => {
  await enter(paid);
  const { processor, asked } = processorWith({ recent: [paymentOf([paid])] });
  await reconcile(database.db, processor, { since, fix: true });
  expect(asked).toEqual([]);
});

test('ends between two payments when it is told to', async () => {
  const { processor } = processorWith({ recent: [paymentOf([paid])] });
  const signal = AbortSignal.abort(new Error('stopping'));
  await expect(reconcile(database.db, processor, { since, fix: true, signal })).rejects.toThrow('stopping');
  expect(await entries()).toEqual([]);
});
