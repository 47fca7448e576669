/**
 * Forked process: answers a number of runs with what clients of the version before wait while three trigger processes start on their
 * database, of which one migrates it. The version before has no ready list, no positions of chains and no sizes of waiting inputs.
 */
import { fill } from '@latchkey/testing/fill';
import { answer } from '@latchkey/testing/forked';
import { CLIENTS, type Client, type Filled, measureMigration } from '@latchkey/testing/measure-migration';
import type pg from 'pg';
import { openDatabase } from '../src/db/database.ts';
import { openVersionBefore } from '../test/version-before.ts';

/** Number of the first migration that the version before does not have. */
const FIRST_NEW = 6;
/** One of so many runs is queued, and one was fired by a log. */
const QUEUED_EVERY = 100;
const LOGS_EVERY = 3;

/** Adds users with a trigger each, and their runs. Resolves to the ids of the triggers, one per client. */
async function fillTables(client: pg.Client, rows: number): Promise<string[]> {
  const { rows: triggers } = await client.query<{ id: string }>(
    `with added as (insert into triggers.users (account) select 'user ' || n from generate_series(1, ${CLIENTS}) n returning id)
     insert into triggers.triggers (user_id, name, kind, action_code, default_params, usage_api_key, max_runs_per_minute, max_queued_runs,
       max_concurrent_runs, config)
     select id, 'a trigger', 'webhook', 'code', '{}', 'key', 1000000, 10000000, 64, '{}' from added returning id`,
  );
  const ids = triggers.map(({ id }) => id);
  await client.query('set session_replication_role = replica');
  await fill('runs', rows, (first, last) =>
    client.query(
      `insert into triggers.runs (trigger_id, user_id, number, status, input, cid, cost_micros, started_at, finished_at, created_at)
       select t.id, t.user_id, n, case when is_queued then 'queued' else 'success' end, json_build_object('n', n, 'text', repeat('x', 100)), 'filled', 10000,
         case when not is_queued then past end, case when not is_queued then past end, past
       from generate_series($1::int, $2) n join triggers.triggers t on t.id = ($3::uuid[])[1 + n % ${CLIENTS}],
         lateral (select n % ${QUEUED_EVERY} = 0 as is_queued, now() - make_interval(secs => 100 + $4 - n) as past) x`,
      [first, last, ids, rows],
    ),
  );
  await fill('fired logs', Math.ceil(rows / LOGS_EVERY), (first, last) =>
    client.query(
      `insert into triggers.fired_logs (trigger_id, block_number, block_hash, transaction_hash, log_index, run_id)
       select $3::uuid, n, md5(n::text), md5(n::text), 0, gen_random_uuid() from generate_series($1::int, $2) n`,
      [first, last, ids[0]],
    ),
  );
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze');
  return ids;
}

/** Counts and sums of what was filled, apart from the runs that waited. */
async function sum(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query(
    `select (select (count(*), sum(number), sum(cost_micros), sum(hashtextextended(id::text || input::text, 0)))::text from triggers.runs where cid = 'filled'),
       (select (count(*), sum(block_number))::text from triggers.fired_logs) as logs`,
  );
  return rows;
}

type Done = { accepted: number; ended: number };

/** The statements of a webhook, a claim and a list in the version before. `done` counts acknowledged ones. */
function createClient(pool: pg.Pool, trigger: string, done: Done): Client {
  let claimed: string[] = [];
  return {
    'accept a run': async () => {
      const { rows } = await pool.query(
        `select outcome from triggers.accept_runs(array[$1::uuid],
           array(select date_trunc('milliseconds', updated_at) from triggers.triggers where id = $1::uuid),
           '{"{}"}', array[null::text], array[null::text], array[null::timestamptz], array[null::uuid], '{1}', true)`,
        [trigger],
      );
      if (rows[0]?.outcome !== 'new') throw new Error(rows[0]?.outcome);
      done.accepted++;
    },
    'claim runs': async () => {
      const { rows } = await pool.query(`select run_id from triggers.claim_runs(2, 64, '', 256, 30)`);
      claimed = rows.map(({ run_id }) => run_id);
    },
    'end runs': async () => {
      const { rowCount } = await pool.query(
        `update triggers.runs set status = 'success', finished_at = now(), lease_until = null
         where id = any($1) and status = 'running'`,
        [claimed],
      );
      done.ended += rowCount ?? 0;
    },
    'list runs': () =>
      pool.query(
        `select id, status, created_at from triggers.runs
         where trigger_id = $1 order by created_at desc limit 20`,
        [trigger],
      ),
  };
}

/** Resolves to how many accepted runs have no record, or have not ended although their end was acknowledged. */
async function countLost(client: pg.Client, done: Done, queued: number): Promise<number> {
  const { rows } = await client.query(
    `select count(*) filter (where cid is null)::int as accepted,
       count(*) filter (where status in ('queued', 'running'))::int as open from triggers.runs`,
  );
  const { accepted, open } = rows[0];
  return Math.abs(accepted - done.accepted) + Math.abs(queued + done.accepted - done.ended - open);
}

/** Fills a database of the version before. */
async function fillAll(rows: number, url: string, client: pg.Client, pool: pg.Pool): Promise<Filled> {
  await (await openVersionBefore({ url, poolSize: 1 }, FIRST_NEW)).close();
  const done = { accepted: 0, ended: 0 };
  const triggers = await fillTables(client, rows);
  return {
    clients: triggers.map((id) => createClient(pool, id, done)),
    sum: () => sum(client),
    countLost: () => countLost(client, done, Math.floor(rows / QUEUED_EVERY)),
  };
}

answer((rows: number) =>
  measureMigration(
    (...database) => fillAll(rows, ...database),
    async (url) => await (await openDatabase({ url, poolSize: 1 })).close(),
  ),
);
