/** The fees that the chain asks for now. One node of several does not set them: its operator could build the block, and be paid the tip. */
import { BASE_FEE_MULTIPLIER, type Chain } from '@latchkey/chain/chain';
import { Eip1559FeesNotSupportedError, type PublicClient } from 'viem';
import type { Fees } from './tables.ts';
import { higher, lower } from './transitions.ts';

/**
 * The highest tip, as a multiple of the base fee and at least in wei. In a congestion the base fee rises with the tips, and chains with little or no
 * base fee have tips below 50 gwei.
 */
const HIGHEST_TIP = { perBaseFee: 10n, leastWei: 100n * 10n ** 9n };

/** Returns fees that a rise of the base fee by half leaves high enough. */
export async function readFees({ heldByTwo }: Pick<Chain, 'heldByTwo'>): Promise<Fees> {
  const [baseFee, tip] = await Promise.all([
    heldByTwo(readBaseFee),
    heldByTwo((client) => client.estimateMaxPriorityFeePerGas()),
  ]);
  const maxPriorityFeePerGas = lower(tip, higher(HIGHEST_TIP.perBaseFee * baseFee, HIGHEST_TIP.leastWei));
  return { maxFeePerGas: BigInt(BASE_FEE_MULTIPLIER) * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

async function readBaseFee(client: PublicClient): Promise<bigint> {
  const { baseFeePerGas } = await client.getBlock();
  if (typeof baseFeePerGas !== 'bigint') throw new Eip1559FeesNotSupportedError();
  return baseFeePerGas;
}
