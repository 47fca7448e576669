import type { Address, Hex } from 'viem';
import type { Chain } from './chain.ts';
import { ContractRevertError, TooMuchGasError, toChainError } from './errors.ts';

type ContractCall = { from: Address; to: Address; data: Hex };

/**
 * Simulates a call at `blockNumber`, by default at the latest block. Rejects with `ContractRevertError` when it
 * reverts.
 */
export async function simulate(
  { client }: Pick<Chain, 'client'>,
  { from, to, data }: ContractCall,
  blockNumber?: bigint,
): Promise<void> {
  const block = blockNumber === undefined ? {} : { blockNumber };
  await client.call({ account: from, to, data, ...block }).catch((error: unknown) => {
    throw toChainError(error);
  });
}

/**
 * Returns the gas limit of a call. The estimate executes the call, so that it is also its simulation. Rejects with
 * `ContractRevertError`, `TooMuchGasError` for an estimate above `maxGas`, or `ChainUnavailableError`.
 */
export async function estimateGas(
  chain: Pick<Chain, 'client'>,
  { from, to, data }: ContractCall,
  maxGas: bigint,
): Promise<bigint> {
  const estimate = await chain.client
    .estimateGas({ account: from, to, data })
    .catch(async (error: unknown) => {
      const refusal = toChainError(error);
      // Some nodes report a failed estimate without the data of the revert.
      if (!(refusal instanceof ContractRevertError)) await simulate(chain, { from, to, data });
      throw refusal;
    });
  if (estimate > maxGas) throw new TooMuchGasError(estimate, maxGas);
  // Headroom: earlier transactions in the block can increase its gas.
  return (estimate * 13n) / 10n + 30_000n;
}
