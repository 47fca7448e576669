import { setTimeout as delay } from 'node:timers/promises';
import { ActionError, noUsage, type RunResult } from '@latchkey/runner-protocol';
import { driverError } from '@latchkey/service/database-errors';
import { createLogger } from '@latchkey/service/logger';
import { setReadOnly } from '@latchkey/testing/postgres';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/database.ts';
import { startRecording, stopRecording } from '../db/output-recordings.ts';
import { runs as runsTable } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { changeCaps } from './caps.ts';
import { availableMicros, InsufficientCreditError, listEntries, move } from './ledger.ts';
import { MICROS_PER_CENT, RUN_SECOND_MICROS } from './money.ts';
import { RunUnpaidError } from './run-meter.ts';
import { endRun, openRun } from './run-rows.ts';
import { createRuns, type Runs } from './runs.ts';

/** A sealer whose output shows the context, so that a test can check it. */
const sealer = {
  seal: (data: Uint8Array | string, context: string) => `sealed ${context} ${data}`,
  open: () => new Uint8Array(),
  openText: (sealed: string, context: string) => sealed.replace(`sealed ${context} `, ''),
  isCurrent: () => true,
};
const log = createLogger({ name: 'test', level: 'silent' });
const done = (durationMs: number): RunResult => ({
  response: 'ok',
  logs: '',
  hasError: false,
  durationMs,
  usage: noUsage,
});

let database: OpenDatabase & { url: string };
let dispose: () => Promise<void>;
let runs: Runs;
let last = 0n;
beforeAll(async () => {
  ({ dispose, ...database } = await openTestDatabase());
  runs = createRuns(database.db, sealer, log);
});
afterAll(() => dispose());

/** Creates an account with credit for so many seconds of runs, and a run of it. */
async function accountWith(seconds: bigint, idempotencyId?: string) {
  const account = ++last;
  const cause = { externalId: `start ${account}`, reason: 'test' };
  await move(database.db, account, 'credit', seconds * RUN_SECOND_MICROS, cause);
  const run = (name: string) => ({
    id: `${account} ${name}`,
    cid: 'Qm',
    account,
    key: account,
    idempotencyId,
  });
  return { account, run };
}
const readSeconds = async (account: bigint) =>
  Number(await availableMicros(database.db, account)) / Number(RUN_SECOND_MICROS);
const listKinds = async (account: bigint) =>
  (await listEntries(database.db, account, { offset: 0, limit: 100 })).entries
    .map(({ kind }) => kind)
    .reverse();

test('charges all seconds of a run whose later seconds were not reserved in time', async () => {
  const { account, run } = await accountWith(20n);
  const paid = await runs.begin(run('a'));
  const { costMicros } = await paid.capture(done(12_500));
  expect(costMicros).toBe(13n * RUN_SECOND_MICROS);
  expect(await readSeconds(account)).toBe(7);
});

test('charges such a run no more than the account has', async () => {
  const { account, run } = await accountWith(3n);
  const paid = await runs.begin(run('a'));
  const { costMicros } = await paid.capture(done(12_500));
  expect(costMicros).toBe(3n * RUN_SECOND_MICROS);
  expect(await readSeconds(account)).toBe(0);
});

test('reserves and captures one second for a run of less than half a second', async () => {
  const { account, run } = await accountWith(5n);
  const paid = await runs.begin(run('a'));
  expect(await readSeconds(account)).toBe(4);
  paid.clock.start();
  await paid.capture(done(100));
  expect(await readSeconds(account)).toBe(4);
  expect(await listKinds(account)).toEqual(['credit', 'reserve', 'capture']);
});

test('a run that ended before its code began costs nothing', async () => {
  const { account, run } = await accountWith(5n);
  const paid = await runs.begin(run('a'));
  expect(await paid.capture(done(0), undefined, false)).toMatchObject({ costMicros: 0n });
  expect(await readSeconds(account)).toBe(5);
  expect(await listKinds(account)).toEqual(['credit', 'reserve', 'release']);
});

test('reserves each second before it begins and releases the unused ones', async () => {
  const { account, run } = await accountWith(10n);
  const paid = await runs.begin(run('a'));
  paid.clock.start();
  await delay(1_700);
  expect(await readSeconds(account)).toBe(7);
  await paid.capture(done(1_700));
  expect(await readSeconds(account)).toBe(8);
  expect((await listKinds(account)).filter((kind) => kind === 'capture')).toHaveLength(2);
  expect((await listKinds(account)).filter((kind) => kind === 'release')).toHaveLength(1);
});

test('starts no run without credit for one second', async () => {
  const { account, run } = await accountWith(1n);
  const paid = await runs.begin(run('a'));
  await expect(runs.begin(run('b'))).rejects.toBeInstanceOf(InsufficientCreditError);
  await paid.release();
  expect(await readSeconds(account)).toBe(1);
  expect(await database.db.$count(runsTable, eq(runsTable.account, hashText(account)))).toBe(1);
});

test('stops a run at the end of the last paid second, not before', async () => {
  const { account, run } = await accountWith(2n);
  const paid = await runs.begin(run('a'));
  const startedAt = performance.now();
  paid.clock.start();
  await new Promise((resolve) => paid.signal.addEventListener('abort', resolve));
  const durationMs = performance.now() - startedAt;
  expect(durationMs).toBeGreaterThanOrEqual(1_990);
  expect(durationMs).toBeLessThan(2_500);
  expect(paid.signal.reason).toBeInstanceOf(ActionError);
  expect(paid.signal.reason).toMatchObject({ name: 'CreditError' });
  await paid.capture(done(Math.ceil(durationMs)));
  expect(await readSeconds(account)).toBe(0);
  expect(await listKinds(account)).toEqual(['credit', 'reserve', 'reserve', 'capture', 'capture']);
});

test('stops a run at the spend cap of the key', async () => {
  const { account, run } = await accountWith(10n);
  const spendCapCents = Number(RUN_SECOND_MICROS / MICROS_PER_CENT);
  const caps = {
    spendCapCents,
    spendWindowSec: null,
    maxRunsPerMinute: null,
    maxConcurrency: null,
    maxRunSec: null,
  };
  const at = { blockNumber: 1n, transactionIndex: 0 };
  await changeCaps(database.db, { key: hashText(account), caps }, at);
  const paid = await runs.begin(run('a'));
  paid.clock.start();
  await new Promise((resolve) => paid.signal.addEventListener('abort', resolve));
  expect(paid.signal.reason).toMatchObject({ name: 'CreditError', message: /spend_cap_cents/ });
  await paid.capture(done(1_001));
  expect(await readSeconds(account)).toBe(9);
});

test('does not charge time in the queue', async () => {
  const { account, run } = await accountWith(5n);
  const paid = await runs.begin(run('a'));
  await delay(1_200);
  expect(await readSeconds(account)).toBe(4);
  await paid.release();
  expect(await readSeconds(account)).toBe(5);
});

test('stores the outcome of an idempotent run with its price, sealed; the first of two outcomes counts', async () => {
  const { account, run } = await accountWith(5n, 'request 1');
  expect(await runs.outcome('request 1')).toBeUndefined();
  const [first, second] = [await runs.begin(run('a')), await runs.begin(run('b'))];
  await first.capture({ ...done(10), response: 'the first' });
  const answered = await second.capture({ ...done(10), response: 'the second' });
  expect(answered).toMatchObject({ id: `${account} a`, result: { response: 'the first' } });
  expect(await runs.outcome('request 1')).toMatchObject({
    id: `${account} a`,
    result: { response: 'the first' },
  });
  expect(await readSeconds(account)).toBe(4);
  const [row] = await database.db
    .select()
    .from(runsTable)
    .where(eq(runsTable.id, `${account} a`));
  expect(row?.outcome).toMatch(/^sealed /);
});

test('the cost of a run is the price at which its seconds were reserved, after a change of the price too', async () => {
  const { account, run } = await accountWith(5n, 'request 2');
  const { id, cid } = run('a');
  const owner = hashText(account);
  const price = 3n * RUN_SECOND_MICROS;
  await database.db.execute(
    sql`select start_run(${id}, ${owner}, ${owner}, ${cid}, 'request 2', ${price}::bigint, interval '1 minute')`,
  );
  const outcome = sealer.seal(JSON.stringify({ ...done(10), cid }), id);
  await endRun(database.db, id, { seconds: 1, outcome, output: null, report: null });
  expect(await readSeconds(account)).toBe(2);
  expect(await runs.outcome('request 2')).toMatchObject({ id, costMicros: price });
});

test('stores the output of a run whose key is recorded at its begin and end, sealed', async () => {
  const { account, run } = await accountWith(5n);
  const recorded = { account: hashText(account), key: hashText(account) };
  const capture = async (name: string, whileRunning: () => Promise<void> = async () => {}) => {
    const paid = await runs.begin(run(name));
    await whileRunning();
    await paid.capture({ ...done(10), logs: 'a line', response: { result: 1 } });
    return runs.output(`${account} ${name}`);
  };
  expect(await capture('before', () => startRecording(database.db, recorded))).toBeUndefined();
  expect(await capture('recorded')).toEqual({ response: { result: 1 }, logs: 'a line' });
  const [row] = await database.db
    .select()
    .from(runsTable)
    .where(eq(runsTable.id, `${account} recorded`));
  expect(row?.output).toMatch(new RegExp(`^sealed output ${account} recorded \\{`));
  expect(row?.outcome).toBeNull();
  // The setting of another account for a key with this hash has no effect.
  await startRecording(database.db, { ...recorded, account: hashText(account + 1_000_000n) });
  expect(await capture('of another')).toBeUndefined();
  await startRecording(database.db, recorded);
  expect(await capture('stopped', () => stopRecording(database.db, recorded))).toBeUndefined();
  expect(await runs.output(`${account} recorded`)).toBeUndefined();
});

test('a run that ends while its recording stops keeps no output', async () => {
  const { account, run } = await accountWith(5n);
  const recorded = { account: hashText(account), key: hashText(account) };
  await startRecording(database.db, recorded);
  const { id } = run('a');
  await openRun(database.db, run('a'));
  let stopped = Promise.resolve();
  await database.db.transaction(async (tx) => {
    await endRun(tx, id, { seconds: 1, outcome: null, output: 'sealed', report: null });
    stopped = stopRecording(database.db, recorded);
    // Time to finish for a stop that does not wait for this transaction.
    await Promise.race([stopped, delay(500)]);
  });
  await stopped;
  const [row] = await database.db.select().from(runsTable).where(eq(runsTable.id, id));
  expect(row).toMatchObject({ endedAt: expect.any(Date), output: null });
});

test('stopping a recording deletes more output than one statement does', async () => {
  const recorded = { account: hashText(++last), key: hashText(last) };
  const row = (number: number) => ({
    ...recorded,
    id: `${last} ${number}`,
    reserves: [],
    leaseUntil: new Date(),
    output: 'sealed',
  });
  await database.db.insert(runsTable).values(Array.from({ length: 1_001 }, (_, number) => row(number)));
  await stopRecording(database.db, recorded);
  const kept = and(eq(runsTable.key, recorded.key), isNotNull(runsTable.output));
  expect(await database.db.$count(runsTable, kept)).toBe(0);
  await database.db.delete(runsTable).where(eq(runsTable.key, recorded.key));
});

test('releases the reserves of lost runs after their lease, and of no other run', async () => {
  const { account, run } = await accountWith(5n);
  const [lost, living] = [await runs.begin(run('lost')), await runs.begin(run('living'))];
  await runs.releaseLost();
  expect(await readSeconds(account)).toBe(3);
  await database.db
    .update(runsTable)
    .set({ leaseUntil: sql`now() - interval '1 second'` })
    .where(eq(runsTable.id, `${account} lost`));
  const released = await Promise.all([runs.releaseLost(), runs.releaseLost(), runs.releaseLost()]);
  expect(released.reduce((sum, count) => sum + count)).toBe(1);
  expect(await readSeconds(account)).toBe(4);
  // The late run costs nothing and reserves no more.
  lost.clock.start();
  await new Promise((resolve) => lost.signal.addEventListener('abort', resolve));
  expect(lost.signal.reason).toBeInstanceOf(RunUnpaidError);
  await lost.capture(done(900));
  await living.capture(done(900));
  expect(await readSeconds(account)).toBe(4);
});

test('the result of a run waits until the database takes writes', async () => {
  const { account, run } = await accountWith(5n, 'waits');
  const paid = await runs.begin(run('a'));
  await setReadOnly(database.url, true);
  const captured = paid.capture(done(100));
  await expect.poll(() => runs.begin(run('b')).catch(driverError)).toMatchObject({ code: '25006' });
  await setReadOnly(database.url, false);
  expect(await captured).toMatchObject({ costMicros: RUN_SECOND_MICROS, result: { response: 'ok' } });
  expect(await runs.outcome('waits')).toMatchObject({ id: `${account} a` });
  expect(await listKinds(account)).toEqual(['credit', 'reserve', 'capture']);
});
