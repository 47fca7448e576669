/**
 * Decides which run gets which process, as pure transitions: an event in, the next state and decisions out. `pool.ts` performs the decisions.
 * `docs/neighbours.md` has the promises that the comments name by number.
 */

export type Limits = {
  /** Target number of idle processes. */
  size: number;
  /** Maximum number of taken processes. */
  maxTaken: number;
  /** Maximum number of taken processes per account. */
  maxTakenPerAccount: number;
  /** Maximum number of concurrent starts while callers wait. */
  maxStarting: number;
};

export type State<Process, Caller> = {
  idle: readonly Process[];
  /** Processes that were given and have not exited. */
  taken: ReadonlyMap<Process, { account: bigint; hasRunEnded: boolean }>;
  starting: number;
  /** Waiting callers per account, the account whose turn is next first. An account without callers is absent. */
  queues: ReadonlyMap<bigint, readonly Caller[]>;
  /** Consecutive failures of starts and of idle processes. */
  failures: number;
  /** No process starts until `retry`. */
  isPaused: boolean;
  /** No process starts, and every caller is refused. */
  isClosing: boolean;
};

export type SchedulerEvent<Process, Caller> =
  | { type: 'asked'; account: bigint; caller: Caller }
  | { type: 'gave up'; account: bigint; caller: Caller }
  | { type: 'started'; process: Process }
  | { type: 'start failed' }
  | { type: 'retry' }
  /** The process of the run is still there. */
  | { type: 'run ended'; process: Process }
  /** The process was not used. */
  | { type: 'given back'; process: Process }
  | { type: 'exited'; process: Process }
  | { type: 'closing' };

export type Decision<Process, Caller> =
  | { type: 'give'; process: Process; caller: Caller }
  /** The process gets this part of the processor time of its account. */
  | { type: 'weigh'; process: Process; part: number }
  | { type: 'start' }
  | { type: 'kill'; process: Process }
  | { type: 'refuse'; caller: Caller; reason: string }
  /** Send `retry` after a while. */
  | { type: 'pause' };

export type Step<Process, Caller> = {
  state: State<Process, Caller>;
  decisions: Decision<Process, Caller>[];
};

/** Consecutive failures after which the waiting callers are refused. */
const MAX_FAILURES = 3;

export const emptyState = <Process, Caller>(): State<Process, Caller> => ({
  idle: [],
  taken: new Map(),
  starting: 0,
  queues: new Map(),
  failures: 0,
  isPaused: false,
  isClosing: false,
});

/** An event of a process or caller that the state does not have changes nothing. */
export function advance<Process, Caller>(
  limits: Limits,
  before: State<Process, Caller>,
  event: SchedulerEvent<Process, Caller>,
): Step<Process, Caller> {
  const noted = note(before, event);
  const served = serve(limits, noted.state);
  const filled = fill(limits, served.state);
  return {
    state: filled.state,
    decisions: [...noted.decisions, ...weigh(before, filled.state), ...served.decisions, ...filled.decisions],
  };
}

/** True when the account can take an idle process and no caller waits. */
export const canTakeNow = <Process, Caller>(
  limits: Limits,
  state: State<Process, Caller>,
  account: bigint,
): boolean => !state.isClosing && state.queues.size === 0 && canTake(limits, state, account);

function note<Process, Caller>(
  state: State<Process, Caller>,
  event: SchedulerEvent<Process, Caller>,
): Step<Process, Caller> {
  const changed = (changes: Partial<State<Process, Caller>>): Step<Process, Caller> => ({
    state: { ...state, ...changes },
    decisions: [],
  });
  switch (event.type) {
    case 'asked':
      if (state.isClosing)
        return { state, decisions: [{ type: 'refuse', caller: event.caller, reason: CLOSED }] };
      return changed({ queues: withQueue(state, event.account, (queue) => [...queue, event.caller]) });
    case 'gave up':
      return changed({
        queues: withQueue(state, event.account, (queue) => queue.filter((caller) => caller !== event.caller)),
      });
    case 'started':
      return changed({ idle: [...state.idle, event.process], starting: state.starting - 1 });
    case 'start failed':
      return fail({ ...state, starting: state.starting - 1 });
    case 'retry':
      return changed({ isPaused: false });
    case 'run ended': {
      const taken = state.taken.get(event.process);
      if (!taken) return changed({});
      return changed({ taken: new Map(state.taken).set(event.process, { ...taken, hasRunEnded: true }) });
    }
    case 'given back':
      if (!state.taken.has(event.process)) return changed({});
      return changed({ idle: [...state.idle, event.process], taken: without(state.taken, event.process) });
    case 'exited':
      if (!state.idle.includes(event.process)) return changed({ taken: without(state.taken, event.process) });
      return fail({ ...state, idle: state.idle.filter((process) => process !== event.process) });
    case 'closing':
      return refuseAll({ ...state, isClosing: true }, CLOSED);
  }
}

const CLOSED = 'the runtime is closed';

function fail<Process, Caller>(state: State<Process, Caller>): Step<Process, Caller> {
  const failed = { ...state, failures: state.failures + 1, isPaused: true };
  const refused =
    failed.failures < MAX_FAILURES
      ? { state: failed, decisions: [] }
      : refuseAll(failed, 'failed to start a process');
  if (state.isPaused || state.isClosing) return refused;
  return { state: refused.state, decisions: [...refused.decisions, { type: 'pause' }] };
}

function refuseAll<Process, Caller>(state: State<Process, Caller>, reason: string): Step<Process, Caller> {
  const callers = [...state.queues.values()].flat();
  return {
    state: { ...state, queues: new Map() },
    decisions: callers.map((caller) => ({ type: 'refuse', caller, reason })),
  };
}

/** Gives idle processes to waiting callers, one per account in turn (promise 2). */
function serve<Process, Caller>(
  limits: Limits,
  state: State<Process, Caller>,
  decisions: Decision<Process, Caller>[] = [],
): Step<Process, Caller> {
  const next = [...state.queues].find(([account]) => canTake(limits, state, account));
  const [process, ...idle] = state.idle;
  if (!next || process === undefined) return { state, decisions };
  const [account, [caller, ...others]] = next;
  const queues = without(state.queues, account);
  if (others.length > 0) queues.set(account, others);
  const taken = new Map(state.taken).set(process, { account, hasRunEnded: false });
  return serve(limits, { ...state, idle, taken, queues, failures: 0 }, [
    ...decisions,
    { type: 'give', process, caller: caller as Caller },
  ]);
}

/** Promises 1 and 3. */
function canTake<Process, Caller>(
  { size, maxTaken, maxTakenPerAccount }: Limits,
  { idle, taken }: State<Process, Caller>,
  account: bigint,
): boolean {
  const own = [...taken.values()].filter((other) => other.account === account);
  const left = Math.min(own.filter(({ hasRunEnded }) => !hasRunEnded).length, Math.floor(size / 2));
  return idle.length > left && taken.size < maxTaken && own.length < maxTakenPerAccount;
}

/**
 * Starts missing processes and ends surplus ones, given back or started for callers that gave up. The process of a run is
 * replaced when the run ends, unless fewer than half of the idle ones are left (promise 5).
 */
function fill<Process, Caller>(limits: Limits, state: State<Process, Caller>): Step<Process, Caller> {
  const needed = countNeeded(limits, state);
  const target = needed + Math.max(Math.ceil(limits.size / 2), limits.size - runningIn(state).length);
  const missing = target - state.idle.length - state.starting;
  const starts = Math.min(missing, (needed > 0 ? limits.maxStarting : 1) - state.starting);
  const count = state.isPaused || state.isClosing ? 0 : Math.max(0, starts);
  const kept = limits.size + needed;
  return {
    state: { ...state, idle: state.idle.slice(0, kept), starting: state.starting + count },
    decisions: [
      ...state.idle.slice(kept).map((process) => ({ type: 'kill' as const, process })),
      ...Array.from({ length: count }, () => ({ type: 'start' as const })),
    ],
  };
}

/** Returns how many more processes the waiting callers could take now. */
function countNeeded<Process, Caller>(limits: Limits, { taken, queues }: State<Process, Caller>): number {
  let needed = 0;
  for (const [account, { length }] of queues) {
    const own = [...taken.values()].filter((other) => other.account === account).length;
    needed += Math.min(length, limits.maxTakenPerAccount - own);
  }
  return Math.min(needed, limits.maxTaken - taken.size);
}

const runningIn = <Process, Caller>({ taken }: State<Process, Caller>): [Process, bigint][] =>
  [...taken].flatMap(([process, { account, hasRunEnded }]) => (hasRunEnded ? [] : [[process, account]]));

/** The running processes of an account have its weight in equal parts (promise 4). */
function weigh<Process, Caller>(
  before: State<Process, Caller>,
  after: State<Process, Caller>,
): Decision<Process, Caller>[] {
  const known = partsIn(before);
  return [...partsIn(after)]
    .filter(([process, part]) => known.get(process) !== part)
    .map(([process, part]) => ({ type: 'weigh', process, part }));
}

function partsIn<Process, Caller>(state: State<Process, Caller>): Map<Process, number> {
  const running = runningIn(state);
  const byAccount = Map.groupBy(running, ([, account]) => account);
  return new Map(running.map(([process, account]) => [process, 1 / (byAccount.get(account)?.length ?? 1)]));
}

function withQueue<Process, Caller>(
  { queues }: State<Process, Caller>,
  account: bigint,
  change: (queue: readonly Caller[]) => readonly Caller[],
): Map<bigint, readonly Caller[]> {
  const changed = change(queues.get(account) ?? []);
  return changed.length > 0 ? new Map(queues).set(account, changed) : without(queues, account);
}

function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Map<Key, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
