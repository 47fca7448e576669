/**
 * Locks over all processes on a database. They are advisory locks of one session per process, so that PostgreSQL frees those of a process that
 * dies.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** Interval of asking for a lock that another process has. */
const POLL_MS = 50;
/** Interval of asking whether the session, and so the locks of this process, still exist. */
const HEARTBEAT_MS = 1_000;
/** A session that is silent for longer is lost. */
const QUERY_TIMEOUT_MS = 5_000;
/** The server ends a session that asks nothing for so long: its process is frozen or out of reach. */
const SILENT_SEC = 10;

/** Disposing it gives the lock back. */
export type Lock = Disposable & {
  /** Aborts with a `LockLostError` when the session was lost: another process can have the lock now. */
  signal: AbortSignal;
};

export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

export type Locks = {
  /** Waits for the lock behind earlier calls of this process. Rejects with the reason of `signal`. */
  take: (name: string, signal: AbortSignal) => Promise<Lock>;
  close: () => void;
};

/** A session of the database. Every method rejects when it is lost. */
export type LockSession = {
  /** Takes those of the locks that no other session has, and returns them. */
  take: (locks: bigint[]) => Promise<bigint[]>;
  giveBack: (lock: bigint) => Promise<void>;
  end: () => Promise<void>;
};

type Waiter = { granted: PromiseWithResolvers<Lock>; lost: AbortController };

/** The locks that the calls of one process wait for and have. */
class Calls {
  readonly #waiting = new Map<bigint, Waiter[]>();
  readonly #holders = new Map<bigint, Waiter>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#holders.size === 0;
  }

  add(lock: bigint, waiter: Waiter): void {
    this.#waiting.set(lock, [...(this.#waiting.get(lock) ?? []), waiter]);
  }

  /** Returns the locks that calls wait for and no call has. */
  wanted(): bigint[] {
    return [...this.#waiting.keys()].filter((lock) => !this.#holders.has(lock));
  }

  /** Gives a lock to the first call that waits for it. Returns undefined when none does any longer. */
  grant(lock: bigint): Waiter | undefined {
    const first = this.#waiting.get(lock)?.[0];
    if (!first) return undefined;
    this.leave(lock, first);
    this.#holders.set(lock, first);
    return first;
  }

  /** Ends a call that got the lock. Returns whether it still had it. */
  end(lock: bigint, waiter: Waiter): boolean {
    return this.#holders.get(lock) === waiter && this.#holders.delete(lock);
  }

  /** Takes all locks away, and returns the calls that had them. */
  loseAll(): Waiter[] {
    const lost = [...this.#holders.values()];
    this.#holders.clear();
    return lost;
  }

  /** Ends a call that waits. */
  leave(lock: bigint, waiter: Waiter): void {
    const others = (this.#waiting.get(lock) ?? []).filter((other) => other !== waiter);
    if (others.length > 0) this.#waiting.set(lock, others);
    else this.#waiting.delete(lock);
  }
}

type Open = (onEnd: () => void) => Promise<LockSession>;

/** The calls of one process, and the session whose locks they use. */
class SharedSession {
  readonly #calls = new Calls();
  readonly #open: Open;
  readonly #onError: (error: unknown) => void;
  #session: LockSession | undefined;

  constructor(open: Open, onError: (error: unknown) => void) {
    this.#open = open;
    this.#onError = onError;
  }

  get calls(): Calls {
    return this.#calls;
  }

  /** Asks for the locks that calls wait for, or only whether the session exists. Returns false when it was lost. */
  async ask(): Promise<boolean> {
    try {
      this.#session ??= await this.#opened();
      for (const lock of await this.#session.take(this.#calls.wanted())) {
        const waiter = this.#calls.grant(lock);
        if (waiter) waiter.granted.resolve(this.#toLock(lock, waiter));
        else this.#giveBack(lock);
      }
      return true;
    } catch (error) {
      this.#onError(error);
      this.lose(this.#session);
      return false;
    }
  }

  lose(session = this.#session): void {
    if (session !== this.#session) return;
    this.#session = undefined;
    for (const { lost } of this.#calls.loseAll()) lost.abort(new LockLostError('the lock was lost'));
    session?.end().catch(() => {});
  }

  async #opened(): Promise<LockSession> {
    let opened: LockSession | undefined;
    opened = await this.#open(() => opened && this.lose(opened));
    return opened;
  }

  #giveBack(lock: bigint): void {
    const session = this.#session;
    session?.giveBack(lock).catch(() => this.lose(session));
  }

  #toLock(lock: bigint, waiter: Waiter): Lock {
    return {
      signal: waiter.lost.signal,
      [Symbol.dispose]: () => {
        if (this.#calls.end(lock, waiter)) this.#giveBack(lock);
      },
    };
  }
}

/**
 * @param open - Opens a session, and calls `onEnd` when it is lost.
 * @param onError - Called when no session can be opened or the session does not answer. Calls of `take` go on waiting.
 */
export function createLocks(
  open: Open,
  onError: (error: unknown) => void,
  { pollMs = POLL_MS, heartbeatMs = HEARTBEAT_MS } = {},
): Locks {
  const shared = new SharedSession(open, onError);
  const { calls } = shared;
  let isWorking = false;
  let wake = Promise.withResolvers<void>();

  const work = async (): Promise<void> => {
    isWorking = true;
    let askedMs = 0;
    let isLost = false;
    while (!calls.isEmpty) {
      wake = Promise.withResolvers();
      if (calls.wanted().length > 0 || performance.now() - askedMs >= heartbeatMs) {
        askedMs = performance.now();
        isLost = !(await shared.ask());
      }
      const pause = new AbortController();
      const paused = delay(isLost ? heartbeatMs : pollMs, undefined, pause).catch(() => {});
      await Promise.race(isLost ? [paused] : [paused, wake.promise]);
      pause.abort();
    }
    isWorking = false;
  };

  return {
    async take(name, signal) {
      signal.throwIfAborted();
      const lock = lockOf(name);
      const waiter: Waiter = { granted: Promise.withResolvers(), lost: new AbortController() };
      // Has no effect on a call that has the lock.
      const leave = () => {
        calls.leave(lock, waiter);
        waiter.granted.reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      calls.add(lock, waiter);
      if (isWorking) wake.resolve();
      else void work();
      try {
        return await waiter.granted.promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    close: () => shared.lose(),
  };
}

/** The key of the advisory lock with this name. */
const lockOf = (name: string): bigint => createHash('sha256').update(name).digest().readBigInt64BE();

/** Opens a session for locks, which ends when its process is silent. */
export async function openLockSession(url: string, service: string, onEnd: () => void): Promise<LockSession> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `latchkey-${service}-locks`,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  client.on('error', onEnd);
  client.on('end', onEnd);
  await client.connect();
  await client.query(`set idle_session_timeout = '${SILENT_SEC}s'`).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  return {
    async take(locks) {
      const { rows } = await client.query<{ lock: string }>(
        'select lock from unnest($1::bigint[]) lock where pg_try_advisory_lock(lock)',
        [locks],
      );
      return rows.map(({ lock }) => BigInt(lock));
    },
    async giveBack(lock) {
      await client.query('select pg_advisory_unlock($1)', [lock]);
    },
    end: () => client.end(),
  };
}
