/**
 * Forked process: answers a number of ledger entries with measurements on a database with as many, beside one with a thousand. A third of
 * them, and of the records of runs, is of the account that is measured.
 */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer } from '@latchkey/testing/forked';
import { type Comparison, compare } from '@latchkey/testing/measure';
import { cpuMs } from '@latchkey/testing/process-tree';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { changeCaps, readCaps } from '../src/billing/caps.ts';
import { availableMicros, endReserves, listEntries, reserve } from '../src/billing/ledger.ts';
import { endRun, openRun } from '../src/billing/run-rows.ts';
import type { Database } from '../src/db/database.ts';
import { listRuns, type RunFilter } from '../src/db/run-records.ts';
import * as schema from '../src/db/schema.ts';
import { hashText } from '../src/db/text.ts';
import { openTestDatabase } from '../test/database.ts';
import { cidOf, FAILED, fillLedger, fillRuns, keyOf } from '../test/filled.ts';

const LITTLE = 1_000;
const account = 0x1000n;
/** Each of the other accounts has as many runs: 200,000 accounts have 20 million entries. */
const RUNS_OF_OTHER = 50;
/** Accounts per statement. */
const AT_ONCE = 400;

/** A session for statements that take minutes. */
async function openSession(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

/** Builds the indexes of the runs after `work`: rows of many accounts would change a page of each index each. */
async function withoutIndexes(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ remove: string; make: string }>(`
    select coalesce('alter table runs drop constraint ' || c.conname, 'drop index ' || i.indexrelid::regclass) as remove,
      coalesce('alter table runs add constraint ' || c.conname || ' ' || pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)) as make
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = i.indrelid
    where i.indrelid = 'runs'::regclass`);
  for (const { remove } of rows) await client.query(remove);
  await work();
  for (const [index, { make }] of rows.entries()) {
    await client.query(make);
    console.log(`built ${index + 1} of ${rows.length} indexes`);
  }
}

/** Records of runs are kept for a shorter time than the ledger. */
const recordsOf = (runs: number) => ({ count: Math.ceil(runs / 1.5), failedEvery: Math.ceil(runs / 4.5) });

async function fill(url: string, entries: number): Promise<void> {
  await using session = await openSession(url);
  const { client } = session;
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`);
  const db: Database = drizzle(client, { schema });
  const runs = Math.ceil(entries / 6);
  const others = Array.from({ length: Math.ceil(entries / 3 / RUNS_OF_OTHER) }, (_, i) =>
    hashText(0x2000n + BigInt(i) * 0x100n),
  );
  const own = { accounts: [hashText(account)], count: runs };
  await withoutIndexes(client, async () => {
    await fillLedger(db, own);
    console.log(`filled ${2 * runs} entries of one account`);
    await fillRuns(db, { ...own, ...recordsOf(runs) });
    console.log('filled its runs');
    for (let from = 0; from < others.length; from += AT_ONCE) {
      const accounts = others.slice(from, from + AT_ONCE);
      await fillLedger(db, { accounts, count: RUNS_OF_OTHER });
      await fillRuns(db, { accounts, ...recordsOf(RUNS_OF_OTHER) });
      if (from % (10 * AT_ONCE) === 0) console.log(`filled ${from} of ${others.length} accounts`);
    }
  });
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

/** Bytes of the ledger on the disk per run, with its indexes, and the process of the server. */
async function readServer(url: string): Promise<{ bytes: number; server: number }> {
  await using session = await openSession(url);
  const { rows } = await session.client.query<{ bytes: number; directory: string }>(`
    select pg_total_relation_size('ledger_ends')::float8 / count(*) as bytes, current_setting('data_directory') as directory
    from ledger_ends`);
  const { bytes, directory } = rows[0] as (typeof rows)[0];
  return { bytes, server: Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]) };
}

const key = BigInt(keyOf(hashText(account), 0));
const report = { durationMs: 5, errorName: null, usage: {} as never, receipt: undefined };

async function pay(db: Database): Promise<void> {
  const id = randomUUID();
  await openRun(db, { id, account, key, cid: cidOf(0), idempotencyId: undefined });
  await endRun(db, id, { seconds: 1, outcome: null, output: null, report });
}

const write = { account, key, amountMicros: 10_000n, reason: 'write' };

async function payWrite(db: Database): Promise<void> {
  const number = await db.transaction((tx) => reserve(tx, write));
  await db.transaction((tx) => endReserves(tx, 'capture', account, [number]));
}

const filters: Record<string, RunFilter> = {
  'no filter': {},
  'status=failed': { status: 'failed' },
  'status=success': { status: 'success' },
  'status=released': { status: 'released' },
  cid: { cid: cidOf(9) },
  'cid and status': { cid: cidOf(0), status: 'failed' },
  error_name: { errorName: FAILED },
  usage_key_hash: { key: keyOf(hashText(account), 9) },
  'key, cid and status': { key: keyOf(hashText(account), 0), cid: cidOf(0), status: 'success' },
};

/** The measured operations. Pages are small: the two databases return as many rows. */
const operations: Record<string, (db: Database) => Promise<unknown>> = {
  'run: reserve and capture, with caps': pay,
  'write: reserve and capture, with caps': payWrite,
  'spend caps': (db) => readCaps(db, [hashText(key)]),
  balance: (db) => availableMicros(db, account),
  'ledger, first page': (db) => listEntries(db, account, { offset: 0, limit: 20 }),
  'ledger, page 10': (db) => listEntries(db, account, { offset: 200, limit: 20 }),
  ...Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [
      `list_runs, ${name}`,
      (db: Database) => listRuns(db, { account: hashText(account), key: undefined }, filter, 20),
    ]),
  ),
};

const caps = {
  spendCapCents: 1_000_000,
  spendWindowSec: 3_600,
  maxRunsPerMinute: 1_000_000,
  maxConcurrency: 100,
  maxRunSec: null,
};

async function benchScale({ entries, count }: { entries: number; count: number }) {
  const [much, little] = [await openTestDatabase(), await openTestDatabase()];
  try {
    for (const [{ db, url }, size] of [
      [little, LITTLE],
      [much, entries],
    ] as const) {
      await fill(url, size);
      await changeCaps(db, { key: hashText(key), caps }, { blockNumber: 1n, transactionIndex: 0 });
    }
    const { bytes, server } = await readServer(much.url);
    const cpu = async (work: () => Promise<unknown>) => {
      const before = cpuMs([server, process.pid]);
      // Many, because the times of processes are multiples of ten milliseconds.
      for (let i = 0; i < 20 * count; i++) await work();
      return cpuMs([server, process.pid]) - before;
    };
    const comparisons: Comparison[] = [];
    const cpuRatios: number[] = [];
    for (const [name, operation] of Object.entries(operations)) {
      const sides = {
        service: { run: () => operation(much.db) },
        baseline: { run: () => operation(little.db) },
      };
      comparisons.push(await compare(name, { count, concurrency: 1, ...sides }));
      cpuRatios.push((await cpu(sides.service.run)) / Math.max(1, await cpu(sides.baseline.run)));
    }
    return { comparisons, cpuRatios, bytesPerRun: bytes };
  } finally {
    await much.dispose();
    await little.dispose();
  }
}

answer(benchScale);
