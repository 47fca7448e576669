/** Limits of actions: exact windows, also when several processes take parts concurrently. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { buildAllowance, cidHash } from '@latchkey/protocol';
import { rowsOf } from '@latchkey/service/rows';
import { addressOf, signHash } from '@latchkey/service/secp256k1';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expectNarrow, watchPlans } from '@latchkey/testing/plans';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { hexToBytes, recoverTypedDataAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { contended, deployment } from '../../test/contended-allowance.ts';
import { openTestDatabase } from '../../test/database.ts';
import { sweep } from '../db/retention.ts';
import * as schema from '../db/schema.ts';
import { createTakeAllowance } from './allowances.ts';

const SECRET = hexToBytes(`0x${'11'.repeat(32)}`);
const { cid } = contended;
const wallet = `0x${'22'.repeat(20)}` as const;
const run = { account: 1n, cid, runId: '0b6f1f1e-6d1c-4a55-9d29-1b0a3c1d2e3f' };

const database = disposeAfterAll(await openTestDatabase());
const takeOf = createTakeAllowance({
  db: database.db,
  deployment,
  signHash: (hash) => signHash(hash, SECRET),
});

let uses = 0;
let names = 0;
const newName = () => `limit ${++names}`;
type Taken = { sum: string; sequence: string; time: string; signature: `0x${string}`; amount: string };
const take = async (name: string, amount: number | bigint | string, more: object = {}): Promise<Taken> => {
  const request = { wallet, name, amount: String(amount), limit: '100', windowSeconds: 60, ...more };
  return JSON.parse(await takeOf(run, ++uses, request));
};
/** Makes all uses of all limits older. */
async function age(seconds: number): Promise<void> {
  const by = sql`make_interval(secs => ${seconds}::integer)`;
  await database.db.execute(sql`UPDATE allowance_uses SET at = at - ${by}, expires_at = expires_at - ${by}`);
  await database.db.execute(sql`UPDATE allowance_counters SET last_at = last_at - ${by}`);
}

describe('a window', () => {
  test('has at most the limit, and takes again when its oldest use has left it', async () => {
    const name = newName();
    await take(name, 60);
    await age(30);
    expect((await take(name, 40)).sum).toBe('100');
    await expect(take(name, 1)).rejects.toMatchObject({ name: 'AllowanceError' });
    await age(31);
    expect((await take(name, 60)).sum).toBe('100');
    await expect(take(name, 1)).rejects.toMatchObject({ name: 'AllowanceError' });
  });

  test('says when the amount fits', async () => {
    const name = newName();
    await take(name, 50);
    await age(20);
    const { time } = await take(name, 50);
    const refusal = await take(name, 60).catch((error: Error) => error.message);
    const at = new Date(/again at (\S+)$/.exec(String(refusal))?.[1] ?? '').getTime();
    expect(at).toBeGreaterThanOrEqual(Number(time) / 1_000 + 60_000 - 1);
    expect(at).toBeLessThanOrEqual(Number(time) / 1_000 + 60_000 + 1);
    await expect(take(name, 101)).rejects.toThrow('never possible');
  });

  test('equals a model over random uses and pauses, with amounts of 256 bits', async () => {
    const step = fc.record({
      pause: fc.constantFrom(0, 0, 7, 13, 29, 61, 4_000),
      amount: fc.bigInt(1n, 120n),
      isSwept: fc.boolean(),
    });
    const unit = 1n << 248n;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const name = newName();
        let now = 0;
        let sequence = 0n;
        const taken: { at: number; amount: bigint }[] = [];
        for (const { pause, amount, isSwept } of steps) {
          // A window ends at a whole second, and the real time of the steps is less than one.
          now += pause;
          if (pause > 0) await age(pause);
          if (isSwept) await sweep(database.db, 30);
          const used = taken.filter(({ at }) => now - at < 60).reduce((sum, use) => sum + use.amount, 0n);
          const result = take(name, amount * unit, { limit: String(100n * unit) });
          if (used + amount <= 100n) {
            sequence += 1n;
            taken.push({ at: now, amount });
            expect(await result).toMatchObject({
              sum: String((used + amount) * unit),
              sequence: String(sequence),
            });
          } else await expect(result).rejects.toMatchObject({ name: 'AllowanceError' });
        }
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  test('never has more than the limit when several processes take parts concurrently', async () => {
    const program = fileURLToPath(new URL('../../test/allowance-process.ts', import.meta.url));
    const outputs = await Promise.all(
      [1, 2, 3].map(async (process_) => {
        const args = [program, database.url, String(process_), '60'];
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        return JSON.parse(await text(child.stdout)) as string[];
      }),
    );
    const results = outputs.flat();
    const taken = results
      .filter((result) => result.startsWith('{'))
      .map((result) => JSON.parse(result) as Taken);
    expect(
      results.filter((result) => !result.startsWith('{')).every((name) => name === 'AllowanceError'),
    ).toBe(true);
    const ordered = taken.sort((a, b) => Number(a.sequence) - Number(b.sequence));
    let sum = 0;
    for (const [index, use] of ordered.entries()) {
      sum += Number(use.amount);
      expect(use).toMatchObject({ sequence: String(index + 1), sum: String(sum) });
      if (index > 0) expect(BigInt(use.time)).toBeGreaterThan(BigInt(ordered[index - 1]?.time ?? 0));
    }
    expect(sum).toBe(100);
  }, 60_000);
});

describe('a use', () => {
  test('is stated with a signature over all of its facts', async () => {
    const name = newName();
    const statement = await take(name, 5);
    const { sum, sequence, time, signature } = statement;
    expect(statement).toMatchObject({
      cid,
      name,
      window: '60',
      limit: '100',
      amount: '5',
      sum: '5',
      sequence: '1',
    });
    const message = {
      account: 1n,
      cidHash: cidHash(cid),
      wallet,
      name,
      window: 60n,
      limit: 100n,
      amount: 5n,
      sum: BigInt(sum),
      sequence: BigInt(sequence),
      time: BigInt(time),
      run: `0x${run.runId.replaceAll('-', '')}`,
    } as const;
    const recover = (changed: object) =>
      recoverTypedDataAddress({ ...buildAllowance({ ...message, ...changed }, deployment), signature });
    expect(await recover({})).toBe(addressOf(SECRET));
    for (const field of Object.keys(message) as (keyof typeof message)[]) {
      const value = message[field];
      const other =
        typeof value === 'bigint' ? value + 1n : field === 'name' ? 'other' : value.replace(/..$/, '99');
      expect(await recover({ [field]: other }), field).not.toBe(addressOf(SECRET));
    }
  });

  test('of the same run and number is counted once', async () => {
    const request = { wallet, name: newName(), amount: '70', limit: '100', windowSeconds: 60 };
    const first = await takeOf(run, 5_000_000, request);
    expect(await takeOf(run, 5_000_000, request)).toBe(first);
    await expect(takeOf(run, 5_000_000, { ...request, amount: '1' })).rejects.toThrow(
      'another limit or amount',
    );
    await expect(takeOf(run, 5_000_000, { ...request, name: newName() })).rejects.toThrow(
      'another limit or amount',
    );
    await expect(takeOf(run, 5_000_001, request)).rejects.toThrow('would be over');
    const other = { ...run, runId: '1b6f1f1e-6d1c-4a55-9d29-1b0a3c1d2e3f' };
    expect(JSON.parse(await takeOf(other, 5_000_000, { ...request, amount: '30' }))).toMatchObject({
      sum: '100',
    });
  });

  test('counts for its account, action, wallet and name only', async () => {
    const request = { wallet, name: newName(), amount: '100', limit: '100', windowSeconds: 60 };
    await takeOf(run, ++uses, request);
    const others: [object, object][] = [
      [{ account: 2n }, {}],
      [{ cid: 'QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB' }, {}],
      [{}, { wallet: `0x${'33'.repeat(20)}` }],
      [{}, { name: newName() }],
    ];
    for (const [ofRun, ofRequest] of others)
      expect(
        JSON.parse(await takeOf({ ...run, ...ofRun }, ++uses, { ...request, ...ofRequest })),
      ).toMatchObject({ sum: '100' });
    await expect(takeOf(run, ++uses, { ...request, amount: '1' })).rejects.toThrow('would be over');
  });

  test('is later than the one before, also when the clock goes back', async () => {
    const name = newName();
    const first = await take(name, 1);
    await database.db.execute(
      sql`UPDATE allowance_counters SET last_at = last_at + interval '1 minute' WHERE name = ${name}`,
    );
    const second = await take(name, 1);
    expect(BigInt(second.time)).toBe(BigInt(first.time) + 60_000_001n);
  });

  test('cannot change the window of its limit', async () => {
    const name = newName();
    await take(name, 100);
    await expect(take(name, 1, { windowSeconds: 1 })).rejects.toThrow('its window is 60 seconds, not 1');
  });
});

test('an action has at most 1,000 limits of a wallet, also when they begin concurrently', async () => {
  const other = { ...run, account: 9n };
  const begin = (first: number, count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, index) => {
        const number = first + index;
        const request = { wallet, name: `many ${number}`, amount: '1', limit: '1', windowSeconds: 60 };
        return takeOf(other, 10_000 + number, request);
      }),
    );
  for (let first = 0; first < 980; first += 70) await begin(first, 70);
  const last = await begin(980, 40);
  expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  const next = takeOf(other, 20_000, {
    wallet: `0x${'44'.repeat(20)}`,
    name: 'a',
    amount: '1',
    limit: '1',
    windowSeconds: 60,
  });
  expect(JSON.parse(await next)).toMatchObject({ sequence: '1' });
}, 60_000);

test('names whose windows are over make room for others, and those in use stay as they are', async () => {
  const other = { ...run, account: 11n };
  const takeName = (name: string, windowSeconds = 60) =>
    takeOf(other, ++uses, { wallet, name, amount: '1', limit: '1', windowSeconds });
  await takeName('old');
  await takeName('long', 86_400);
  await age(4_000);
  await database.db.execute(sql`INSERT INTO allowance_counters (account, cid, wallet, name, window_sec, last_at)
    SELECT account, cid, wallet, 'recent ' || n, 60, now() FROM allowance_counters, generate_series(1, 998) n
    WHERE account = decode(${'b'.padStart(64, '0')}, 'hex') AND name = 'old'`);
  // Its use is not deleted yet.
  await expect(takeName('new')).rejects.toThrow('whose windows are not over');
  await sweep(database.db, 30);
  expect(JSON.parse(await takeName('new'))).toMatchObject({ sum: '1', sequence: '1' });
  await expect(takeName('old')).rejects.toThrow('whose windows are not over');
  await expect(takeName('long', 86_400)).rejects.toThrow('would be over 1');
});

test('no statement reads more uses than it needs, whatever the window has', async () => {
  const own = await openTestDatabase();
  await using _ = { [Symbol.asyncDispose]: own.dispose };
  await own.db.execute(sql`INSERT INTO allowance_counters (account, cid, wallet, name, window_sec, sequence, last_at, total)
    SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), ${cid}, decode(${wallet.slice(2)}, 'hex'), 'a', 86400, 20000, now(), 20000 FROM generate_series(1, 2000) n`);
  await own.db.execute(sql`INSERT INTO allowance_uses (counter, at, sequence, amount, sum, total, run, number, expires_at)
    SELECT c.id, used_at, n, 1, 1, n, c.id || ' run', n, used_at + interval '1 day'
    FROM allowance_counters c, generate_series(1, 20000) n,
      LATERAL (SELECT now() - make_interval(days => CASE c.id WHEN 1 THEN 0 ELSE 2 END, secs => 2 * (20000 - n)) AS used_at) t
    WHERE c.id <= 2`);
  await own.db.execute(sql`ANALYZE`);
  await using watched = watchPlans(own.url, schema);
  const takeFrom = createTakeAllowance({ db: watched.db, deployment, signHash: () => '0x' });
  const request = { wallet, name: 'a', amount: '1', limit: '30000', windowSeconds: 86_400 };
  const big = ['allowance_uses', 'allowance_counters'];
  expectNarrow(await watched.plansOf(() => takeFrom(run, 1, request)), big);
  expectNarrow(await watched.plansOf(() => takeFrom(run, 1, request)), big);
  const refused = () => takeFrom(run, 2, { ...request, amount: '15000', limit: '20000' });
  expectNarrow(await watched.plansOf(() => expect(refused()).rejects.toThrow('possible again')), big);
  const swept = await watched.plansOf(() => sweep(watched.db, 30));
  expect(swept.flatMap(({ scanned }) => scanned).filter((table) => big.includes(table))).toEqual([]);
  const [left] = await rowsOf<{ count: number }>(
    own.db,
    sql`SELECT count(*)::integer AS count FROM allowance_uses`,
  );
  expect(left).toEqual({ count: 20_001 });
}, 120_000);

test('expired uses are deleted, and the numbers and sums of later ones stay exact', async () => {
  const name = newName();
  for (let i = 0; i < 3; i++) await take(name, 10);
  await age(4_000);
  await take(name, 20);
  await sweep(database.db, 30);
  const stored = await rowsOf<{ count: number }>(
    database.db,
    sql`SELECT count(*)::integer AS count FROM allowance_uses u JOIN allowance_counters c ON c.id = u.counter WHERE c.name = ${name}`,
  );
  expect(stored).toEqual([{ count: 1 }]);
  expect(await take(name, 5)).toMatchObject({ sum: '25', sequence: '5' });
});
