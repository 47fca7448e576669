/** The lists of runs on a filled database: none reads what it does not return. */
import { randomUUID } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expectNarrow, watchPlans } from '@latchkey/testing/plans';
import { sql } from 'drizzle-orm';
import { beforeAll, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { searchRuns } from '../routes/runs/search_runs.ts';
import { listRuns } from '../routes/triggers/list_runs.ts';
import { listTriggers } from '../routes/triggers/list_triggers.ts';
import * as schema from './schema.ts';

const COUNT = 20_000;
const [user, stranger] = [randomUUID(), randomUUID()];
const [busy, rare, foreign] = [randomUUID(), randomUUID(), randomUUID()];

const database = disposeAfterAll(await openTestDatabase());
const watched = disposeAfterAll(watchPlans(database.url, schema));
beforeAll(async () => {
  const { db } = database;
  for (const id of [user, stranger])
    await db.execute(sql`insert into triggers.users (id, account) values (${id}, ${id})`);
  for (const [id, owner] of [
    [busy, user],
    [rare, user],
    [foreign, stranger],
  ])
    await db.execute(sql`
      insert into triggers.triggers (id, user_id, name, kind, action_code, default_params, usage_api_key, max_runs_per_minute,
        max_queued_runs, max_concurrent_runs, config, enabled)
      values (${id}, ${owner}, 'filled', 'webhook', '', '{}', '', 1, 1, 1, '{}', false)`);
  // Two accounts: nearly all runs succeeded, and nearly all failed. One run of the first was of the rare trigger, and one failed.
  await db.execute(sql`
    insert into triggers.runs (trigger_id, user_id, number, status, input, created_at)
    select (case when n = 10 then ${rare} else ${busy} end)::uuid, ${user}::uuid, n, case when n = 20 then 'failed' else 'success' end,
      '{}', now() - make_interval(secs => n) from generate_series(1, ${COUNT}::int) n`);
  await db.execute(sql`
    insert into triggers.runs (trigger_id, user_id, number, status, input, created_at)
    select ${foreign}::uuid, ${stranger}::uuid, n, case when n = 20 then 'success' else 'failed' end,
      '{}', now() - make_interval(secs => n) from generate_series(1, ${COUNT}::int) n`);
  await db.execute(sql`analyze`);
}, 120_000);

/** Calls the handler of a route as the pipeline does. */
const ask = (route: { handle: unknown }, request: object) =>
  (route.handle as (context: object, request: object) => Promise<unknown>)({ db: watched.db }, request);
const narrow = async (route: { handle: unknown }, request: object) =>
  expectNarrow(await watched.plansOf(() => ask(route, request)), ['runs']);

const page = { limit: 10, offset: 0 };
const ago = (seconds: number) => new Date(Date.now() - 1_000 * seconds);

test.each([
  ['succeed', user, [undefined, busy, rare]],
  ['fail', stranger, [undefined, foreign]],
])(
  'the searches of an account whose runs %s',
  async (_what, id, triggers) => {
    for (const trigger_id of triggers)
      for (const status of [undefined, 'queued', 'running', 'success', 'failed', 'skipped'])
        for (const time of [{}, { from: ago(10_100), to: ago(10_000) }])
          for (const delivery_id of [undefined, 'none'])
            await narrow(searchRuns, {
              query: { ...page, trigger_id, status, delivery_id, ...time },
              caller: { id },
            });
  },
  60_000,
);

test('the runs of a trigger', async () => {
  for (const status of [undefined, 'queued', 'success', 'failed'])
    await narrow(listRuns, { params: { id: busy }, query: { ...page, status }, caller: { id: user } });
});

test('the triggers of an account', () =>
  narrow(listTriggers, { query: { limit: 10, offset: 10 }, caller: { id: user } }));
