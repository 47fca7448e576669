import { createStore, type NewTransaction, type Store, type StoredTransaction } from '@latchkey/outbox';
import { eq, type SQL, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { readCaps } from '../billing/caps.ts';
import { InsufficientCreditError, listEntries, move, throwRefusal } from '../billing/ledger.ts';
import { createAccountHeads } from '../db/account-heads.ts';
import { type Caps, type CapsChange, transactions, usageKeyCaps } from '../db/schema.ts';
import { hashText } from '../db/text.ts';

const PAYER: Address = '0x00000000000000000000000000000000000000aa';
const PRICE = 10_000n;

let database: OpenTestDatabase;
let accounts = 0n;
beforeAll(async () => {
  database = await openTestDatabase();
  await createStore(database.db).raiseNonce(PAYER, 7);
});
afterAll(() => database.dispose());

/** Returns a transaction of a new account with credit for one write. `signed` collects the nonces that were signed. */
const transactionOf = async (signed: number[] = [], own: Partial<NewTransaction> = {}) => {
  const account = ++accounts;
  await move(database.db, account, 'credit', PRICE, { externalId: `test ${account}`, reason: 'test' });
  const transaction: NewTransaction = {
    data: '0x01',
    gas: 2n ** 40n,
    maxFeePerGas: 2n ** 60n,
    maxPriorityFeePerGas: 1n,
    account,
    idempotencyId: undefined,
    payment: { key: account, amountMicros: PRICE, reason: 'test' },
    capsChange: undefined,
    sign: async (nonce) => {
      signed.push(nonce);
      return { raw: `0x${nonce}` as Hex, hash: `0x${account}${nonce}` as Hex };
    },
    ...own,
  };
  return transaction;
};
/** Returns the ledger's error for an error of the database. */
const refusal = (reason: unknown): Error => {
  try {
    return throwRefusal(reason);
  } catch (error) {
    return error as Error;
  }
};
/** Adds one transaction. */
const addTo = async (outbox: Store, transaction: NewTransaction): Promise<StoredTransaction> => {
  const [result] = await outbox.add(PAYER, [transaction]);
  if (result?.status !== 'fulfilled') throw refusal(result?.reason);
  return result.value;
};
/** Adds transactions together. Returns what was stored, and the names of errors. */
const addAllTo = async (outbox: Store, added: NewTransaction[], payer = PAYER) =>
  (await outbox.add(payer, added)).map((result) =>
    result.status === 'fulfilled' ? result.value : refusal(result.reason).name,
  );
const kinds = async (account: bigint) =>
  (await listEntries(database.db, account, { offset: 0, limit: 10 })).entries.map(({ kind }) => kind);
const heads = () => createAccountHeads(database.db, { solePeriod: () => undefined });

describe('add', () => {
  test('returns what it stored', async () => {
    const outbox = createStore(database.db);
    const capsChange = { key: hashText(1n), caps: null };
    const added = await addTo(outbox, await transactionOf([], { capsChange, idempotencyId: 'an id' }));
    expect(await outbox.get(added.id)).toEqual(added);
    expect(await outbox.byIdempotencyId('an id')).toEqual(added);
    const [row] = await database.db.select().from(transactions).where(eq(transactions.id, added.id));
    expect(row).toMatchObject({ capsChange, reserve: 2n });
  });

  test('signs again with the next nonce when another process has used the known one', async () => {
    const [ours, theirs] = [createStore(database.db), createStore(database.db)];
    const signed: number[] = [];
    const { nonce } = await addTo(ours, await transactionOf(signed));
    await addTo(theirs, await transactionOf());
    const added = await addTo(ours, await transactionOf(signed));
    expect(added.nonce).toBe(nonce + 2);
    expect(signed).toEqual([nonce, nonce + 1, nonce + 2]);
    expect(added.raw).toBe(`0x${nonce + 2}`);
  });

  test('takes no nonce and stores nothing when the account cannot pay', async () => {
    const outbox = createStore(database.db);
    const { nonce } = await addTo(outbox, await transactionOf());
    const poor = await transactionOf([], { account: 9_999n });
    await expect(addTo(outbox, poor)).rejects.toThrow(InsufficientCreditError);
    expect((await addTo(outbox, await transactionOf())).nonce).toBe(nonce + 1);
  });
});

describe('add of several', () => {
  const nonceOf = (added: StoredTransaction | string | undefined): number =>
    typeof added === 'object' ? added.nonce : Number.NaN;
  type Execute = () => Promise<unknown>;
  /** The database, whose statements that call its functions are executed by `wrap`. */
  const wrapped = (wrap: (execute: Execute) => Promise<unknown>): typeof database.db => {
    const select = (columns: Record<string, SQL>) => ({
      from(source: SQL) {
        const query = database.db.select(columns).from(source);
        const prepare = (name: string) => ({ execute: () => wrap(() => query.prepare(name).execute()) });
        return Object.assign(Object.create(query), { prepare });
      },
    });
    return Object.assign(Object.create(database.db), { select });
  };
  const countStatements = () => {
    let count = 0;
    const db = wrapped((execute) => {
      count++;
      return execute();
    });
    return { db, statements: () => count };
  };
  const prepared = (count: number) => Promise.all(Array.from({ length: count }, () => transactionOf()));

  test('stores them in one statement, with nonces in their order and a reserve each', async () => {
    const { db, statements } = countStatements();
    const outbox = createStore(db);
    const { nonce } = await addTo(outbox, await transactionOf());
    const added = await prepared(3);
    const before = statements();
    const stored = await addAllTo(outbox, added);
    expect(statements() - before).toBe(1);
    expect(stored.map(nonceOf)).toEqual([nonce + 1, nonce + 2, nonce + 3]);
    for (const [index, transaction] of stored.entries()) {
      if (typeof transaction === 'string') expect.unreachable();
      expect(await outbox.get(transaction.id)).toEqual(transaction);
      expect(await kinds(added[index]?.account as bigint)).toEqual(['reserve', 'credit']);
    }
  });

  test('stores the others when one cannot be paid, without a gap in the nonces', async () => {
    const outbox = createStore(database.db);
    const { nonce } = await addTo(outbox, await transactionOf());
    const [first, last] = await prepared(2);
    const poor = await transactionOf([], { account: 9_999n });
    const stored = await addAllTo(outbox, [first, poor, last] as NewTransaction[]);
    expect(stored.map(nonceOf)).toEqual([nonce + 1, Number.NaN, nonce + 2]);
    expect(stored[1]).toBe('InsufficientCreditError');
    expect((await addTo(outbox, await transactionOf())).nonce).toBe(nonce + 3);
  });

  test('stores a repeated request once', async () => {
    const outbox = createStore(database.db);
    const { nonce } = await addTo(outbox, await transactionOf());
    const twice = await transactionOf([], { idempotencyId: 'twice' });
    const stored = await addAllTo(outbox, [twice, await transactionOf(), twice]);
    expect(stored.map(nonceOf)).toEqual([nonce + 1, nonce + 2, nonce + 1]);
    expect(await kinds(twice.account)).toEqual(['reserve', 'credit']);
  });

  test.each([1, 2])('signs again what has a nonce that another process used, %i of them', async (used) => {
    const [ours, theirs] = [createStore(database.db), createStore(database.db)];
    const { nonce } = await addTo(ours, await transactionOf());
    for (let i = 0; i < used; i++) await addTo(theirs, await transactionOf());
    const stored = await addAllTo(ours, await prepared(3));
    expect(stored.map(nonceOf).sort()).toEqual([1, 2, 3].map((index) => nonce + used + index));
  });

  test('rejects when the reply is lost, except for transactions that it finds, and stores none again', async () => {
    const { nonce } = await addTo(createStore(database.db), await transactionOf());
    const losing = wrapped(async (execute) => {
      await execute();
      throw new Error('lost');
    });
    const added = [
      await transactionOf(),
      await transactionOf([], { idempotencyId: 'lost and found' }),
      await transactionOf(),
    ];
    const stored = await addAllTo(createStore(losing), added);
    expect(stored.map((result) => (typeof result === 'string' ? result : nonceOf(result)))).toEqual([
      'Error',
      nonce + 2,
      'Error',
    ]);
    for (const { account } of added) expect(await kinds(account)).toEqual(['reserve', 'credit']);
    expect((await addTo(createStore(database.db), await transactionOf())).nonce).toBe(nonce + 4);
  });

  test('of two payers for the same accounts and keys, in any order, do not wait for each other', async () => {
    const payers = [1, 2].map((index): Address => `0x00000000000000000000000000000000000000b${index}`);
    const { db, statements } = countStatements();
    const outbox = createStore(db);
    for (const payer of payers) await outbox.raiseNonce(payer, 1);
    const owners = await prepared(6);
    for (const { account } of owners) {
      await move(database.db, account, 'credit', 100n * PRICE, {
        externalId: `more ${account}`,
        reason: 'test',
      });
      await database.db.insert(usageKeyCaps).values({ key: hashText(account), spendCapCents: 10_000 });
    }
    for (let round = 0; round < 20; round++) {
      const results = await Promise.all(
        payers.map((payer, index) => addAllTo(outbox, index === 0 ? owners : owners.toReversed(), payer)),
      );
      expect(results.flat().filter((result) => typeof result === 'string')).toEqual([]);
    }
    // A deadlock ends one of two statements, whose transactions are then stored one by one.
    expect(statements()).toBe(20 * payers.length);
  });
});

describe('settle', () => {
  test('captures the price, sets the caps and raises the head of the account, once', async () => {
    const outbox = createStore(database.db);
    const key = hashText(77n);
    const caps = {
      spendCapCents: 5,
      spendWindowSec: 60,
      maxRunsPerMinute: null,
      maxConcurrency: 2,
      maxRunSec: 30,
    };
    const { id, account } = await addTo(outbox, await transactionOf([], { capsChange: { key, caps } }));
    expect(await heads().get(account)).toBe(0n);
    await outbox.settle(id, { status: 'mined', minedHash: '0x01', blockNumber: 12n, transactionIndex: 0 });
    await outbox.settle(id, { status: 'replaced' });
    expect(await heads().get(account)).toBe(12n);
    expect(await outbox.get(id)).toMatchObject({ status: 'mined', minedHash: '0x01', blockNumber: 12n });
    expect(await kinds(account)).toEqual(['capture', 'reserve', 'credit']);
    expect(await readCaps(database.db, [key])).toEqual(new Map([[key, caps]]));
  });

  test.each([
    ['does not wait for the disk: a lost settlement is made again', undefined, 'off'],
    ['waits for the disk with new caps', { key: hashText(79n), caps: null }, 'on'],
  ])('%s', async (_name, capsChange, commit) => {
    const { id } = await addTo(createStore(database.db), await transactionOf([], { capsChange }));
    const setting = await database.db.transaction(async (tx) => {
      await tx.execute(sql`set local synchronous_commit = on`);
      await tx.execute(sql`select settle_transaction(${id}, 'mined', '0x01', 12, '0x02', 0)`);
      const result = (await tx.execute(sql`show synchronous_commit`)) as unknown as { rows: unknown[] };
      return result.rows[0];
    });
    expect(setting).toEqual({ synchronous_commit: commit });
  });

  test('does not lower the head', async () => {
    const outbox = createStore(database.db);
    const later = await addTo(outbox, await transactionOf([], { payment: undefined }));
    const { account } = later;
    const earlier = await addTo(outbox, await transactionOf([], { payment: undefined, account }));
    await outbox.settle(later.id, { status: 'mined', blockNumber: 20n });
    await outbox.settle(earlier.id, { status: 'mined', blockNumber: 19n });
    expect(await heads().get(account)).toBe(20n);
  });

  test.each(['reverted', 'replaced'] as const)('releases the price of a %s transaction', async (status) => {
    const outbox = createStore(database.db);
    const key = hashText(78n);
    const caps = {
      spendCapCents: 5,
      spendWindowSec: null,
      maxRunsPerMinute: null,
      maxConcurrency: null,
      maxRunSec: null,
    };
    const { id, account } = await addTo(outbox, await transactionOf([], { capsChange: { key, caps } }));
    await outbox.settle(id, { status, blockNumber: 12n });
    expect(await kinds(account)).toEqual(['release', 'reserve', 'credit']);
    expect(await heads().get(account)).toBe(0n);
    expect(await readCaps(database.db, [key])).toEqual(new Map());
  });
});

test('nonces of transactions that are pending, or that a reorg can make pending, are not free', async () => {
  const outbox = createStore(database.db);
  const payer: Address = '0x00000000000000000000000000000000000000ee';
  await outbox.raiseNonce(payer, 3);
  const [added] = await outbox.add(payer, [await transactionOf()]);
  if (added?.status !== 'fulfilled') expect.unreachable();
  expect(await outbox.firstOpen(payer, 0, 100n)).toBe(3);
  expect(await outbox.lowerNonce(payer, 4, 3, 100n)).toBe(false);
  const at = { blockNumber: 100n, blockHash: '0x0b', transactionIndex: 0 } as const;
  await outbox.settle(added.value.id, { status: 'mined', minedHash: '0x01', ...at });
  expect(await outbox.firstOpen(payer, 0, 100n)).toBe(3);
  expect(await outbox.lowerNonce(payer, 4, 3, 100n)).toBe(false);
  expect(await outbox.firstOpen(payer, 4, 100n)).toBeUndefined();
  expect(await outbox.firstOpen(payer, 0, 101n)).toBeUndefined();
  expect(await outbox.lowerNonce(payer, 4, 3, 101n)).toBe(true);
});

describe('settle in another order than on the chain', () => {
  type Place = { blockNumber: bigint; transactionIndex: number };
  const at = (blockNumber: bigint, transactionIndex = 0): Place => ({ blockNumber, transactionIndex });
  const capsOf = (spendCapCents: number): Caps => ({
    spendCapCents,
    spendWindowSec: null,
    maxRunsPerMinute: null,
    maxConcurrency: null,
    maxRunSec: null,
  });
  let lastKey = 1_000n;
  const newKey = () => hashText(++lastKey);
  const set = (key: string, cents: number): CapsChange => ({ key, caps: capsOf(cents) });
  /** Settles transactions with these changes, in this order. */
  const settleAll = async (changes: [CapsChange, Place][]) => {
    const outbox = createStore(database.db);
    for (const [capsChange, place] of changes) {
      const { id } = await addTo(outbox, await transactionOf([], { capsChange }));
      await outbox.settle(id, { status: 'mined', minedHash: '0x01', ...place });
    }
  };
  const capsOfKeys = async (...keys: string[]) => {
    const caps = await readCaps(database.db, keys);
    return keys.map((key) => caps.get(key)?.spendCapCents);
  };

  test('keeps the caps of the later block', async () => {
    const key = newKey();
    await settleAll([
      [set(key, 10), at(11n)],
      [set(key, 100_000), at(10n)],
    ]);
    expect(await capsOfKeys(key)).toEqual([10]);
    await settleAll([[set(key, 20), at(12n)]]);
    expect(await capsOfKeys(key)).toEqual([20]);
  });

  test('keeps the caps of the later transaction of one block', async () => {
    const key = newKey();
    await settleAll([
      [set(key, 10), at(10n, 4)],
      [set(key, 100_000), at(10n, 3)],
    ]);
    expect(await capsOfKeys(key)).toEqual([10]);
  });

  test('keeps a key unlimited whose caps were removed later', async () => {
    const key = newKey();
    await settleAll([
      [{ key, caps: null }, at(11n)],
      [set(key, 10), at(10n)],
    ]);
    expect(await capsOfKeys(key)).toEqual([undefined]);
  });

  test('gives the caps of a key that was rotated later to the new key', async () => {
    const [old, next, last] = [newKey(), newKey(), newKey()];
    await settleAll([
      [set(old, 100_000), at(9n)],
      [{ key: next, from: old }, at(11n)],
      [{ key: last, from: next }, at(12n)],
      [set(old, 10), at(10n)],
    ]);
    expect(await capsOfKeys(old, next, last)).toEqual([undefined, undefined, 10]);
  });

  test('keeps the caps that the new key of a rotation got later', async () => {
    const [old, next] = [newKey(), newKey()];
    await settleAll([
      [{ key: next, from: old }, at(11n)],
      [set(next, 10), at(12n)],
      [set(old, 100_000), at(10n)],
    ]);
    expect(await capsOfKeys(old, next)).toEqual([undefined, 10]);
  });

  test('counts what a key spent before a rotation that is settled after new caps of the new key', async () => {
    const [old, next] = [newKey(), newKey()];
    await settleAll([
      [set(old, 100_000), at(9n)],
      [set(next, 2), at(11n)],
    ]);
    const outbox = createStore(database.db);
    const payment = { key: BigInt(old), amountMicros: PRICE, reason: 'test' };
    await addTo(outbox, await transactionOf([], { payment }));
    await settleAll([[{ key: next, from: old }, at(10n)]]);
    expect(await capsOfKeys(old, next)).toEqual([undefined, 2]);
    const [row] = await database.db.select().from(usageKeyCaps).where(eq(usageKeyCaps.key, next));
    expect(row).toMatchObject({ spentMicros: PRICE, windowStartedAt: expect.any(Date) });
  });

  test('moves the caps along two rotations of which the second is settled first', async () => {
    const [old, next, last] = [newKey(), newKey(), newKey()];
    await settleAll([
      [set(old, 10), at(9n)],
      [{ key: last, from: next }, at(11n)],
      [{ key: next, from: old }, at(10n)],
    ]);
    expect(await capsOfKeys(old, next, last)).toEqual([undefined, undefined, 10]);
  });

  test('applies changes again on a chain that lost its later blocks', async () => {
    const key = newKey();
    await settleAll([[set(key, 100_000), at(30n)]]);
    await heads().lower(29n);
    await settleAll([[set(key, 10), at(30n)]]);
    expect(await capsOfKeys(key)).toEqual([10]);
  });

  test('keeps the later caps of concurrent settlements', async () => {
    const outbox = createStore(database.db);
    const key = newKey();
    const blocks = Array.from({ length: 10 }, (_, index) => BigInt(index) + 40n);
    const added: string[] = [];
    for (const block of blocks) {
      const { id } = await addTo(outbox, await transactionOf([], { capsChange: set(key, Number(block)) }));
      added.push(id);
    }
    const settled = added.map((id, index) =>
      outbox.settle(id, { status: 'mined', minedHash: '0x01', ...at(blocks[index] as bigint) }),
    );
    await Promise.all(settled);
    expect(await capsOfKeys(key)).toEqual([49]);
  });
});
