/** Ends a run when its usage key is removed, expires, or loses its permission for the action. */

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

type Running = WatchedRun & { stop: AbortController };

export function createRunWatch(accountConfig: Pick<AccountConfig, 'read'>, log: Logger): RunWatch {
  const byAccount = new Map<bigint, Set<Running>>();

  const check = async (account: bigint, minBlock: bigint): Promise<void> => {
    /** One question covers all runs of a key and action. */
    const answers = new Map<string, Promise<boolean>>();
    const runs = [...(byAccount.get(account) ?? [])];
    await Promise.all(
      runs.map(async ({ key, cidHash, stop }) => {
        const id = `${key} ${cidHash}`;
        const answer = answers.get(id) ?? accountConfig.read('canExecuteAction', [key, cidHash], minBlock);
        answers.set(id, answer);
        if (!(await answer))
          stop.abort(
            new ActionError('PermissionError', 'the usage key is no longer permitted to run this action'),
          );
      }),
    );
  };

  return {
    watch(run) {
      const running: Running = { ...run, stop: new AbortController() };
      const runs = byAccount.get(run.account) ?? new Set();
      byAccount.set(run.account, runs.add(running));
      const expiresInMs = Number(run.expiration) * 1_000 - Date.now();
      const expiry =
        run.expiration === 0n || expiresInMs > LONGEST_TIMER_MS
          ? undefined
          : setTimeout(
              () => running.stop.abort(new ActionError('PermissionError', 'the usage key has expired')),
              expiresInMs,
            );
      return {
        signal: running.stop.signal,
        [Symbol.dispose]() {
          clearTimeout(expiry);
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
