/** Limits the number of running and waiting runs, in total and per account, and lets them end when the relayer stops. */
import { setTimeout as delay } from 'node:timers/promises';
import { RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { RunInterruptedError, RunShareError } from './errors.ts';

export type AdmissionLimits = {
  maxConcurrentRuns: number;
  maxConcurrentRunsPerAccount: number;
  maxQueuedRuns: number;
  maxQueuedRunsPerAccount: number;
};

/** Bytes of code that running and waiting runs hold in memory. */
const MAX_CODE_BYTES = 256 * 1024 * 1024;
const MAX_CODE_BYTES_PER_ACCOUNT = 64 * 1024 * 1024;

type Held = { runs: number; codeBytes: number };

/** The slot of one run. Disposing it frees the slot. */
export type Place = Disposable & {
  /** Aborts with a `RunInterruptedError` when the relayer does not wait for the run any longer. */
  signal: AbortSignal;
  /**
   * Sets the code that the run holds in memory. Throws like `admit`; the first run of an account can hold any code.
   */
  holdCode: (bytes: number) => void;
};

export type Admission = {
  /**
   * Admits one run of the account. Throws `RunShareError` when the account has its share of slots and queue, and
   * `RuntimeUnavailableError` when all slots and the queue are full, and after `drain`.
   */
  admit: (account: bigint) => Place;
  /** Admits no further run and interrupts the runs that last longer than `timeoutMs`. Resolves when the last run has ended. */
  drain: (timeoutMs: number) => Promise<void>;
  /** Number of running and waiting runs. */
  held: () => number;
};

export function createAdmission(limits: AdmissionLimits): Admission {
  const maxRuns = limits.maxConcurrentRuns + limits.maxQueuedRuns;
  const maxRunsPerAccount = limits.maxConcurrentRunsPerAccount + limits.maxQueuedRunsPerAccount;
  const perAccount = new Map<bigint, Held>();
  const all: Held = { runs: 0, codeBytes: 0 };
  const interruption = new AbortController();
  const drained = Promise.withResolvers<void>();
  let isDraining = false;
  return {
    held: () => all.runs,
    async drain(timeoutMs) {
      isDraining = true;
      if (all.runs === 0) return;
      const timer = new AbortController();
      const timeout = delay(timeoutMs, 'timeout', { signal: timer.signal }).catch(() => {});
      if ((await Promise.race([drained.promise, timeout])) === 'timeout')
        interruption.abort(new RunInterruptedError('the relayer stopped before the run ended'));
      timer.abort();
      await drained.promise;
    },
    admit(account) {
      if (isDraining) throw new RuntimeUnavailableError('the relayer is stopping');
      const own = perAccount.get(account) ?? { runs: 0, codeBytes: 0 };
      if (own.runs >= maxRunsPerAccount)
        throw new RunShareError(`the account has ${maxRunsPerAccount} running and waiting runs, the maximum`);
      if (all.runs >= maxRuns) throw new RuntimeUnavailableError('too many runs are waiting');
      perAccount.set(account, own);
      for (const held of [own, all]) held.runs += 1;
      let heldBytes = 0;
      let isOpen = true;
      return {
        signal: interruption.signal,
        holdCode(bytes) {
          const more = bytes - heldBytes;
          if (more > 0 && own.codeBytes > heldBytes && own.codeBytes + more > MAX_CODE_BYTES_PER_ACCOUNT)
            throw new RunShareError('the runs of this account hold too much code in memory');
          if (more > 0 && all.codeBytes + more > MAX_CODE_BYTES)
            throw new RuntimeUnavailableError('all runs together hold too much code in memory');
          heldBytes = bytes;
          for (const held of [own, all]) held.codeBytes += more;
        },
        [Symbol.dispose]() {
          if (!isOpen) return;
          isOpen = false;
          for (const held of [own, all]) {
            held.runs -= 1;
            held.codeBytes -= heldBytes;
          }
          if (own.runs === 0) perAccount.delete(account);
          if (isDraining && all.runs === 0) drained.resolve();
        },
      };
    },
  };
}
