/** Bounds how many runs may be under way or wait, in all and per account. */
import { RunShareError, RuntimeUnavailableError } from './errors.ts';

export type AdmissionLimits = {
  /** Runs at once. */
  maxConcurrentRuns: number;
  /** Runs at once of one account. */
  maxConcurrentRunsPerAccount: number;
  /** Runs that wait for a slot. */
  maxQueuedRuns: number;
  /** Runs of one account that wait for a slot. */
  maxQueuedRunsPerAccount: number;
};

/** Bytes of code that runs under way or waiting hold in memory. */
const MAX_CODE_BYTES = 256 * 1024 * 1024;
const MAX_CODE_BYTES_PER_ACCOUNT = 64 * 1024 * 1024;

type Held = { runs: number; codeBytes: number };

/** The place of one run. Disposing it gives the place back. */
export type Place = Disposable & {
  /** Counts the code that the run holds in memory. Throws like `admit`; the first run of an account may hold any code. */
  holdCode: (bytes: number) => void;
};

export type Admission = {
  /**
   * Admits one run of the account. Throws `RunShareError` when the account has its share of slots and queue,
   * `RuntimeUnavailableError` when all accounts together have filled both.
   */
  admit: (account: bigint) => Place;
};

export function createAdmission(limits: AdmissionLimits): Admission {
  const maxRuns = limits.maxConcurrentRuns + limits.maxQueuedRuns;
  const maxRunsPerAccount = limits.maxConcurrentRunsPerAccount + limits.maxQueuedRunsPerAccount;
  const perAccount = new Map<bigint, Held>();
  const all: Held = { runs: 0, codeBytes: 0 };
  return {
    admit(account) {
      const own = perAccount.get(account) ?? { runs: 0, codeBytes: 0 };
      if (own.runs >= maxRunsPerAccount)
        throw new RunShareError(`the account has ${maxRunsPerAccount} runs under way or waiting`);
      if (all.runs >= maxRuns) throw new RuntimeUnavailableError('too many runs are waiting');
      perAccount.set(account, own);
      for (const held of [own, all]) held.runs += 1;
      let heldBytes = 0;
      let isOpen = true;
      return {
        holdCode(bytes) {
          if (own.codeBytes > 0 && own.codeBytes + bytes > MAX_CODE_BYTES_PER_ACCOUNT)
            throw new RunShareError('the runs of the account hold too much code');
          if (all.codeBytes + bytes > MAX_CODE_BYTES)
            throw new RuntimeUnavailableError('the runs hold too much code');
          heldBytes += bytes;
          for (const held of [own, all]) held.codeBytes += bytes;
        },
        [Symbol.dispose]() {
          if (!isOpen) return;
          isOpen = false;
          for (const held of [own, all]) {
            held.runs -= 1;
            held.codeBytes -= heldBytes;
          }
          if (own.runs === 0) perAccount.delete(account);
        },
      };
    },
  };
}
