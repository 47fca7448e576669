/** The statements of the routes on a filled database: none reads what it does not return. */
import { randomUUID } from 'node:crypto';
import type { RunUsage } from '@latchkey/runner-protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expectNarrow, watchPlans } from '@latchkey/testing/plans';
import { claimDeliveries } from '@latchkey/webhooks/deliveries';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { cidOf, FAILED, fillLedger, fillRuns, keyOf } from '../../test/filled.ts';
import { changeCaps } from '../billing/caps.ts';
import { endRun, openRun, reserveSecond } from '../billing/run-rows.ts';
import { balance } from '../routes/billing/balance.ts';
import { ledger } from '../routes/billing/ledger.ts';
import { listRuns } from '../routes/runs/list_runs.ts';
import type { Database } from './database.ts';
import { sweep } from './retention.ts';
import * as schema from './schema.ts';
import { hashText } from './text.ts';

const COUNT = 20_000;
/** Nearly all runs of the first succeeded, nearly all runs of the second failed, and nearly all of the third need an approval. */
const [succeeding, failing, waiting] = [0x1000n, 0x2000n, 0x5000n];

const database = disposeAfterAll(await openTestDatabase());
const watched = disposeAfterAll(watchPlans(database.url, schema));
const db = watched.db;
beforeAll(async () => {
  await fillRuns(database.db, { accounts: [hashText(succeeding)], count: COUNT, failedEvery: COUNT / 4 });
  await fillRuns(database.db, { accounts: [failing, waiting].map(hashText), count: COUNT, failedEvery: 1 });
  await fillLedger(database.db, { accounts: [succeeding, failing].map(hashText), count: COUNT });
  for (const account of [succeeding, failing])
    await database.db.execute(sql`update runs set error_name = null where id in
      (select id from runs where account = ${hashText(account)} and error_name is not null order by started_at limit 1)`);
  await database.db.execute(sql`update runs set error_name = 'ApprovalRequiredError' where account = ${hashText(waiting)} and id <>
    (select id from runs where account = ${hashText(waiting)} order by started_at limit 1)`);
}, 120_000);

const BIG = ['runs', 'ledger_ends'];
const plansOf = async (work: () => Promise<unknown>) => {
  const plans = await watched.plansOf(work);
  expect(plans.length).toBeGreaterThan(0);
  return plans;
};
/** Calls the handler of a route as the pipeline does. */
const ask = (route: { handle: unknown }, caller: object, query: object) =>
  (route.handle as (context: object, request: object) => Promise<unknown>)(
    { db },
    { caller, query, setHeader: () => {} },
  );

/** Every filter of list_runs with every other. */
const NONE = undefined;
function* filters(account: bigint) {
  const keys = [NONE, 0, 9].map((n) => (n === undefined ? n : BigInt(keyOf(hashText(account), n))));
  const cids = [NONE, cidOf(0), cidOf(9)];
  const statuses = [NONE, 'running', 'success', 'failed', 'waiting_for_approval', 'released'];
  const ago = (seconds: number) => new Date(Date.now() - 1_000 * seconds);
  const times = [{}, { from: ago(COUNT / 2 + 100), to: ago(COUNT / 2) }];
  for (const usage_key_hash of keys)
    for (const cid of cids)
      for (const status of statuses)
        for (const error_name of status === NONE ? [NONE, FAILED, 'RareError'] : [NONE])
          for (const time of times) yield { page_size: 20, usage_key_hash, cid, status, error_name, ...time };
}

describe.each(['before', 'after'])('%s the statistics of the tables are known', (when) => {
  beforeAll(async () => {
    if (when === 'after') await database.db.execute(sql`analyze`);
  });

  test.each([
    ['an account whose runs succeed', succeeding],
    ['an account whose runs fail', failing],
    ['an account whose runs need an approval', waiting],
  ])(
    'list_runs with every filter, of %s',
    async (_what, account) => {
      for (const filter of filters(account)) {
        const { usage_key_hash: key, ...rest } = filter;
        const byAccount = { account, hash: account, isUsageKey: false };
        expectNarrow(await plansOf(() => ask(listRuns, byAccount, filter)), BIG);
        if (key === undefined) continue;
        expectNarrow(await plansOf(() => ask(listRuns, { account, hash: key, isUsageKey: true }, rest)), BIG);
      }
    },
    120_000,
  );

  test('list_runs from a run on, the run itself, the ledger from its start to its end, and the balance', async () => {
    const caller = { account: succeeding, hash: succeeding, isUsageKey: false };
    const [middle] = await find(database.db, succeeding);
    for (const filter of [{}, { status: 'success' }, { cid: cidOf(0) }])
      expectNarrow(
        await plansOf(() => ask(listRuns, caller, { page_size: 20, before: middle, ...filter })),
        BIG,
      );
    for (const page_number of [0, 1, COUNT / 10, COUNT])
      expectNarrow(await plansOf(() => ask(ledger, caller, { page_number, page_size: 10 })), BIG);
    expectNarrow(await plansOf(() => ask(balance, caller, {})), BIG);
  });

  test('a run with all caps, from its beginning to its end', async () => {
    const key = BigInt(keyOf(hashText(succeeding), 0));
    const caps = {
      spendCapCents: 1_000,
      spendWindowSec: 60,
      maxRunsPerMinute: 1_000,
      maxConcurrency: 100,
      maxRunSec: null,
    };
    await changeCaps(db, { key: hashText(key), caps }, { blockNumber: 1n, transactionIndex: 0 });
    const id = randomUUID();
    const run = { id, account: succeeding, key, cid: cidOf(0), idempotencyId: undefined };
    const report = {
      durationMs: 1_500,
      errorName: null,
      usage: { cpuMs: 1 } as RunUsage,
      receipt: undefined,
    };
    const plans = await plansOf(async () => {
      await openRun(db, run);
      await reserveSecond(db, id);
      await endRun(db, id, { seconds: 1, outcome: null, output: null, report });
    });
    expectNarrow(plans, BIG);
  });
});

/** Resolves to the id of a run in the middle of those of an account. */
async function find(db: Database, account: bigint): Promise<string[]> {
  const { rows } = (await db.execute(
    sql`select id from runs where account = ${hashText(account)} order by started_at offset ${COUNT / 2} limit 1`,
  )) as unknown as { rows: { id: string }[] };
  return rows.map(({ id }) => id);
}

test('the sweep changes at most 1,000 rows per statement, and reads no others', async () => {
  const accounts = [0x3000n, 0x4000n].map(hashText);
  const [old, recorded] = accounts;
  await fillRuns(database.db, { accounts, count: 2_500, failedEvery: 2 });
  await database.db.execute(sql`
    update runs set ended_at = now() - make_interval(days => case when account = ${old} then 40 else 8 end),
      outcome = case when account = ${recorded} then 'sealed' end where account in (${old}, ${recorded})`);
  await database.db.execute(sql`analyze runs`);
  const plans = await plansOf(() => sweep(db, 30));
  expectNarrow(plans, BIG);
  expect(Math.max(...plans.map(({ returned }) => returned))).toBe(1_000);
  const { rows } = (await database.db.execute(
    sql`select count(*)::integer as runs, count(outcome)::integer as outcomes from runs where account in (${old}, ${recorded})`,
  )) as unknown as { rows: object[] };
  expect(rows).toEqual([{ runs: 2_500, outcomes: 0 }]);
});

test('a claim of deliveries reads a few per endpoint, however many wait', async () => {
  await database.db.execute(sql`
    insert into webhook_endpoints (account, types, url, secret)
      select 'filled', '{run.finished}', 'https://a.invalid/', 'sealed' from generate_series(1, 64)`);
  await database.db.execute(sql`
    insert into webhook_deliveries (endpoint_id, message, due_at)
      select e.id, '{}', now() - make_interval(secs => n) from webhook_endpoints e, generate_series(1, 1000) n`);
  await database.db.execute(sql`analyze webhook_endpoints, webhook_deliveries`);
  const tables = { endpoints: schema.webhookEndpoints, deliveries: schema.webhookDeliveries };
  const claim = () => claimDeliveries(db, tables, { busy: [], limit: 512, shared: 256 });
  const [plan] = await plansOf(claim);
  expect(plan?.scanned).not.toContain('webhook_deliveries');
  expect(plan?.read).toBeLessThan(64 * 8 * 5);
  expect(await claim()).toHaveLength(256);
});

test('each of these filters finds its runs', async () => {
  const caller = { account: succeeding, hash: succeeding, isUsageKey: false };
  const count = async (filter: object) =>
    ((await ask(listRuns, caller, { page_size: 1_000, ...filter })) as []).length;
  expect(await count({ status: 'failed' })).toBe(3);
  expect(await count({ status: 'failed', cid: cidOf(0) })).toBe(2);
  expect(await count({ error_name: FAILED, cid: cidOf(9) })).toBe(1);
  expect(await count({ error_name: FAILED, cid: cidOf(1) })).toBe(0);
  expect(await count({ cid: cidOf(9) })).toBe(1);
  expect(await count({ usage_key_hash: BigInt(keyOf(hashText(succeeding), 9)) })).toBe(1);
  expect(await count({ status: 'success', cid: cidOf(1) })).toBe(1_000);
  expect(await count({ status: 'failed', error_name: FAILED })).toBe(3);
  expect(await count({ status: 'success', error_name: FAILED })).toBe(0);
  const ofWaiting = { ...caller, account: waiting, hash: waiting };
  const countWaiting = async (filter: object) =>
    ((await ask(listRuns, ofWaiting, { page_size: 1_000, ...filter })) as []).length;
  const error_name = 'ApprovalRequiredError';
  expect(await countWaiting({ status: 'failed' })).toBe(1);
  expect(await countWaiting({ status: 'failed', error_name })).toBe(0);
  expect(await countWaiting({ status: 'waiting_for_approval', error_name, cid: cidOf(0) })).toBe(1_000);
});
