/** A database that the version before has filled, and whose processes go on while it is migrated. */
import { randomUUID } from 'node:crypto';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openVersionBefore } from '../../test/version-before.ts';
import { availableMicros, endReserves, listEntries, move } from '../billing/ledger.ts';
import { endRun } from '../billing/run-rows.ts';
import { openDatabase } from './database.ts';
import { hashText } from './text.ts';

const [account, key] = [0x10n, 0x11n];
const [owner, usageKey] = [hashText(account), hashText(key)];

test('nothing of it is lost, ended or credited twice, and its processes go on', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await createTestDatabase());
  const address = { url, poolSize: 4 };
  const before = await openVersionBefore(address);
  resources.defer(before.close);
  const paid = { externalId: 'stripe pi_1', reason: 'payment' };
  await move(before.db, account, 'credit', 100n * 10_000n, paid);

  const begin = (id: string) =>
    before.db.execute(sql`
      select begin_run(${id}, ${owner}, ${usageKey}, 'cid', null, 10000::bigint, interval '1 hour')`);
  const report = { durationMs: 5, errorName: null, usage: {} as never, receipt: undefined };
  const finish = (db: typeof before.db, id: string, seconds = 1) =>
    endRun(db, id, { seconds, outcome: null, output: null, report });
  const open = randomUUID();
  await begin(open);
  await before.db.execute(sql`select reserve_second(${open}, 10000, interval '1 hour')`);
  const addWrite = async (id: string) => {
    await before.db.execute(sql`
      insert into transactions (id, payer, nonce, data, gas, max_fee_per_gas, max_priority_fee_per_gas, raw, hashes, account, reserve)
      select ${id}, '0x1', ${id === 'mined' ? 0 : 1}, '0x', 1, 1, 1, '0x', '{}', ${owner}, reserve_credit(${owner}, ${usageKey}, 10000, 'add_group')`);
  };
  const settle = (db: typeof before.db, id: string, status: string) =>
    db.execute(sql`select settle_transaction(${id}, ${status}, '0x', 1, '0x', 0)`);
  await addWrite('mined');
  await settle(before.db, 'mined', 'mined');
  await addWrite('pending');

  // A process of the version before, which would notice a lock that is held for long.
  const running = new AbortController();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  resources.defer(() => client.end());
  await client.query(`set lock_timeout = '5s'`);
  const work = (async () => {
    let done = 0;
    for (; !running.signal.aborted; done++) {
      const id = randomUUID();
      await client.query(`select begin_run($1, $2, $3, 'cid', null, 10000, interval '1 hour')`, [
        id,
        owner,
        usageKey,
      ]);
      await client.query('select finish_run($1, 0, null, null, null, null, null, null)', [id]);
    }
    return done;
  })();
  const after = await openDatabase(address);
  resources.defer(after.close);
  await expect
    .poll(async () => (await listEntries(after.db, account, { offset: 0, limit: 1_000 })).total)
    .toBeGreaterThan(20n);
  running.abort();
  expect(await work).toBeGreaterThan(3);

  expect(await move(before.db, account, 'credit', 100n * 10_000n, paid)).toBe(false);
  expect(await move(after.db, account, 'credit', 100n * 10_000n, paid)).toBe(false);
  expect(await finish(before.db, open, 2)).toMatchObject({ costMicros: 20_000n });
  expect(await finish(after.db, open, 2)).toBeUndefined();
  await settle(after.db, 'pending', 'reverted');
  // A reorg returns the price that the version before has captured.
  await after.db.execute(sql`update transactions set status = 'pending' where id = 'mined'`);
  await settle(after.db, 'mined', 'reverted');
  const mixed = randomUUID();
  await begin(mixed);
  await finish(after.db, mixed);
  expect(await availableMicros(after.db, account)).toBe((100n - 2n - 1n) * 10_000n);

  const { entries, total } = await listEntries(after.db, account, { offset: 0, limit: 10_000 });
  expect(entries.map(({ number }) => number)).toEqual(
    Array.from({ length: Number(total) }, (_, i) => total - BigInt(i)),
  );
  const reserves = entries.filter(({ kind }) => kind === 'reserve').map(({ number }) => number);
  const ends = entries.flatMap(({ reserve }) => reserve ?? []);
  expect(ends.toSorted()).toEqual(reserves.toSorted());
  for (const kind of ['capture', 'release'] as const)
    expect(await endReserves(after.db, kind, account, reserves)).toBe(0);
  expect(entries.filter(({ reason }) => reason === `run ${open}`)).toHaveLength(4);
});
