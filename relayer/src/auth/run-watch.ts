/** Ends a run when its usage key is removed, expires, or loses its permission for the action, also by a change during the run. */

import { later } from '@latchkey/chain/chain';
import { ActionError } from '@latchkey/runner-protocol';
import type { Logger } from 'pino';
import type { AccountConfig } from '../chain/account-config.ts';

const RETRY_MS = 1_000;
/** The runs of an account are checked at least this often: a node that pushes logs can be silent, or leave some out. */
const RECHECK_MS = 30_000;
/** Maximum delay of setTimeout. No run lasts longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type WatchedRun = {
  /** Master hash. */
  account: bigint;
  /** Hash of the usage key. */
  key: bigint;
  cidHash: bigint;
  /** Unix seconds at which the key expires; 0 for no expiry. */
  expiration: bigint;
};

export type RunWatch = {
  /**
   * Returns a `signal` that aborts with an `ActionError` once the run is no longer permitted. Dispose it when the run
   * has ended.
   */
  watch: (run: WatchedRun) => Disposable & { signal: AbortSignal };
  /**
   * Asks the contract again about the runs of this account, or of all accounts, at `minBlock` or later. Repeats every second until the
   * contract answers.
   */
  recheck: (account?: bigint, minBlock?: bigint) => void;
};

type Running = WatchedRun & {
  stop: AbortController;
  expiry?: NodeJS.Timeout | undefined;
  /** Number of the latest check that read the expiration. */
  lastCheck: number;
};

/** Ends the run at this expiration of its key, and no longer at an earlier one. */
function setExpiration(running: Running, expiration: bigint): void {
  clearTimeout(running.expiry);
  const expiresInMs = Number(expiration) * 1_000 - Date.now();
  if (expiration === 0n || expiresInMs > LONGEST_TIMER_MS) return;
  running.expiry = setTimeout(
    () => running.stop.abort(new ActionError('PermissionError', 'the usage key has expired')),
    expiresInMs,
  );
}

/** Returns a function that asks each question once and gives every caller its answer. */
function askedOnce<Answer>() {
  const answers = new Map<string, Promise<Answer>>();
  return (question: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const answer = answers.get(question) ?? ask();
    answers.set(question, answer);
    return answer;
  };
}

/** Asks the contract about all runs of an account. `number` orders the checks. */
async function checkRuns(
  runs: ReadonlySet<Running>,
  { read }: Pick<AccountConfig, 'read'>,
  minBlock: bigint,
  number: number,
): Promise<void> {
  const permission = askedOnce<boolean>();
  const expiration = askedOnce<bigint>();
  const checkPermission = async ({ key, cidHash, stop }: Running): Promise<void> => {
    const isPermitted = await permission(`${key} ${cidHash}`, () =>
      read('canExecuteAction', [key, cidHash], minBlock),
    );
    const message = 'the usage key is no longer permitted to run this action';
    if (!isPermitted) stop.abort(new ActionError('PermissionError', message));
  };
  const checkExpiration = async (running: Running): Promise<void> => {
    const { key } = running;
    const newExpiration = await expiration(`${key}`, async () => (await read('resolve', [key], minBlock))[4]);
    // A later check has read a newer state.
    if (!runs.has(running) || number < running.lastCheck) return;
    running.lastCheck = number;
    setExpiration(running, newExpiration);
  };
  // One check takes effect even if the other fails.
  const open = [...runs].filter(({ stop }) => !stop.signal.aborted);
  await Promise.all(open.flatMap((running) => [checkPermission(running), checkExpiration(running)]));
}

export function createRunWatch(accountConfig: Pick<AccountConfig, 'read'>, log: Logger): RunWatch {
  const byAccount = new Map<bigint, { runs: Set<Running>; timer: NodeJS.Timeout }>();
  let checks = 0;
  /** Block of the next check of an account whose last one failed. */
  const retries = new Map<bigint, bigint>();
  const recheck = (account: bigint, minBlock: bigint): void => {
    const runs = byAccount.get(account)?.runs;
    if (!runs) return;
    checks += 1;
    // Meanwhile the key nodes release nothing to these runs, because they ask the contract themselves.
    checkRuns(runs, accountConfig, minBlock, checks).catch((err: unknown) => {
      log.warn({ err }, 'failed to check the permissions of runs');
      const waiting = retries.get(account);
      retries.set(account, later(minBlock, waiting ?? 0n));
      if (waiting !== undefined) return;
      setTimeout(() => {
        const block = retries.get(account) ?? 0n;
        retries.delete(account);
        recheck(account, block);
      }, RETRY_MS).unref();
    });
  };

  return {
    watch(run) {
      const running: Running = { ...run, stop: new AbortController(), lastCheck: 0 };
      const watched = byAccount.get(run.account) ?? {
        runs: new Set(),
        timer: setInterval(() => recheck(run.account, 0n), RECHECK_MS).unref(),
      };
      watched.runs.add(running);
      byAccount.set(run.account, watched);
      setExpiration(running, run.expiration);
      return {
        signal: running.stop.signal,
        [Symbol.dispose]() {
          clearTimeout(running.expiry);
          watched.runs.delete(running);
          if (watched.runs.size > 0 || byAccount.get(run.account) !== watched) return;
          byAccount.delete(run.account);
          clearInterval(watched.timer);
        },
      };
    },
    recheck(account, minBlock = 0n) {
      for (const one of account === undefined ? [...byAccount.keys()] : [account]) recheck(one, minBlock);
    },
  };
}
