/** Turns between accounts at work that all of them share. */

/** An account is active for this long after a request. */
const ACTIVE_MS = 5_000;

/** Which accounts are active. */
export type Activity<Account> = {
  note: (account: Account) => void;
  /** Whether another account is active. */
  isShared: (account: Account) => boolean;
};

export function createActivity<Account>(): Activity<Account> {
  type Seen = { account: Account; atMs: number };
  let last: Seen | undefined;
  /** The last of another account than `last`. */
  let before: Seen | undefined;
  return {
    note(account) {
      if (last && last.account !== account) before = last;
      last = { account, atMs: performance.now() };
    },
    isShared(account) {
      const other = last?.account === account ? before : last;
      return other !== undefined && performance.now() - other.atMs < ACTIVE_MS;
    },
  };
}

export type TurnLimits = {
  /** Maximum number of turns in progress: half of it for one account, while another one is active. */
  inProgress: number;
  /** An account with more turns than this, in progress and waiting, has many. */
  few: number;
  /** Turns per second that all accounts with many begin together, while another account is active. */
  manyPerSecond: number;
  /** Maximum number of waiting turns. */
  waiting: number;
  waitingPerAccount: number;
};

/** The account has its share of turns: it must send fewer requests concurrently. */
export class TurnRefusedError extends Error {
  override readonly name = 'TurnRefusedError';
}

type Waiting = { start: (turn: Disposable) => void; refuse: (error: unknown) => void };
type Share = { inProgress: number; waiting: Waiting[] };

/**
 * Resolves to a turn of the account, which ends when it is disposed. `signal` of the request is read only when it must wait: that of an
 * HTTP request is made by its getter.
 */
export type TakeTurn<Account> = (
  account: Account,
  request?: { readonly signal?: AbortSignal },
) => Promise<Disposable>;

/**
 * Returns a function that takes turns. While too many are in progress, further ones wait: those of an account in the order of its
 * requests, accounts one after the other. Accounts with many turns are slowed while another account is active, so that they take only a
 * part of the work; an account with few waits for none of theirs but those in progress. Rejects with `TurnRefusedError` when the
 * account has its maximum of waiting turns. When all together have theirs, the newest one of the account that has the most is
 * refused. Rejects with the reason of the signal when it is aborted before the turn begins.
 */
export function createTurns<Account>(limits: TurnLimits, activity: Activity<Account>): TakeTurn<Account> {
  /** In the order of their next turns. An account without turns is absent. */
  const shares = new Map<Account, Share>();
  const intervalMs = 1_000 / limits.manyPerSecond;
  let inProgress = 0;
  let waiting = 0;
  /** When the next turn of an account with many may begin, by `performance.now`. */
  let manyAtMs = 0;
  let isTimed = false;

  /** An account that waits is active, however long ago its request was. */
  const isShared = (account: Account): boolean =>
    activity.isShared(account) || shares.size > (shares.has(account) ? 1 : 0);

  const hasItsHalf = (account: Account, share: Share): boolean =>
    share.inProgress >= limits.inProgress / 2 && isShared(account);

  const begin = (account: Account, share: Share): Disposable => {
    share.inProgress++;
    inProgress++;
    let isOpen = true;
    return {
      [Symbol.dispose]() {
        if (!isOpen) return;
        isOpen = false;
        share.inProgress--;
        inProgress--;
        forget(account, share);
        beginWaiting();
      },
    };
  };

  const forget = (account: Account, share: Share): void => {
    if (share.inProgress === 0 && share.waiting.length === 0) shares.delete(account);
  };

  /** Returns the account whose turn is next. Looks again later when it must wait for its time. */
  const next = (): [Account, Share] | undefined => {
    if (inProgress >= limits.inProgress || waiting === 0) return undefined;
    let few: [Account, Share] | undefined;
    let many: [Account, Share] | undefined;
    for (const entry of shares) {
      const [account, share] = entry;
      if (share.waiting.length === 0 || hasItsHalf(account, share)) continue;
      if (share.inProgress + share.waiting.length > limits.few) many ??= entry;
      else few ??= entry;
    }
    if (!many) return few;
    const nowMs = performance.now();
    if (!isShared(many[0]) || nowMs >= manyAtMs) {
      manyAtMs = nowMs + intervalMs;
      return many;
    }
    if (!few && !isTimed) {
      isTimed = true;
      setTimeout(lookAgain, manyAtMs - nowMs);
    }
    return few;
  };

  const lookAgain = (): void => {
    isTimed = false;
    beginWaiting();
  };

  const beginWaiting = (): void => {
    for (let found = next(); found; found = next()) {
      const [account, share] = found;
      const turn = share.waiting.shift();
      waiting--;
      // To the end of the order.
      shares.delete(account);
      shares.set(account, share);
      turn?.start(begin(account, share));
    }
  };

  /** Refuses the newest waiting turn of the account with the most, or the caller's own when no account has more than it. */
  const makeRoom = (own: Share): void => {
    let longest: [Account | undefined, Share] = [undefined, own];
    for (const entry of shares) if (entry[1].waiting.length > longest[1].waiting.length) longest = entry;
    const [account, share] = longest;
    const refusal = new TurnRefusedError('too many requests are waiting');
    if (account === undefined || share === own) throw refusal;
    share.waiting.pop()?.refuse(refusal);
    waiting--;
    forget(account, share);
  };

  return async (account, request = {}) => {
    activity.note(account);
    const share = shares.get(account) ?? { inProgress: 0, waiting: [] };
    const isFree = waiting === 0 && inProgress < limits.inProgress && !hasItsHalf(account, share);
    if (isFree && share.inProgress < limits.few) {
      shares.set(account, share);
      return begin(account, share);
    }
    if (share.waiting.length >= limits.waitingPerAccount)
      throw new TurnRefusedError(`the account has ${limits.waitingPerAccount} waiting requests, the maximum`);
    const { signal } = request;
    signal?.throwIfAborted();
    if (waiting >= limits.waiting) makeRoom(share);
    shares.set(account, share);
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<Disposable>();
    const own = { start, refuse };
    share.waiting.push(own);
    waiting++;
    beginWaiting();
    const leave = () => {
      const at = share.waiting.indexOf(own);
      if (at < 0) return;
      share.waiting.splice(at, 1);
      waiting--;
      forget(account, share);
      refuse(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  };
}
