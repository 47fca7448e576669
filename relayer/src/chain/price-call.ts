import type { Address, Hex } from 'viem';
import type { Chain } from './chain.ts';
import { toChainError } from './errors.ts';
import type { Fees } from './outbox.ts';

type ContractCall = { from: Address; to: Address; data: Hex };

/** Rejects with `ContractRevertError` when the call reverts, at the latest block or at this one. */
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
 * Simulates a call and returns its gas and fees; undefined when `from` cannot pay for it. Rejects with `ContractRevertError`
 * or `ChainUnavailableError`.
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
  // The revert of the call counts, not what a node says of it when it estimates.
  for (const question of asked) question.catch(() => {});
  await simulate(chain, call);
  const [estimate, { maxFeePerGas, maxPriorityFeePerGas }, balance] = await Promise.all(asked).catch(
    (error: unknown) => {
      throw toChainError(error);
    },
  );
  // Transactions before it may make it dearer than it is now.
  const gas = (estimate * 13n) / 10n + 30_000n;
  return balance < gas * maxFeePerGas ? undefined : { gas, maxFeePerGas, maxPriorityFeePerGas };
}
