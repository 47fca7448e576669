/**
 * Forked process: answers a number of run records, and as many entries of the ledger, with what clients of the version before wait while
 * three relayers start on their database, of which one migrates it.
 */
import { randomUUID } from 'node:crypto';
import { fill } from '@latchkey/testing/fill';
import { answer } from '@latchkey/testing/forked';
import { CLIENTS, type Client, type Filled, measureMigration } from '@latchkey/testing/measure-migration';
import type pg from 'pg';
import { move } from '../src/billing/ledger.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { hashText } from '../src/db/text.ts';
import { fillRuns } from '../test/filled.ts';
import { openVersionBefore } from '../test/version-before.ts';

const CENT = 10_000;
const filled = Array.from({ length: 8 }, (_, i) => hashText(0x1000n + BigInt(i)));
const payers = Array.from({ length: CLIENTS }, (_, i) => 0x9000n + BigInt(i));

/** Without the functions of the database, which would take a statement per row. */
async function fillTables(db: Database, client: pg.Client, rows: number): Promise<void> {
  await fillRuns(db, { accounts: filled, count: Math.ceil(rows / filled.length), failedEvery: 100 });
  await client.query('set session_replication_role = replica');
  await fill('reserves and their captures', Math.ceil(rows / 2), (first, last) =>
    client.query(
      `insert into ledger_entries (account, number, kind, amount_micros, reserve, key_hash, reason, available_after)
       select ($1::text[])[(1 + n % $2)::int], x.number, x.kind, ${CENT}, x.reserve, 'key', 'run ' || gen_random_uuid(), 0
       from generate_series($3::bigint, $4) n, lateral (values ('reserve', 2 * n, null), ('capture', 2 * n + 1, 2 * n)) x (kind, number, reserve)`,
      [filled, filled.length, first, last],
    ),
  );
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze');
}

/** Counts and sums of what was filled. */
async function sum(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query(
    `select (select (count(*), sum(charged_micros), sum(hashtextextended(id || account || key || cid, 0)))::text from runs where account = any($1)),
       (select (count(*), sum(amount_micros), sum(number), sum(reserve))::text from ledger_entries where account = any($1)) as ledger`,
    [filled],
  );
  return rows;
}

/** Acknowledged statements. A run and a write reserve a cent. */
type Done = { begun: number; ended: number; stored: number };

/** The statements of a run, a write and a list in the version before. */
function createClient(pool: pg.Pool, index: number, done: Done): Client {
  const [owner, listed] = [hashText(payers[index] as bigint), filled[index]];
  let [run, write, nonce] = ['', '', 0];
  return {
    'begin a run': async () => {
      run = randomUUID();
      await pool.query(`select begin_run($1, $2, $2, 'cid', null, ${CENT}, interval '1 hour')`, [run, owner]);
      done.begun++;
    },
    'end a run': async () => {
      const { rows } = await pool.query(
        'select charged from finish_run($1, 1, 5, null, null, null, null, null)',
        [run],
      );
      if (rows[0]?.charged) done.ended++;
    },
    'store a write': async () => {
      write = randomUUID();
      await pool.query(
        `insert into transactions (id, payer, nonce, data, gas, max_fee_per_gas, max_priority_fee_per_gas, raw, hashes, account, reserve)
         select $1, $2, $3, '0x', 1, 1, 1, '0x', '{}', $2, reserve_credit($2, $2, ${CENT}, 'add_group')`,
        [write, owner, nonce++],
      );
      done.stored++;
    },
    'settle a write': () => pool.query(`select settle_transaction($1, 'mined', '0x', 1, '0x', 0)`, [write]),
    'list runs': () =>
      pool.query(
        'select id, cid, error_name from runs where account = $1 order by started_at desc, id desc limit 20',
        [listed],
      ),
    'claim an idempotency key': () =>
      pool.query(
        `insert into idempotency (id, request_hash, holder, lease_until) values ($1, '', '', now())`,
        [randomUUID()],
      ),
  };
}

/** Resolves to how many acknowledged runs and writes have no record, or are not paid. */
async function countLost(client: pg.Client, { begun, ended, stored }: Done): Promise<number> {
  const { rows } = await client.query(
    `select (select array[count(*), count(charged_micros)]::int[] from runs where account = any($1)) as runs,
       (select count(*)::int from transactions where account = any($1)) as writes,
       (select (sum(captured + reserved) / ${CENT})::int from credit_balances where account = any($1)) as paid`,
    [payers.map(hashText)],
  );
  const { runs, writes, paid } = rows[0];
  const differences = [runs[0] - begun, runs[1] - ended, writes - stored, paid - begun - stored];
  return differences.reduce((total, difference) => total + Math.abs(difference), 0);
}

/** Fills a database of the version before. */
async function fillAll(rows: number, url: string, client: pg.Client, pool: pg.Pool): Promise<Filled> {
  const { db, close } = await openVersionBefore({ url, poolSize: 1 });
  await fillTables(db, client, rows);
  for (const payer of payers)
    await move(db, payer, 'credit', 10n ** 12n, { externalId: hashText(payer), reason: 'bench' });
  await close();
  const done = { begun: 0, ended: 0, stored: 0 };
  return {
    clients: payers.map((_, index) => createClient(pool, index, done)),
    sum: () => sum(client),
    countLost: () => countLost(client, done),
  };
}

answer((rows: number) =>
  measureMigration(
    (...database) => fillAll(rows, ...database),
    async (url) => await (await openDatabase({ url, poolSize: 1 })).close(),
  ),
);
