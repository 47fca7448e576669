/** Ends of runs that this process does not see as they happen. */
import { noUsage, type RunResult } from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { runs as runsTable } from '../db/schema.ts';
import { availableMicros, move } from './ledger.ts';
import { RUN_SECOND_MICROS } from './money.ts';
import { RunUnpaidError } from './run-meter.ts';
import { endRun } from './run-rows.ts';
import { createRuns, type Runs } from './runs.ts';

const sealer = {
  seal: (data: Uint8Array | string) => String(data),
  open: () => new Uint8Array(),
  openText: (sealed: string) => sealed,
  isCurrent: () => true,
};
const result: RunResult = { response: 'ok', logs: '', hasError: false, durationMs: 10, usage: noUsage };

let database: OpenTestDatabase;
let runs: Runs;
let account = 0n;
beforeAll(async () => {
  database = await openTestDatabase();
  runs = createRuns(database.db, sealer, createLogger({ name: 'test', level: 'silent' }));
});
afterAll(() => database.dispose());
afterEach(() => {
  vi.useRealTimers();
});

/** Begins a run of a new account with credit for ten seconds. */
async function begin(idempotencyId?: string) {
  account++;
  const cause = { externalId: `start ${account}`, reason: 'test' };
  await move(database.db, account, 'credit', 10n * RUN_SECOND_MICROS, cause);
  const id = `run of ${account}`;
  return { id, paid: await runs.begin({ id, cid: 'Qm', account, key: account, idempotencyId }) };
}
const readRow = async (id: string) => {
  const [row] = await database.db.select().from(runsTable).where(eq(runsTable.id, id));
  return row;
};
const seconds = async () => (await availableMicros(database.db, account)) / RUN_SECOND_MICROS;

test('a run renews its lease every five seconds, and stops when it was released', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { id, paid } = await begin();
  const setLease = (interval: string) =>
    database.db
      .update(runsTable)
      .set({ leaseUntil: sql`now() + ${interval}::interval` })
      .where(eq(runsTable.id, id));
  await setLease('1 second');
  const before = (await readRow(id))?.leaseUntil ?? new Date();
  vi.advanceTimersByTime(5_000);
  await expect
    .poll(async () => Number((await readRow(id))?.leaseUntil) - Number(before))
    .toBeGreaterThan(10_000);
  expect(paid.signal.aborted).toBe(false);
  await setLease('-1 second');
  expect(await runs.releaseLost()).toBe(1);
  vi.advanceTimersByTime(5_000);
  await expect.poll(() => paid.signal.reason).toBeInstanceOf(RunUnpaidError);
  await paid.release();
  expect(await seconds()).toBe(10n);
});

test('a run whose end was stored, and the reply to that lost, has the stored outcome and its price', async () => {
  const { id, paid } = await begin('a request');
  const outcome = JSON.stringify({ ...result, response: 'stored', cid: 'Qm' });
  await endRun(database.db, id, { seconds: 1, outcome, output: null, report: null });
  expect(await paid.capture(result)).toMatchObject({
    id,
    result: { response: 'stored' },
    costMicros: RUN_SECOND_MICROS,
  });
  expect(await seconds()).toBe(9n);
});

test('a run that was released meanwhile costs nothing', async () => {
  for (const idempotencyId of [undefined, 'another request']) {
    const { id, paid } = await begin(idempotencyId);
    await endRun(database.db, id, { seconds: 0, outcome: null, output: null, report: null });
    expect(await paid.capture(result)).toMatchObject({ id, result: { response: 'ok' }, costMicros: 0n });
    expect(await seconds()).toBe(10n);
  }
});

test('what PostgreSQL cannot store of the names of errors and hosts is replaced', async () => {
  const { id, paid } = await begin();
  const error = { name: 'Bad\0Error\ud800', message: '', stack: '' };
  const usage = { ...noUsage, fetchHosts: ['a\0b'] };
  await paid.capture({ ...result, hasError: true, error, usage });
  expect(await readRow(id)).toMatchObject({
    errorName: 'Bad\ufffdError\ufffd',
    usage: { fetchHosts: ['a\ufffdb'] },
  });
});
