import { parseGwei } from 'viem';
import type { ToSignByRun } from '../src/wallet-transactions/types.ts';

const fees = (gwei: string) => ({
  maxFeePerGas: parseGwei(gwei),
  maxPriorityFeePerGas: parseGwei('1'),
});

/** Returns the fees that a run is asked to sign for a nonce. */
export const formsAt = (nonce: number, gas = 100_000n): ToSignByRun => ({
  nonce,
  gas,
  forms: [fees('10'), fees('12'), fees('15')],
  cancel: { ...fees('20'), gas: 21_000n },
});
