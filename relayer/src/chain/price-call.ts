import type { Address, Hex } from 'viem';
import type { Chain } from './chain.ts';
import { toChainError } from './errors.ts';
import type { Fees } from './outbox.ts';

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
 * Simulates a call and returns its gas and fees; undefined when `from` cannot pay for it. Rejects with
 * `ContractRevertError` or `ChainUnavailableError`.
 */
export async function priceCall(
  chain: Pick<Chain, 'client'>,
  call: ContractCall,
): Promise<(Fees & { gas: bigint }) | undefined> {
  const { client } = chain;
  const { from, to, data } = call;
  const asked = [
    client.estimateGas({ account: from, to, data }),
    client.estimateFeesPerGas(),
    client.getBalance({ address: from }),
  ] as const;
  // Report the revert of the call rather than the node's estimation error.
  for (const question of asked) question.catch(() => {});
  await simulate(chain, call);
  const [estimate, { maxFeePerGas, maxPriorityFeePerGas }, balance] = await Promise.all(asked).catch(
    (error: unknown) => {
      throw toChainError(error);
    },
  );
  // Headroom: earlier transactions in the block can increase its gas.
  const gas = (estimate * 13n) / 10n + 30_000n;
  return balance < gas * maxFeePerGas ? undefined : { gas, maxFeePerGas, maxPriorityFeePerGas };
}
