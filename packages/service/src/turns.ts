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
  /** The last request of another account than in `last`. */
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
  /** Turns per second that accounts with many may begin, all together, while another account is active. */
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

type State<Account> = {
  /** In the order of their next turns. An account without turns is absent. */
  shares: Map<Account, Share>;
  inProgress: number;
  waiting: number;
  /** When the next turn of an account with many may begin, by `performance.now`. */
  manyAtMs: number;
};

/** Returns true when another account is active. A waiting account is active, however old its request. */
const isShared = <Account>({ shares }: State<Account>, activity: Activity<Account>, account: Account) =>
  activity.isShared(account) || shares.size > (shares.has(account) ? 1 : 0);

const hasItsHalf = <Account>(
  state: State<Account>,
  { inProgress }: TurnLimits,
  activity: Activity<Account>,
  [account, share]: [Account, Share],
) => share.inProgress >= inProgress / 2 && isShared(state, activity, account);

/** Finds the account whose turn is next; `waitMs` when one with many must wait for its time. */
function findNext<Account>(state: State<Account>, limits: TurnLimits, activity: Activity<Account>) {
  let few: [Account, Share] | undefined;
  let many: [Account, Share] | undefined;
  if (state.inProgress >= limits.inProgress || state.waiting === 0) return {};
  for (const entry of state.shares) {
    const [, share] = entry;
    if (share.waiting.length === 0 || hasItsHalf(state, limits, activity, entry)) continue;
    if (share.inProgress + share.waiting.length > limits.few) many ??= entry;
    else few ??= entry;
  }
  if (!many) return { next: few };
  const nowMs = performance.now();
  const waitMs = isShared(state, activity, many[0]) ? state.manyAtMs - nowMs : 0;
  if (waitMs > 0) return few ? { next: few } : { waitMs };
  state.manyAtMs = nowMs + 1_000 / limits.manyPerSecond;
  return { next: many };
}

function forget<Account>({ shares }: State<Account>, account: Account, share: Share): void {
  if (share.inProgress === 0 && share.waiting.length === 0) shares.delete(account);
}

/** Removes the first waiting turn of an account, which goes to the end of the order. */
function shift<Account>(state: State<Account>, [account, share]: [Account, Share]): Waiting | undefined {
  state.waiting--;
  state.shares.delete(account);
  state.shares.set(account, share);
  return share.waiting.shift();
}

/** Returns whether the turn was still waiting. */
function withdraw<Account>(state: State<Account>, account: Account, share: Share, own: Waiting): boolean {
  const at = share.waiting.indexOf(own);
  if (at < 0) return false;
  share.waiting.splice(at, 1);
  state.waiting--;
  forget(state, account, share);
  return true;
}

/** Refuses the newest waiting turn of the account with the most, or the caller's own when no account has more than it. */
function makeRoom<Account>(state: State<Account>, own: Share): void {
  let longest: [Account | undefined, Share] = [undefined, own];
  for (const entry of state.shares) if (entry[1].waiting.length > longest[1].waiting.length) longest = entry;
  const [account, share] = longest;
  const refusal = new TurnRefusedError('too many requests are waiting');
  if (account === undefined || share === own) throw refusal;
  share.waiting.pop()?.refuse(refusal);
  state.waiting--;
  forget(state, account, share);
}

/**
 * Resolves to a turn of the account, which ends when it is disposed. `signal` is read only when the turn must wait, because the getter
 * of an HTTP request creates it.
 */
export type TakeTurn<Account> = (
  account: Account,
  request?: { readonly signal?: AbortSignal },
) => Promise<Disposable>;

export type Turns<Account> = TakeTurn<Account> & {
  /** Returns the number of waiting turns. */
  waiting: () => number;
};

/**
 * Returns a function that takes turns. While too many are in progress, further turns wait: within an account in the order of its
 * requests, accounts one after the other. Accounts with many turns are slowed while another account is active, so that they take only a
 * part of the work; an account with few waits only for turns in progress. Rejects with `TurnRefusedError` when the account has its
 * maximum of waiting turns. When all accounts together have theirs, the newest turn of the account with the most is refused. Rejects
 * with the reason of the signal when it is aborted before the turn begins.
 */
export function createTurns<Account>(limits: TurnLimits, activity: Activity<Account>): Turns<Account> {
  const state: State<Account> = { shares: new Map(), inProgress: 0, waiting: 0, manyAtMs: 0 };
  let isTimed = false;

  const begin = (account: Account, share: Share): Disposable => {
    share.inProgress++;
    state.inProgress++;
    const turn = new DisposableStack();
    turn.defer(() => {
      share.inProgress--;
      state.inProgress--;
      forget(state, account, share);
      beginWaiting();
    });
    return turn;
  };

  const beginWaiting = (): void => {
    let found = findNext(state, limits, activity);
    for (; found.next; found = findNext(state, limits, activity))
      shift(state, found.next)?.start(begin(...found.next));
    if (found.waitMs !== undefined) lookAgain(found.waitMs);
  };

  const lookAgain = (waitMs: number): void => {
    if (isTimed) return;
    isTimed = true;
    setTimeout(() => {
      isTimed = false;
      beginWaiting();
    }, waitMs);
  };

  const take: TakeTurn<Account> = async (account, request = {}) => {
    activity.note(account);
    const share = state.shares.get(account) ?? { inProgress: 0, waiting: [] };
    const isFree =
      state.waiting === 0 && state.inProgress < limits.inProgress && share.inProgress < limits.few;
    if (isFree && !hasItsHalf(state, limits, activity, [account, share])) {
      state.shares.set(account, share);
      return begin(account, share);
    }
    if (share.waiting.length >= limits.waitingPerAccount)
      throw new TurnRefusedError(`the account has ${limits.waitingPerAccount} waiting requests, the maximum`);
    const { signal } = request;
    signal?.throwIfAborted();
    if (state.waiting >= limits.waiting) makeRoom(state, share);
    state.shares.set(account, share);
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<Disposable>();
    const own = { start, refuse };
    share.waiting.push(own);
    state.waiting++;
    beginWaiting();
    const leave = () => withdraw(state, account, share, own) && refuse(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  };
  return Object.assign(take, { waiting: () => state.waiting });
}
