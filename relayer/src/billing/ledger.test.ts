import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/database.ts';
import { hashText } from '../db/text.ts';
import { endReserves, InsufficientCreditError, listEntries, move, reserve, totals } from './ledger.ts';

let database: OpenDatabase;
let dispose: () => Promise<void>;
let last = 0n;
beforeAll(async () => {
  ({ dispose, ...database } = await openTestDatabase());
});
afterAll(() => dispose());

const newAccount = () => ++last;
/** Creates an account with this credit. */
async function accountWith(micros: bigint): Promise<bigint> {
  const account = newAccount();
  await move(database.db, account, 'credit', micros, { externalId: `start ${account}`, reason: 'test' });
  return account;
}
const setAside = (account: bigint, amountMicros: bigint): Promise<bigint> =>
  database.db.transaction((tx) => reserve(tx, { account, key: account, amountMicros, reason: 'test' }));
const end = (kind: 'capture' | 'release', account: bigint, ...reserves: bigint[]): Promise<number> =>
  database.db.transaction((tx) => endReserves(tx, kind, account, reserves));
/** Available and reserved. */
const readBalance = async (account: bigint): Promise<[bigint, bigint]> => {
  const [row] = await query(
    `select available::text, reserved::text from credit_balances where account = '${hashText(account)}'`,
  );
  return [BigInt(row?.available ?? 0), BigInt(row?.reserved ?? 0)];
};
const entries = async (account: bigint, page = { offset: 0, limit: 10 }) =>
  (await listEntries(database.db, account, page)).entries;
const query = async (text: string) => {
  const result = (await database.db.execute(sql.raw(text))) as unknown as {
    rows: Record<string, string>[];
  };
  return result.rows;
};

test('an account without payments has no credit and no entries', async () => {
  const account = newAccount();
  expect(await readBalance(account)).toEqual([0n, 0n]);
  await expect(setAside(account, 1n)).rejects.toBeInstanceOf(InsufficientCreditError);
  expect(await listEntries(database.db, account, { offset: 0, limit: 10 })).toEqual({
    entries: [],
    total: 0n,
    archived: 0n,
  });
});

test('credit, reserve, capture, release and reverse move the balances', async () => {
  const account = await accountWith(100n);
  const before = await totals(database.db);
  const [first, second] = [await setAside(account, 60n), await setAside(account, 40n)];
  expect(await readBalance(account)).toEqual([0n, 100n]);
  expect(await end('capture', account, first)).toBe(1);
  expect(await end('release', account, second)).toBe(1);
  expect(await readBalance(account)).toEqual([40n, 0n]);
  await move(database.db, account, 'reverse', 100n, { externalId: `refund ${account}`, reason: 'refund' });
  expect(await readBalance(account)).toEqual([-60n, 0n]);
  expect(
    (await entries(account)).map(({ number, kind, availableAfter }) => [number, kind, availableAfter]),
  ).toEqual([
    [6n, 'reverse', -60n],
    [5n, 'release', 40n],
    [4n, 'capture', 0n],
    [3n, 'reserve', 0n],
    [2n, 'reserve', 40n],
    [1n, 'credit', 100n],
  ]);
  expect(await entries(account, { offset: 4, limit: 1 })).toMatchObject([{ number: 2n }]);
  const after = await totals(database.db);
  expect(after.captured - before.captured).toBe(60n);
  expect(after.reversed - before.reversed).toBe(100n);
  expect(after.available + after.reserved).toBe(after.credited - after.captured - after.reversed);
});

test('ends a reserve once, whatever the second end is', async () => {
  const account = await accountWith(10n);
  const number = await setAside(account, 10n);
  const ends = await Promise.all(
    (['capture', 'release', 'capture', 'release'] as const).map((kind) => end(kind, account, number)),
  );
  expect(ends.sort()).toEqual([0, 0, 0, 1]);
  const [available, reserved] = await readBalance(account);
  expect(available === 0n || available === 10n).toBe(true);
  expect(reserved).toBe(0n);
});

test('pages are parts of the whole when reserves end long after, and in another order', async () => {
  const account = await accountWith(100n);
  const numbers: bigint[] = [];
  for (let i = 0; i < 30; i++) numbers.push(await setAside(account, 1n));
  for (const number of numbers.toReversed().slice(0, 20)) await end('capture', account, number);
  await end('release', account, ...numbers.slice(2, 4), ...numbers);
  const whole = await entries(account, { offset: 0, limit: 1_000 });
  expect(whole.map(({ number }) => number)).toEqual(Array.from({ length: 61 }, (_, i) => BigInt(61 - i)));
  for (const limit of [1, 7, 30]) {
    const pages: typeof whole = [];
    for (let offset = 0; offset < whole.length; offset += limit)
      pages.push(...(await entries(account, { offset, limit })));
    expect(pages).toEqual(whole);
  }
  for (const { kind, number, reserve } of whole) {
    if (kind !== 'reserve') continue;
    const [found] = await query(`select kind from list_end('${hashText(account)}', ${number})`);
    expect(found?.kind).toBe(whole.find((entry) => entry.reserve === number)?.kind);
    expect(reserve).toBeNull();
  }
});

test('concurrent ends of overlapping reserves do not wait for each other for ever', async () => {
  const account = await accountWith(1_000n);
  for (let round = 0; round < 30; round++) {
    const [first, second, third] = [
      await setAside(account, 1n),
      await setAside(account, 1n),
      await setAside(account, 1n),
    ];
    const ended = await Promise.all([
      end('capture', account, first, second, third),
      end('capture', account, third, second, first),
      end('release', account, third),
      end('release', account, second),
    ]);
    expect(ended.reduce((sum, count) => sum + count)).toBe(3);
  }
});

test('moves money once per external id, and never for another account', async () => {
  const [account, other] = [newAccount(), newAccount()];
  const cause = { externalId: 'payment 1', reason: 'payment' };
  const moved = await Promise.all(
    Array.from({ length: 50 }, () => move(database.db, account, 'credit', 7n, cause)),
  );
  expect(moved.filter(Boolean)).toHaveLength(1);
  expect(await readBalance(account)).toEqual([7n, 0n]);
  await expect(move(database.db, other, 'credit', 7n, cause)).rejects.toThrow();
  expect(await readBalance(other)).toEqual([0n, 0n]);
});

test('1,000 concurrent reserves on credit for 100 do not overspend', async () => {
  const account = await accountWith(100n);
  const outcomes = await Promise.allSettled(Array.from({ length: 1_000 }, () => setAside(account, 1n)));
  const made = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  expect(made).toHaveLength(100);
  expect(await readBalance(account)).toEqual([0n, 100n]);
  await end('capture', account, ...made.slice(0, 50));
  await end('release', account, ...made.slice(50));
  expect(await readBalance(account)).toEqual([50n, 0n]);
});

test('an entry reads as few rows after hundreds of entries of its account, also without statistics of the table', async () => {
  const account = await accountWith(1_000n);
  await database.db.transaction(async (tx) => {
    const capture = async () => {
      const number = await reserve(tx, { account, key: account, amountMicros: 1n, reason: 'test' });
      await endReserves(tx, 'capture', account, [number]);
    };
    const rowsRead = async () => {
      const result = await tx.execute(
        sql`select sum(seq_tup_read + idx_tup_fetch) as read from pg_stat_xact_user_tables where relname in ('ledger_entries', 'ledger_reserves', 'ledger_ends')`,
      );
      return Number((result as unknown as { rows: { read: string }[] }).rows[0]?.read);
    };
    for (let i = 0; i < 300; i++) await capture();
    const before = await rowsRead();
    await capture();
    const read = (await rowsRead()) - before;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(10);
  });
});

describe('the database refuses', () => {
  test.each([
    [
      'an update of an entry',
      "update ledger_entries set amount_micros = 1 where account = '$'",
      /append-only/,
    ],
    ['a deletion of an entry', "delete from ledger_entries where account = '$'", /append-only/],
    ['a truncation', 'truncate ledger_entries', /append-only/],
    [
      'an update of a reserve',
      "update ledger_reserves set amount_micros = 1 where account = '$'",
      /append-only/,
    ],
    ['a deletion of a reserve', "delete from ledger_reserves where account = '$'", /append-only/],
    ['a truncation of reserves', 'truncate ledger_reserves', /append-only/],
    ['an update of an end', 'update ledger_ends set amount_micros = 1', /append-only/],
    ['a deletion of an end', 'delete from ledger_ends', /append-only/],
    ['a truncation of ends', 'truncate ledger_ends', /append-only/],
    [
      'an end without a reserve',
      "insert into ledger_ends select 9, 1, 0, now(), 0, now(), 1, 1, null, true, '', 'test'",
      /append-only/,
    ],
    ['an update of a balance', "update credit_balances set available = 1 where account = '$'", /append-only/],
    ['a deletion of a balance', "delete from credit_balances where account = '$'", /append-only/],
    ['an amount of zero', "insert into ledger_entries values ('$', 0, 'credit', 0)", /amount/],
    ['an unknown kind', "insert into ledger_entries values ('$', 0, 'gift', 1)", /case|kind/i],
    ['a capture without a reserve', "insert into ledger_entries values ('$', 0, 'capture', 1)", /reserve/],
    [
      'a capture of a credit',
      "insert into ledger_entries values ('$', 0, 'capture', 5, 1)",
      /ended_reserve|reserved/,
    ],
    [
      'a capture of another amount',
      "insert into ledger_entries values ('$', 0, 'capture', 1, 2)",
      /ended_reserve/,
    ],
  ])('%s', async (_what, statement, message) => {
    const account = await accountWith(5n);
    await setAside(account, 2n);
    const before = [await readBalance(account), await entries(account)];
    const text = statement
      .replace('$', hashText(account))
      .replace('values', '(account, number, kind, amount_micros, reserve, reason, available_after) values')
      .replace(/, (\d+|'\w+'), (\d+)\)$/, (all) => all)
      .replace(
        /\((\S+), 0, ('\w+'), (\d+)(?:, (\d+))?\)$/,
        (_all, key, kind, amount, reserve = 'null') =>
          `(${key}, 0, ${kind}, ${amount}, ${reserve}, 'test', 0)`,
      );
    const thrown = (await query(text).catch((error: unknown) => error)) as Error & { cause?: Error };
    expect(String(thrown.cause?.message ?? thrown.message)).toMatch(message);
    expect([await readBalance(account), await entries(account)]).toEqual(before);
  });
});

test('random operations: the balance equals a simple model and the sum of the entries', async () => {
  type Step = {
    kind: 'credit' | 'reverse' | 'reserve' | 'capture' | 'release';
    amount: number;
    which: number;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('credit', 'reverse', 'reserve', 'reserve', 'capture', 'release'),
    amount: fc.integer({ min: 1, max: 50 }),
    which: fc.nat(9),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const account = newAccount();
      let [available, reserved] = [0n, 0n];
      const moves = new Set<string>();
      const reserves: { number: bigint; amount: bigint; isOpen: boolean }[] = [];
      for (const { kind, amount: number, which } of steps) {
        const amount = BigInt(number);
        if (kind === 'credit' || kind === 'reverse') {
          const externalId = `${account} ${kind} ${which}`;
          const isNew = !moves.has(externalId);
          moves.add(externalId);
          if (isNew) available += kind === 'credit' ? amount : -amount;
          expect(await move(database.db, account, kind, amount, { externalId, reason: '' })).toBe(isNew);
        } else if (kind === 'reserve') {
          const made = await setAside(account, amount).catch(() => undefined);
          expect(made !== undefined).toBe(available >= amount);
          if (made === undefined) continue;
          [available, reserved] = [available - amount, reserved + amount];
          reserves.push({ number: made, amount, isOpen: true });
        } else {
          const held = reserves[which % Math.max(1, reserves.length)];
          if (!held) continue;
          expect(await end(kind, account, held.number)).toBe(held.isOpen ? 1 : 0);
          if (!held.isOpen) continue;
          held.isOpen = false;
          reserved -= held.amount;
          if (kind === 'release') available += held.amount;
        }
      }
      expect(await readBalance(account)).toEqual([available, reserved]);
      const key = hashText(account);
      const sumBook = async (book: string) => {
        const [row] = await query(
          `select coalesce(sum(case when to_book = '${book}' then amount_micros else -amount_micros end), 0)::text as sum
             from ledger where account = '${key}' and '${book}' in (from_book, to_book)`,
        );
        return BigInt(row?.sum ?? 0);
      };
      expect([await sumBook('available'), await sumBook('reserved')]).toEqual([available, reserved]);
      const [numbers] = await query(
        `select count(*)::text as count, coalesce(max(number), 0)::text as last from ledger where account = '${key}'`,
      );
      expect(numbers?.count).toBe(numbers?.last);
    }),
    { numRuns: 60 },
  );
}, 600_000);
