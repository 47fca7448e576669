import { setTimeout } from 'node:timers/promises';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { createActionCodes } from './action-codes.ts';
import { actionCodes, actionCodeUses } from './schema.ts';

const none = async () => new Set<string>();
const kib = (count: number) => 'x'.repeat(count * 1024);

const database = disposeAfterAll(await openTestDatabase());
const codes = createActionCodes(database.db, { quotaBytesPerAccount: 10 * 1024, retentionDays: 30 });
beforeEach(() => database.db.delete(actionCodes));

const kept = async () =>
  (await database.db.select({ cid: actionCodes.cid }).from(actionCodes)).map(({ cid }) => cid);
const age = async (cid: string, days: number) => {
  const past = sql`now() - make_interval(days => ${days}::int)`;
  await database.db.update(actionCodes).set({ createdAt: past }).where(eq(actionCodes.cid, cid));
  await database.db.update(actionCodeUses).set({ lastUsedAt: past }).where(eq(actionCodeUses.cid, cid));
};

test('stores code byte for byte', async () => {
  await codes.keep(1n, 'a', 'ß\0');
  expect(await codes.get('a')).toEqual(Buffer.from('ß\0'));
  expect(await codes.get('b')).toBeUndefined();
  expect([await codes.has('a'), await codes.has('b')]).toEqual([true, false]);
});

test('replaces damaged code a day later', async () => {
  await codes.keep(1n, 'a', 'code');
  await database.db.update(actionCodes).set({ code: Buffer.from('damaged') });
  await age('a', 1);
  await codes.keep(1n, 'a', 'code');
  expect(await codes.get('a')).toEqual(Buffer.from('code'));
});

test('writes the time of use once per day', async () => {
  const use = async () =>
    (
      await database.db
        .select({ at: actionCodeUses.lastUsedAt, row: sql<string>`${actionCodeUses}.xmin` })
        .from(actionCodeUses)
    )[0];
  await codes.keep(1n, 'a', 'code');
  const first = await use();
  await codes.keep(1n, 'a', 'code');
  expect(await use()).toEqual(first);
  await age('a', 2);
  await codes.keep(1n, 'a', 'code');
  expect((await use())?.at.getTime()).toBeGreaterThanOrEqual(first?.at.getTime() ?? Number.NaN);
});

test('changes that wait for each other occupy one connection', async () => {
  const { db } = database;
  const waiting = async () => {
    const { rows } = (await db.execute(
      sql`select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
    )) as { rows: unknown[] };
    return rows.length;
  };
  let kept: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('action_codes'))`);
    kept = Promise.all(['a', 'b', 'c'].map((cid) => codes.keep(1n, cid, 'code')));
    await expect.poll(waiting).toBe(1);
    await setTimeout(200);
    expect(await waiting()).toBe(1);
  });
  await kept;
  expect(await codes.has('c')).toBe(true);
});

test('a change that fails does not stop the next one', async () => {
  const [failed] = await Promise.allSettled([
    codes.keep(1n, 'a'.repeat(10_000), null as never),
    codes.keep(1n, 'b', 'code'),
  ]);
  expect(failed.status).toBe('rejected');
  expect(await codes.has('b')).toBe(true);
});

describe('the quota of an account', () => {
  test('deletes the least recently used code', async () => {
    for (const cid of ['a', 'b', 'c']) await codes.keep(1n, cid, kib(3));
    await age('b', 1);
    await codes.keep(1n, 'd', kib(3));
    expect((await kept()).sort()).toEqual(['a', 'c', 'd']);
  });

  test('keeps code that another account uses for that account, and changes no other account', async () => {
    await codes.keep(1n, 'shared', kib(6));
    await codes.keep(2n, 'shared', kib(6));
    await codes.keep(1n, 'own', kib(6));
    expect((await kept()).sort()).toEqual(['own', 'shared']);
    await codes.keep(2n, 'other', kib(6));
    expect((await kept()).sort()).toEqual(['other', 'own']);
  });
});

describe('the sweep', () => {
  test('deletes code that no account used during the retention time', async () => {
    for (const cid of ['old', 'recent', 'both']) await codes.keep(1n, cid, 'code');
    for (const cid of ['old', 'both']) await age(cid, 31);
    await age('recent', 29);
    await codes.keep(2n, 'both', 'code');
    await codes.sweep(none);
    expect((await kept()).sort()).toEqual(['both', 'recent']);
  });

  test('keeps code whose CID is registered, over several pages of CIDs', async () => {
    const all = Array.from({ length: 230 }, (_, number) => `cid-${String(number).padStart(3, '0')}`);
    await database.db.insert(actionCodes).values(all.map((cid) => ({ cid, code: Buffer.from('code') })));
    for (const cid of all) await age(cid, 31);
    const registered = new Set(['cid-000', 'cid-099', 'cid-100', 'cid-229']);
    const asked: number[] = [];
    await codes.sweep(async (cids) => {
      asked.push(cids.length);
      return new Set(cids.filter((cid) => registered.has(cid)));
    });
    expect((await kept()).sort()).toEqual([...registered]);
    expect(asked).toEqual([100, 100, 30]);
  });

  test('deletes nothing when the registry is unavailable, and no code that is used meanwhile', async () => {
    await codes.keep(1n, 'old', 'code');
    await age('old', 31);
    await expect(codes.sweep(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
    await codes.sweep(async () => {
      await codes.keep(1n, 'old', 'code');
      return new Set();
    });
    expect(await kept()).toEqual(['old']);
  });
});
