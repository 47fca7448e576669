import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { watchPlans } from '@latchkey/testing/plans';
import { sql } from 'drizzle-orm';
import { verifyMessage } from 'viem';
import { expect, test } from 'vitest';
import {
  busy,
  deployment,
  end,
  firstMonth,
  type OldLedger,
  old,
  openOldLedger,
  payment,
  quiet,
  setAside,
  signer,
  tamper,
} from '../../../test/old-ledger.ts';
import type { Database } from '../../db/database.ts';
import * as schema from '../../db/schema.ts';
import { hashText } from '../../db/text.ts';
import { ledger as ledgerRoute } from '../../routes/billing/ledger.ts';
import { listEntries, move, reserve } from '../ledger.ts';
import { archive } from './archive.ts';
import { closableMonths, endOf, monthOf } from './months.ts';
import { closingText } from './signed-texts.ts';
import { exclusively, listArchives, listClosings, seal } from './store.ts';

const months = closableMonths(monthOf(firstMonth()), new Date());
const [first = ''] = months;
const last = months.at(-1) ?? '';
const all = { offset: 0, limit: 1_000 };
const whole = async (db: Database, account: bigint) => (await listEntries(db, account, all)).entries;
const closingsOf = (db: Database, account: bigint) =>
  listClosings(db, hashText(account - 1n), hashText(account));
const countEnds = async ({ db }: OldLedger) =>
  (
    (await db.execute(sql`select count(*)::int as count from ledger_ends`)) as unknown as {
      rows: { count: number }[];
    }
  ).rows[0]?.count ?? 0;

test('each old month has a file with its entries, and a signed closing balance of each account with an entry', async () => {
  await using ledger = await openOldLedger();
  const { db, directory } = ledger;
  const before = await whole(db, busy);
  const { archived } = await ledger.archive();
  expect(archived.map(({ month }) => month)).toEqual(months);
  expect(readdirSync(directory).sort()).toEqual(months.map((month) => `ledger-${month}.csv.gz`));
  const lines = months.flatMap((month) =>
    gunzipSync(readFileSync(join(directory, `ledger-${month}.csv.gz`)))
      .toString()
      .split(/\n(?=0x)/)
      .slice(1),
  );
  const numbers = lines
    .filter((line) => line.startsWith(hashText(busy)))
    .map((line) => Number(line.split(',')[1]));
  const isOld = ({ createdAt }: { createdAt: Date }) => createdAt < new Date(endOf(last));
  expect(numbers).toEqual(
    before
      .filter(isOld)
      .map(({ number }) => Number(number))
      .reverse(),
  );

  const closings = await closingsOf(db, busy);
  expect(closings.map(({ month }) => month)).toEqual(months);
  for (const { account, month, totals, signature } of closings) {
    const lastEntry = before.find(({ number }) => number === totals.entries);
    expect(totals.available).toBe(lastEntry?.availableAfter);
    const message = closingText(deployment, account, month, totals);
    expect(await verifyMessage({ address: signer.address, message, signature })).toBe(true);
  }
  expect((await closingsOf(db, quiet)).map(({ month }) => month)).toEqual([first]);
  expect(await ledger.verify()).toEqual([]);
  expect(await ledger.archive()).toEqual({ archived: [], removed: 0 });
});

test('removal deletes the ended reserves of archived months; payments stay, and count once', async () => {
  await using ledger = await openOldLedger();
  const { db } = ledger;
  const [before, count] = [await listEntries(db, busy, all), await countEnds(ledger)];
  expect(before.archived).toBe(0n);
  await ledger.archive();
  expect(await countEnds(ledger)).toBe(count);
  const { removed } = await ledger.archive({ isRemoving: true });
  expect(removed).toBeGreaterThan(10);
  expect(await countEnds(ledger)).toBe(count - removed);
  expect(await ledger.verify()).toEqual([]);

  const after = await listEntries(db, busy, all);
  const archived = (await closingsOf(db, busy)).at(-1)?.totals.entries ?? 0n;
  expect(after).toMatchObject({ total: before.total, archived });
  const isKept = ({ number }: { number: bigint }) => number > archived || number === 1n;
  const kept = after.entries.map(({ number }) => number);
  expect(after.entries.filter(isKept)).toEqual(before.entries.filter(isKept));
  expect(kept.filter((number) => number <= archived)).toContain(1n);
  expect(kept.length).toBeLessThan(before.entries.length);

  const headers = new Map<string, unknown>();
  await ledgerRoute.handle({ db }, {
    query: { page_number: 0, page_size: 1 },
    caller: { account: busy },
    setHeader: (name: string, value: unknown) => headers.set(name, value),
  } as never);
  expect(headers.get('X-Archived-Entries')).toBe(archived);

  expect(await move(db, busy, 'credit', 1_000n, payment(busy))).toBe(false);
  for (const { number, kind } of before.entries)
    if (kind === 'reserve' && number !== ledger.open) expect(await end(db, 'release', busy, number)).toBe(0);
  expect(await ledger.verify()).toEqual([]);
});

test('a reserve of a closed month that ends later, many times concurrently, ends once and in the current month', async () => {
  await using ledger = await openOldLedger();
  const { db, open } = ledger;
  await ledger.archive({ isRemoving: true });
  const ends = await Promise.all(
    (['capture', 'release', 'capture', 'release'] as const).map((kind) => end(db, kind, busy, open)),
  );
  expect(ends.sort()).toEqual([0, 0, 0, 1]);
  const [latest] = await whole(db, busy);
  expect(latest).toMatchObject({ reserve: open });
  expect(monthOf(latest?.createdAt ?? '')).toBe(monthOf(new Date()));
  expect(await ledger.verify()).toEqual([]);
});

test.each([
  [
    'ledger_ends',
    "select number + 1000, 1, 0, $, 0, $, account, 1, null, true, '', 'late' from ledger_ends limit 1",
  ],
  ['ledger_reserves', "select account, 1000, 1, 0, $, '', 'late' from credit_balances limit 1"],
])(
  'the database refuses an entry of a closed month in %s, whatever the clock says',
  async (table, select) => {
    await using ledger = await openOldLedger();
    await ledger.archive();
    const insert = (time: string) =>
      tamper(ledger.db, `insert into ${table} ${select.replaceAll('$', `timestamptz '${time}'`)}`);
    await expect(insert(endOf(last).replace('01T00:00:00.000000Z', '01T00:00:00Z'))).resolves.toBeUndefined();
    const late = new Date(new Date(endOf(last)).getTime() - 1).toISOString();
    const thrown = (await insert(late).catch((error: unknown) => error)) as Error & { cause?: Error };
    expect(String(thrown.cause)).toMatch(/sealed/);
  },
);

test.each([
  'update ledger_closings set available = available + 1',
  'delete from ledger_closings',
  'truncate ledger_closings',
  'insert into ledger_closings select account, month, 99, 1, 1, 0, 0, signature from ledger_closings',
  'update ledger_archives set entries = entries + 1',
  'delete from ledger_archives',
  'truncate ledger_archives',
  'delete from ledger_ends',
])('the database refuses: %s', async (statement) => {
  await using ledger = await openOldLedger();
  await ledger.archive();
  const thrown = (await ledger.db.execute(sql.raw(statement)).then(
    () => undefined,
    (error: unknown) => error,
  )) as (Error & { cause?: Error }) | undefined;
  expect(String(thrown?.cause)).toMatch(/append-only|archived/);
});

test('runs go on while months are archived and removed', async () => {
  await using ledger = await openOldLedger();
  const { db } = ledger;
  const stopping = new AbortController();
  const work = (async () => {
    let done = 0;
    for (; !stopping.signal.aborted; done++) await end(db, 'capture', old, await setAside(db, old, 1n));
    return done;
  })();
  await ledger.archive({ isRemoving: true });
  expect(await ledger.verify()).toEqual([]);
  stopping.abort();
  expect(await work).toBeGreaterThan(1);
  expect(await ledger.verify()).toEqual([]);
});

test('the seal waits for a transaction that adds an entry; runs wait for at most a second behind it', async () => {
  await using ledger = await openOldLedger();
  const { db } = ledger;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const adding = db.transaction(async (tx) => {
    await reserve(tx, { account: old, key: old, amountMicros: 1n, reason: 'test' });
    begin();
    await stopped;
  });
  await began;
  const sealing = seal(db, endOf(first)).then(() => 'sealed');
  let longestMs = 0;
  for (let i = 0; i < 20; i++) {
    const startedAt = performance.now();
    await end(db, 'capture', busy, await setAside(db, busy, 1n));
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(longestMs).toBeLessThan(2_000);
  expect(await Promise.race([sealing, 'waiting'])).toBe('waiting');
  stop();
  await adding;
  expect(await sealing).toBe('sealed');
});

test('a second process is refused', async () => {
  await using ledger = await openOldLedger();
  const { db } = ledger;
  await exclusively(db, async () => {
    await expect(exclusively(db, async () => {})).rejects.toThrow(/another process archives or verifies/);
  });
  await exclusively(db, async () => {});
});

test('refuses a file of the same name with other content', async () => {
  await using ledger = await openOldLedger();
  const path = join(ledger.directory, `ledger-${first}.csv.gz`);
  for (const content of [gzipSync('other'), Buffer.from('damaged')]) {
    writeFileSync(path, content);
    await expect(ledger.archive()).rejects.toThrow(/exists with other content/);
  }
  expect(await listArchives(ledger.db)).toEqual([]);
});

test('a month is archived without a look at the closing balances of others, however many', async () => {
  await using ledger = await openOldLedger();
  const { db, url, directory } = ledger;
  await tamper(
    db,
    `insert into ledger_closings select decode(md5(n::text) || md5(n::text), 'hex'), '2000-01-01', 1, 0, 0, 0, 0, ''
       from generate_series(1, 20000) n`,
  );
  await db.execute(sql`analyze ledger_closings`);
  await using watched = watchPlans(url, schema);
  const plans = await watched.plansOf(() => archive(watched.db, { directory, deployment, signer }));
  expect((await listArchives(db)).map(({ month }) => month)).toEqual(months);
  expect(plans.filter(({ scanned }) => scanned.includes('ledger_closings'))).toEqual([]);
});

test('removes nothing without the file that was archived', async () => {
  await using ledger = await openOldLedger();
  await ledger.archive();
  const count = await countEnds(ledger);
  writeFileSync(join(ledger.directory, `ledger-${first}.csv.gz`), gzipSync('other'));
  await expect(ledger.archive({ isRemoving: true })).rejects.toThrow(/is not the file that was archived/);
  expect(await countEnds(ledger)).toBe(count);
});

test('a process that is killed after any of its steps, or while it writes, is continued by the next one', async () => {
  await using reference = await openOldLedger();
  const steps: string[] = [];
  await reference.archive({ isRemoving: true, onStep: (month, step) => void steps.push(`${month} ${step}`) });
  await using ledger = await openOldLedger();
  const program = fileURLToPath(new URL('../../../test/archive-process.ts', import.meta.url));
  for (let step = 0; step < steps.length; step++) {
    const { url, directory } = ledger;
    const child = spawn(process.execPath, [program, url, directory, String(step)], { stdio: 'inherit' });
    const [, signal] = await once(child, 'exit');
    // A process that continues has fewer steps.
    if (signal !== 'SIGKILL') break;
    for (const difference of await ledger.verify()) expect(difference).toMatch(/run `archive` again$/);
    writeFileSync(join(directory, `ledger-${last}.csv.gz.new`), 'half');
  }
  await ledger.archive({ isRemoving: true });
  expect(await ledger.verify()).toEqual([]);
  expect(await countEnds(ledger)).toBe(await countEnds(reference));
  const facts = async ({ db }: OldLedger) =>
    (await listArchives(db)).map(({ entries, accounts }) => [entries, accounts]);
  expect(await facts(ledger)).toEqual(await facts(reference));
});
