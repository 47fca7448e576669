import { createIdempotencyStore } from '@latchkey/http/idempotency-store';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { rootSecretsFrom } from '../keys/root-secrets.ts';
import { createRequestSeeds } from './request-seeds.ts';
import { sweep } from './retention.ts';
import { idempotency, requestSeeds, runs } from './schema.ts';

const sealer = rootSecretsFrom(new Uint8Array(32).fill(1)).sealer('test');
const reply = { status: 200, headers: { 'X-Block-Number': '7' }, body: '{"usage_api_key":"secret"}' };
const request = (holder: string, requestHash = 'hash', leaseMs = 60_000) => ({
  requestHash,
  holder,
  leaseMs,
});

const database = disposeAfterAll(await openTestDatabase());
const store = () => createIdempotencyStore({ db: database.db, table: idempotency, sealer });

describe('claim', () => {
  test('grants a claim to one of many', async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store().claim('race', request(`holder ${index}`))),
    );
    expect(claims.filter(({ state }) => state === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ state }) => state === 'running')).toHaveLength(19);
  });

  test('lets only the same request take over a running record after its lease', async () => {
    await store().claim('lease', request('dead', 'hash', 0));
    expect(await store().claim('lease', request('b', 'other'))).toEqual({
      state: 'running',
      requestHash: 'hash',
    });
    expect(await store().claim('lease', request('b'))).toEqual({ state: 'claimed' });
    expect(await store().claim('lease', request('c'))).toMatchObject({ state: 'running' });
    await store().complete('lease', 'dead', reply);
    expect(await store().claim('lease', request('c'))).toMatchObject({ state: 'running' });
  });

  test('keeps a renewed lease', async () => {
    await store().claim('renewed', request('a', 'hash', 0));
    await store().renew('renewed', 'a', 60_000);
    expect(await store().claim('renewed', request('b'))).toMatchObject({ state: 'running' });
  });
});

test('stores the outcome sealed', async () => {
  await store().claim('done', request('a'));
  await store().complete('done', 'a', reply);
  expect(await store().claim('done', request('b', 'other'))).toEqual({
    state: 'done',
    requestHash: 'hash',
    reply,
  });
  const rows = await database.db.select().from(idempotency);
  expect(JSON.stringify(rows)).not.toContain('secret');
});

test('lets only the holder release a record, which can then be claimed', async () => {
  await store().claim('released', request('a'));
  await store().release('released', 'b');
  expect(await store().claim('released', request('b'))).toMatchObject({ state: 'running' });
  await store().release('released', 'a');
  expect(await store().claim('released', request('b', 'other'))).toEqual({ state: 'claimed' });
});

test('returns the same sealed seed for every retry, and a new seed without an id', async () => {
  const seeds = createRequestSeeds(database.db, sealer);
  const attempts = await Promise.all([1, 2, 3].map(() => seeds.seedFor('request')));
  for (const seed of attempts) expect(seed).toEqual(attempts[0]);
  expect(await seeds.seedFor('another')).not.toEqual(attempts[0]);
  expect(await seeds.seedFor(undefined)).not.toEqual(await seeds.seedFor(undefined));
  const rows = await database.db.select().from(requestSeeds);
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(attempts[0] ?? '').toString('base64url'));
});

test('keeps what was made once for a request, sealed', async () => {
  const seeds = createRequestSeeds(database.db, sealer);
  let made = 0;
  const make = async () => `wallet ${++made}`;
  await seeds.seedFor('once');
  expect(await seeds.once('once', make)).toBe('wallet 1');
  expect(await seeds.once('once', () => Promise.reject(new Error('made before')))).toBe('wallet 1');
  await seeds.seedFor('failed');
  await expect(seeds.once('failed', () => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
  expect(await seeds.once('failed', make)).toBe('wallet 2');
  expect(await seeds.once(undefined, make)).toBe('wallet 3');
  const [row] = await database.db.select().from(requestSeeds).where(eq(requestSeeds.id, 'once'));
  expect(row?.made).not.toContain('wallet');
});

test('keeps outcomes for at least 24 hours and then deletes them', async () => {
  const idsAfterSweep = async () => {
    await sweep(database.db, 30);
    return (await database.db.select({ id: idempotency.id }).from(idempotency)).map(({ id }) => id);
  };
  const age = (hours: number) =>
    database.db.update(idempotency).set({ createdAt: sql`now() - make_interval(hours => ${hours}::int)` });
  await store().claim('old', request('a'));
  await store().complete('old', 'a', reply);
  await store().claim('old and running', request('a'));
  await age(24);
  expect(await idsAfterSweep()).toEqual(expect.arrayContaining(['old', 'old and running']));
  await age(26);
  const left = await idsAfterSweep();
  expect(left).toContain('old and running');
  expect(left).not.toContain('old');
});

test('keeps the outcome of a run for 7 days with its idempotency record, and the record of the run for 30', async () => {
  const { db } = database;
  await store().claim('of a run', request('a'));
  await store().complete('of a run', 'a', reply);
  const run = { account: '0x01', key: '0x01', reserves: [], leaseUntil: new Date() };
  await db.insert(runs).values([
    { ...run, id: 'run', idempotencyId: 'of a run', outcome: 'sealed' },
    { ...run, id: 'run without outcome' },
  ]);
  const leftAfter = async (hours: number) => {
    const then = sql`now() - make_interval(hours => ${hours}::int)`;
    await db.update(idempotency).set({ createdAt: then });
    await db.update(runs).set({ endedAt: then });
    await sweep(db, 30);
    const records = await db.select({ id: idempotency.id }).from(idempotency);
    const left = await db.select({ id: runs.id, outcome: runs.outcome }).from(runs);
    return [
      ...records.filter(({ id }) => id.endsWith(' run')).map(({ id }) => id),
      ...left.map(({ id, outcome }) => `${id}: ${outcome}`).sort(),
    ];
  };
  expect(await leftAfter(7 * 24)).toEqual(['of a run', 'run without outcome: null', 'run: sealed']);
  expect(await leftAfter(7 * 24 + 2)).toEqual(['run without outcome: null', 'run: null']);
  expect(await leftAfter(30 * 24 - 1)).toEqual(['run without outcome: null', 'run: null']);
  expect(await leftAfter(30 * 24 + 1)).toEqual([]);
});
