/** `LOCK_STEPS` sets the number of random steps, `LOCK_SEED` the seed. */
import { setImmediate as turn } from 'node:timers/promises';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { pick, randomFrom } from '@latchkey/testing/random';
import { until } from '@latchkey/testing/until';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import {
  createLocks,
  type Lock,
  LockLostError,
  type LockSession,
  type Locks,
  openLockSession,
} from './locks.ts';

const STEPS = Number(process.env.LOCK_STEPS ?? 20_000);
const seed = Number(process.env.LOCK_SEED ?? Math.floor(Math.random() * 1e9));
const never = new AbortController().signal;

test(`random takes, aborts, ends and lost sessions of three processes give a lock to one at a time (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  /** The locks of the database, each with the number of the session that has it. */
  const taken = new Map<bigint, number>();
  const sessions = new Map<number, () => void>();
  let lastSession = 0;
  const open = async (onEnd: () => void): Promise<LockSession> => {
    lastSession += 1;
    const id = lastSession;
    const free = () => {
      for (const [lock, holder] of taken) if (holder === id) taken.delete(lock);
      sessions.delete(id);
    };
    sessions.set(id, () => {
      free();
      onEnd();
    });
    let earlier: Promise<unknown> = Promise.resolve();
    const statement = <T>(run: () => T): Promise<T> => {
      const result = earlier.then(async () => {
        if (random(2) === 0) await turn();
        if (!sessions.has(id)) throw new Error('lost');
        const value = run();
        if (random(2) === 0) await turn();
        if (!sessions.has(id)) throw new Error('lost');
        return value;
      });
      earlier = result.catch(() => {});
      return result;
    };
    return {
      take: (locks) =>
        statement(() =>
          locks.filter((lock) => {
            const isFree = !taken.has(lock);
            if (isFree) taken.set(lock, id);
            return isFree;
          }),
        ),
      giveBack: (lock) =>
        statement(() => {
          expect(taken.get(lock)).toBe(id);
          taken.delete(lock);
        }),
      end: async () => free(),
    };
  };
  const processes = Array.from({ length: 3 }, () =>
    createLocks(open, () => {}, { pollMs: 1, heartbeatMs: 1 }),
  );
  const holders = new Map<string, Lock[]>();
  const calls = new Set<AbortController>();
  let granted = 0;
  const call = async (locks: Locks, name: string): Promise<void> => {
    const abort = new AbortController();
    calls.add(abort);
    try {
      const lock = await locks.take(name, abort.signal);
      granted += 1;
      if (random(4) === 0) pick(random, [...calls]).abort('enough');
      const others = (holders.get(name) ?? []).filter(({ signal }) => !signal.aborted);
      expect(others, `two calls have ${name}`).toEqual([]);
      holders.set(name, [lock]);
      for (let turns = random(4); turns > 0; turns--) await turn();
      holders.set(
        name,
        (holders.get(name) ?? []).filter((other) => other !== lock),
      );
      lock[Symbol.dispose]();
    } catch (thrown) {
      if (thrown !== 'enough') throw thrown;
    } finally {
      calls.delete(abort);
    }
  };
  const ended: Promise<void>[] = [];
  for (let step = 0; step < STEPS; step++) {
    const kind = random(8);
    if (kind === 0 && calls.size > 0) pick(random, [...calls]).abort('enough');
    else if (kind === 1 && random(4) === 0 && sessions.size > 0) pick(random, [...sessions.values()])();
    else if (calls.size < 12) ended.push(call(pick(random, processes), `lock ${random(12)}`));
    if (random(3) === 0) await turn();
  }
  await Promise.all(ended);
  expect(granted).toBeGreaterThan(STEPS / 20);
  await until('every lock is free', async () => taken.size === 0);
}, 3_600_000);

const database = disposeAfterAll(await createTestDatabase());
const openLocks = (onError: (error: unknown) => void = () => {}): Locks => {
  const locks = createLocks((onEnd) => openLockSession(database.url, 'test', onEnd), onError);
  onTestFinished(() => locks.close());
  return locks;
};
const isTaken = async (locks: Locks, name: string): Promise<boolean> => {
  const late = AbortSignal.timeout(300);
  return locks.take(name, late).then(
    (lock) => {
      lock[Symbol.dispose]();
      return false;
    },
    () => true,
  );
};

test('a lock keeps others out of it until it is disposed', async () => {
  const [first, second] = [openLocks(), openLocks()];
  const lock = await first.take('name', never);
  expect(await isTaken(first, 'name')).toBe(true);
  expect(await isTaken(second, 'name')).toBe(true);
  expect(await isTaken(second, 'other')).toBe(false);
  const next = second.take('name', never);
  lock[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  expect(await isTaken(first, 'name')).toBe(false);
});

test('a lock whose session ends is lost, and its process can take it again', async () => {
  const locks = openLocks();
  const { signal } = await locks.take('lost', never);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'latchkey-test-locks' and datname = current_database()`,
  );
  await until('the loss is noticed', async () => signal.aborted);
  expect(signal.reason).toBeInstanceOf(LockLostError);
  (await locks.take('lost', never))[Symbol.dispose]();
});

test('a process that is silent loses its locks', { timeout: 30_000 }, async () => {
  const ended = Promise.withResolvers<void>();
  const frozen = await openLockSession(database.url, 'frozen', ended.resolve);
  const take = async () => {
    const other = await openLockSession(database.url, 'other', () => {});
    const taken = await other.take([1n]);
    await other.end();
    return taken;
  };
  expect(await frozen.take([1n])).toEqual([1n]);
  expect(await take()).toEqual([]);
  await ended.promise;
  expect(await take()).toEqual([1n]);
});

test('reports why it has no session, and goes on waiting', async () => {
  const errors: unknown[] = [];
  const refused = new Error('the database refuses connections');
  const locks = createLocks(
    () => Promise.reject(refused),
    (error) => errors.push(error),
    { pollMs: 1, heartbeatMs: 1 },
  );
  const late = new AbortController();
  const taking = locks.take('name', late.signal);
  await until('two attempts failed', async () => errors.length >= 2);
  expect(errors[0]).toBe(refused);
  late.abort();
  await expect(taking).rejects.toBe(late.signal.reason);
});
