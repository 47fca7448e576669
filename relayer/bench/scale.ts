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
import { sql } from 'drizzle-orm';
import { changeCaps } from '../src/billing/caps.ts';
import { availableMicros, listEntries } from '../src/billing/ledger.ts';
import { endRun, openRun } from '../src/billing/run-rows.ts';
import type { Database } from '../src/db/database.ts';
import { listRuns, type RunFilter } from '../src/db/run-records.ts';
import { hashText } from '../src/db/text.ts';
import { openTestDatabase } from '../test/database.ts';
import { cidOf, FAILED, fillLedger, fillRuns, keyOf } from '../test/filled.ts';

const LITTLE = 1_000;
const account = 0x1000n;
const OTHER_ACCOUNTS = 20;

async function fill(db: Database, entries: number): Promise<void> {
  const parts = [account, ...Array.from({ length: OTHER_ACCOUNTS }, (_, i) => 0x2000n + BigInt(i) * 0x1000n)];
  for (const [index, of] of parts.entries()) {
    const share = index === 0 ? 1 / 3 : 2 / 3 / OTHER_ACCOUNTS;
    const runs = Math.ceil((entries / 2) * share);
    await fillLedger(db, { account: hashText(of), count: runs });
    // Records of runs are kept for a shorter time.
    await fillRuns(db, {
      account: hashText(of),
      count: Math.ceil(runs / 1.5),
      failedEvery: Math.ceil(runs / 4.5),
    });
    if (index % 5 === 0) console.log(`filled ${index + 1} of ${parts.length} accounts of ${entries} entries`);
  }
  await db.execute(sql`vacuum analyze`);
}

const key = BigInt(keyOf(hashText(account), 0));
const report = { durationMs: 5, errorName: null, usage: {} as never, receipt: undefined };

async function pay(db: Database): Promise<void> {
  const id = randomUUID();
  await openRun(db, { id, account, key, cid: cidOf(0), idempotencyId: undefined });
  await endRun(db, id, { seconds: 1, outcome: null, output: null, report });
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

async function benchScale({ entries, count }: { entries: number; count: number }) {
  const [much, little] = [await openTestDatabase(), await openTestDatabase()];
  try {
    for (const [{ db }, size] of [
      [little, LITTLE],
      [much, entries],
    ] as const) {
      await fill(db, size);
      const caps = {
        spendCapCents: 1_000_000,
        spendWindowSec: 3_600,
        maxRunsPerMinute: 1_000_000,
        maxConcurrency: 100,
        maxRunSec: null,
      };
      await changeCaps(db, { key: hashText(key), caps }, { blockNumber: 1n, transactionIndex: 0 });
    }
    const { rows } = (await much.db.execute(sql`
      select pg_total_relation_size('ledger_ends')::float8 / count(*) as bytes, current_setting('data_directory') as directory
      from ledger_ends`)) as unknown as { rows: { bytes: number; directory: string }[] };
    const { bytes, directory } = rows[0] as (typeof rows)[0];
    const server = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const cpu = async (work: () => Promise<unknown>) => {
      const before = cpuMs([server, process.pid]);
      for (let i = 0; i < 4 * count; i++) await work();
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
