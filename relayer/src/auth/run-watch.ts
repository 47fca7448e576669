/** Ends a run when its usage key is removed, expires, or loses its permission for the action, also by a change during the run. */

import { ActionError } from '@latchkey/runner-protocol';
import type { Logger } from 'pino';
import type { AccountConfig } from '../chain/account-config.ts';

/** Maximum delay of setTimeout. No run lasts longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type WatchedRun = {
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
  /** Asks the contract again about the runs of this account, or of all accounts, at `minBlock` or later. */
  recheck: (account?: bigint, minBlock?: bigint) => void;
};

type Running = WatchedRun & {
  stop: AbortController;
  expiry?: NodeJS.Timeout | undefined;
  /** The number of the latest check that has told the expiration. */
  lastCheck: number;
};

/** Ends the run when its key expires, and at no earlier expiration. */
function setExpiration(running: Running, expiration: bigint): void {
  clearTimeout(running.expiry);
  const expiresInMs = Number(expiration) * 1_000 - Date.now();
  if (expiration === 0n || expiresInMs > LONGEST_TIMER_MS) return;
  running.expiry = setTimeout(
    () => running.stop.abort(new ActionError('PermissionError', 'the usage key has expired')),
    expiresInMs,
  );
}

/** Resolves to one answer per question, also for several askers. */
function askedOnce<Answer>() {
  const answers = new Map<string, Promise<Answer>>();
  return (question: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const answer = answers.get(question) ?? ask();
    answers.set(question, answer);
    return answer;
  };
}

export function createRunWatch(accountConfig: Pick<AccountConfig, 'read'>, log: Logger): RunWatch {
  const byAccount = new Map<bigint, Set<Running>>();
  let checks = 0;

  const check = async (account: bigint, minBlock: bigint): Promise<void> => {
    const number = ++checks;
    const permission = askedOnce<boolean>();
    const expiration = askedOnce<bigint>();
    const runs = byAccount.get(account) ?? new Set();
    await Promise.all(
      [...runs].map(async (running) => {
        const { key, cidHash, stop } = running;
        const [isPermitted, newExpiration] = await Promise.all([
          permission(`${key} ${cidHash}`, () =>
            accountConfig.read('canExecuteAction', [key, cidHash], minBlock),
          ),
          expiration(`${key}`, async () => (await accountConfig.read('resolve', [key], minBlock))[4]),
        ]);
        if (!isPermitted)
          stop.abort(
            new ActionError('PermissionError', 'the usage key is no longer permitted to run this action'),
          );
        // An answer that later checks overtook is of an older state.
        else if (runs.has(running) && number > running.lastCheck) {
          running.lastCheck = number;
          setExpiration(running, newExpiration);
        }
      }),
    );
  };

  return {
    watch(run) {
      const running: Running = { ...run, stop: new AbortController(), lastCheck: 0 };
      const runs = byAccount.get(run.account) ?? new Set();
      byAccount.set(run.account, runs.add(running));
      setExpiration(running, run.expiration);
      return {
        signal: running.stop.signal,
        [Symbol.dispose]() {
          clearTimeout(running.expiry);
          runs.delete(running);
          if (runs.size === 0 && byAccount.get(run.account) === runs) byAccount.delete(run.account);
        },
      };
    },
    recheck(account, minBlock = 0n) {
      const accounts = account === undefined ? [...byAccount.keys()] : [account];
      // The key functions of these runs ask the contract themselves and release nothing meanwhile.
      for (const one of accounts.filter((known) => byAccount.has(known)))
        check(one, minBlock).catch((err: unknown) =>
          log.warn({ err }, 'failed to check the permissions of runs'),
        );
    },
  };
}
