import { accountConfigAbi } from '@latchkey/protocol';
import { eq, sql } from 'drizzle-orm';
import { encodeEventTopics, type Log } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/database.ts';
import { findRecorded, startRecording } from '../db/output-recordings.ts';
import { type Caps, runs, usageKeyCaps } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { CapError, changeCaps, followKeys, readCaps } from './caps.ts';
import { endReserves, move, reserve } from './ledger.ts';
import { MICROS_PER_CENT } from './money.ts';
import { openRun } from './run-rows.ts';

const none: Caps = {
  spendCapCents: null,
  spendWindowSec: null,
  maxRunsPerMinute: null,
  maxConcurrency: null,
  maxRunSec: null,
};

let database: OpenDatabase;
let dispose: () => Promise<void>;
let account = 1_000n;
let key = 1n;
let lastRun = 0;
let lastBlock = 0n;
beforeAll(async () => {
  ({ dispose, ...database } = await openTestDatabase());
});
afterAll(() => dispose());
beforeEach(async () => {
  [account, key] = [account + 1n, key + 1n];
  const cause = { externalId: `start ${account}`, reason: 'test' };
  await move(database.db, account, 'credit', 1_100n * MICROS_PER_CENT, cause);
});

const onChain = async () => true;
const nextPlace = () => ({ blockNumber: ++lastBlock, transactionIndex: 0 });
const setCaps = (caps: Partial<Caps>, of = key) =>
  changeCaps(database.db, { key: hashText(of), caps: { ...none, ...caps } }, nextPlace());
const spend = (cents: bigint, by = key) =>
  database.db.transaction((tx) =>
    reserve(tx, { account, key: by, amountMicros: cents * MICROS_PER_CENT, reason: 'test' }),
  );
const beginRun = async () => {
  const id = `${account} ${++lastRun}`;
  await openRun(database.db, { id, account, key, cid: 'Qm', idempotencyId: undefined });
  return id;
};
const endRun = (id: string) => database.db.update(runs).set({ endedAt: new Date() }).where(eq(runs.id, id));
const catchCapError = async (attempt: Promise<unknown>): Promise<CapError> => {
  const thrown = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(CapError);
  return thrown as CapError;
};

test('a key without caps is unlimited', async () => {
  await spend(1_000n);
  await Promise.all(Array.from({ length: 20 }, beginRun));
});

describe('spend_cap_cents', () => {
  test('without a window holds forever, and only for this key', async () => {
    await setCaps({ spendCapCents: 10 });
    await spend(9n);
    expect(await catchCapError(spend(2n))).toMatchObject({ cap: 'spend_cap_cents', freesAt: undefined });
    await spend(1n);
    await catchCapError(spend(1n));
    await spend(100n, key + 1_000_000n);
  });

  test('is never exceeded by 100 concurrent spends', async () => {
    await setCaps({ spendCapCents: 10 });
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => spend(1n)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  test('allows released amounts to be spent again', async () => {
    await setCaps({ spendCapCents: 10 });
    const first = await spend(6n);
    const second = await spend(4n);
    await database.db.transaction((tx) => endReserves(tx, 'release', account, [first]));
    await database.db.transaction((tx) => endReserves(tx, 'capture', account, [second]));
    await catchCapError(spend(7n));
    await spend(6n);
  });

  test('returns when its window frees, and frees then', async () => {
    await setCaps({ spendCapCents: 10, spendWindowSec: 60 });
    const before = Date.now();
    await spend(10n);
    const { freesAt } = await catchCapError(spend(1n));
    expect(freesAt?.getTime()).toBeGreaterThanOrEqual(before + 60_000 - 1_000);
    expect(freesAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
    const age = (seconds: number) =>
      database.db
        .update(usageKeyCaps)
        .set({ windowStartedAt: sql`${usageKeyCaps.windowStartedAt} - make_interval(secs => ${seconds})` })
        .where(eq(usageKeyCaps.key, hashText(key)));
    await age(58);
    await catchCapError(spend(1n));
    await age(2);
    await spend(10n);
    await catchCapError(spend(1n));
  });

  test('is not changed by the release of a reserve of an earlier window', async () => {
    await setCaps({ spendCapCents: 10, spendWindowSec: 60 });
    const old = await spend(10n);
    await database.db
      .update(usageKeyCaps)
      .set({ windowStartedAt: new Date(Date.now() - 61_000) })
      .where(eq(usageKeyCaps.key, hashText(key)));
    await spend(1n);
    await database.db.transaction((tx) => endReserves(tx, 'release', account, [old]));
    await catchCapError(spend(10n));
    await spend(9n);
  });

  test('a changed cap keeps the amount spent; a key without caps is unlimited again', async () => {
    await setCaps({ spendCapCents: 10 });
    await spend(10n);
    await setCaps({ spendCapCents: 11 });
    await spend(1n);
    await catchCapError(spend(1n));
    await changeCaps(database.db, { key: hashText(key), caps: null }, nextPlace());
    expect(await readCaps(database.db, [hashText(key)])).toEqual(new Map());
    await spend(100n);
  });
});

test('a rotated key takes caps and spending along, however often its log arrives', async () => {
  await setCaps({ spendCapCents: 10 });
  await spend(9n);
  const next = key + 1_000_000n;
  // remove_all_usage_api_keys removed the key with this hash.
  await setCaps({ spendCapCents: 1 }, next);
  const topics = encodeEventTopics({
    abi: accountConfigAbi,
    eventName: 'UsageApiKeyRotated',
    args: { masterApiKeyHash: account, usageApiKeyHash: key, newUsageApiKeyHash: next },
  });
  const log = { topics, ...nextPlace() } as unknown as Log;
  for (let i = 0; i < 2; i++) await followKeys(database.db, [log], onChain);
  expect([...(await readCaps(database.db, [hashText(key), hashText(next)])).keys()]).toEqual([
    hashText(next),
  ]);
  await spend(1n, next);
  await catchCapError(spend(1n, next));
});

test('a removal whose log arrives late leaves the caps of the key as it was added again', async () => {
  const removedAt = nextPlace();
  await setCaps({ spendCapCents: 10 });
  const topics = encodeEventTopics({
    abi: accountConfigAbi,
    eventName: 'UsageApiKeyRemoved',
    args: { masterApiKeyHash: account, usageApiKeyHash: key },
  });
  await followKeys(database.db, [{ topics, ...removedAt } as unknown as Log], onChain);
  expect((await readCaps(database.db, [hashText(key)])).get(hashText(key))?.spendCapCents).toBe(10);
});

test.each(['UsageApiKeyRemoved', 'UsageApiKeyRotated', 'AllUsageApiKeysRemoved'] as const)(
  '%s that is not on the chain, as one node can invent it, changes nothing, also before the log of a rotation',
  async (eventName) => {
    await setCaps({ spendCapCents: 10 });
    await startRecording(database.db, { account: hashText(account), key: hashText(key) });
    const next = key + 1_000_000n;
    const logOf = (eventName: string, newUsageApiKeyHash: bigint) => {
      const args = { masterApiKeyHash: account, usageApiKeyHash: key, newUsageApiKeyHash };
      const topics = encodeEventTopics({ abi: accountConfigAbi, eventName, args } as never);
      return { topics, ...nextPlace() } as unknown as Log;
    };
    const forged = logOf(eventName, key + 2_000_000n);
    const rotated = logOf('UsageApiKeyRotated', next);
    await followKeys(database.db, [forged, rotated], async (log) => log !== forged);
    expect((await readCaps(database.db, [hashText(next)])).get(hashText(next))?.spendCapCents).toBe(10);
    expect(await findRecorded(database.db, hashText(account), [hashText(next)])).toEqual(
      new Set([hashText(next)]),
    );
  },
);

test('a log of a block that does not exist yet changes nothing', async () => {
  await setCaps({ spendCapCents: 10 });
  const topics = encodeEventTopics({
    abi: accountConfigAbi,
    eventName: 'UsageApiKeyRemoved',
    args: { masterApiKeyHash: account, usageApiKeyHash: key },
  });
  const pending = { topics, blockNumber: null, transactionIndex: null };
  await followKeys(database.db, [pending as unknown as Log], onChain);
  expect((await readCaps(database.db, [hashText(key)])).get(hashText(key))?.spendCapCents).toBe(10);
});

test('a recording moves with a rotated key, however often its log arrives, and ends with a removed one', async () => {
  const logOf = (
    eventName: 'UsageApiKeyRotated' | 'UsageApiKeyRemoved' | 'AllUsageApiKeysRemoved',
    args: object,
  ) =>
    ({
      topics: encodeEventTopics({
        abi: accountConfigAbi,
        eventName,
        args: { masterApiKeyHash: account, ...args },
      } as never),
      ...nextPlace(),
    }) as unknown as Log;
  const [first, second, third, ofOther] = [1n, 2n, 3n, 4n].map((step) => key + step * 1_000_000n) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const start = (of: bigint, by = account) =>
    startRecording(database.db, { account: hashText(by), key: hashText(of) });
  const recorded = async (by = account) => [
    ...(await findRecorded(database.db, hashText(by), [first, second, third, ofOther].map(hashText))),
  ];
  await start(first);
  await start(ofOther, account + 1n);
  const rotated = logOf('UsageApiKeyRotated', { usageApiKeyHash: first, newUsageApiKeyHash: second });
  for (let i = 0; i < 2; i++) await followKeys(database.db, [rotated], onChain);
  expect(await recorded()).toEqual([hashText(second)]);
  await followKeys(database.db, [logOf('UsageApiKeyRemoved', { usageApiKeyHash: second })], onChain);
  expect(await recorded()).toEqual([]);
  for (const of of [second, third]) await start(of);
  await followKeys(database.db, [logOf('AllUsageApiKeysRemoved', {})], onChain);
  expect(await recorded()).toEqual([]);
  expect(await recorded(account + 1n)).toEqual([hashText(ofOther)]);
});

test('max_concurrency counts in-flight runs, except those whose process is lost', async () => {
  await setCaps({ maxConcurrency: 3 });
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, beginRun));
  const ids = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  expect(ids).toHaveLength(3);
  expect((await catchCapError(beginRun())).cap).toBe('max_concurrency');
  await endRun(ids[0] as string);
  await beginRun();
  await catchCapError(beginRun());
  await database.db
    .update(runs)
    .set({ leaseUntil: sql`now() - interval '1 second'` })
    .where(eq(runs.id, ids[1] as string));
  await beginRun();
});

test('max_runs_per_minute counts runs that began in the last 60 seconds, ended or not', async () => {
  await setCaps({ maxRunsPerMinute: 3 });
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, beginRun));
  const ids = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  expect(ids).toHaveLength(3);
  for (const id of ids) await endRun(id);
  const { cap, freesAt } = await catchCapError(beginRun());
  expect(cap).toBe('max_runs_per_minute');
  const inMs = (freesAt?.getTime() ?? 0) - Date.now();
  expect(inMs).toBeGreaterThan(50_000);
  expect(inMs).toBeLessThanOrEqual(60_000);
  await database.db
    .update(runs)
    .set({ startedAt: sql`now() - interval '61 seconds'` })
    .where(eq(runs.id, ids[0] as string));
  await beginRun();
  await catchCapError(beginRun());
});
