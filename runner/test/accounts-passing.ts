/** The memory of the runner per account, action or runner, each with stand-ins for what it asks. */
import { hash } from 'node:crypto';
import { isSignedBy } from '@latchkey/key-protocol';
import { cidOf } from '@latchkey/protocol';
import type { Passings } from '@latchkey/testing/heap';
import { createActionCodes } from '../src/connection/action-codes.ts';
import { createActionNames } from '../src/fetching/action-names.ts';
import { advance, emptyState } from '../src/scheduling/scheduler.ts';

const limits = { size: 1, maxTaken: 1, maxTakenPerAccount: 1, maxStarting: 0 };

export function openPassings(): Passings {
  const names = createActionNames([]);
  const codes = createActionCodes();
  let state = emptyState<number, number>();
  return {
    'names that runs look up': { accounts: 20_000, pass: (n) => names.forRun(BigInt(n)).close() },
    'codes of actions': {
      accounts: 1_000,
      pass: async (n) => {
        const code = Buffer.alloc(100_000, `code ${n}`);
        await codes.keep(await cidOf(code), code);
      },
    },
    'accounts that ask for a process': {
      accounts: 20_000,
      pass: (n) => {
        for (const type of ['asked', 'gave up'] as const)
          ({ state } = advance(limits, state, { type, account: BigInt(n), caller: n }));
      },
    },
    'public keys of identities': {
      accounts: 12_000,
      pass: (n) => isSignedBy(hash('sha256', `identity ${n}`), Buffer.from('a message'), '0'.repeat(128)),
    },
  };
}
