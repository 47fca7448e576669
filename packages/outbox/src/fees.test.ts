import { Eip1559FeesNotSupportedError } from 'viem';
import { describe, expect, test } from 'vitest';
import { readFees } from './fees.ts';

const GWEI = 10n ** 9n;

/** A chain with this base fee and tip. */
const chainOf = (baseFeePerGas: bigint | null, tip: bigint) => {
  const client = {
    getBlock: async () => ({ baseFeePerGas }),
    estimateMaxPriorityFeePerGas: async () => tip,
  };
  return { heldByTwo: (question: (asked: typeof client) => Promise<bigint>) => question(client) } as never;
};

describe('the fees of the market', () => {
  test('are twice the base fee and the tip', async () => {
    const fees = await readFees(chainOf(30n * GWEI, 2n * GWEI));
    expect(fees).toEqual({ maxFeePerGas: 62n * GWEI, maxPriorityFeePerGas: 2n * GWEI });
  });

  test.each([
    {
      title: 'that is usual on a chain without a base fee',
      baseFee: 0n,
      tip: 50n * GWEI,
      offered: 50n * GWEI,
    },
    { title: 'of a congested chain', baseFee: 500n * GWEI, tip: 5_000n * GWEI, offered: 5_000n * GWEI },
    { title: 'above 100 gwei and ten base fees', baseFee: GWEI, tip: 4_600n * GWEI, offered: 100n * GWEI },
    { title: 'above ten high base fees', baseFee: 30n * GWEI, tip: 4_600n * GWEI, offered: 300n * GWEI },
  ])('have a ceiling of the tip: one $title', async ({ baseFee, tip, offered }) => {
    const fees = await readFees(chainOf(baseFee, tip));
    expect(fees).toEqual({ maxFeePerGas: 2n * baseFee + offered, maxPriorityFeePerGas: offered });
  });

  test('are not there on a chain without a base fee in its blocks', async () => {
    await expect(readFees(chainOf(null, GWEI))).rejects.toThrow(Eip1559FeesNotSupportedError);
  });
});
