/** Signed writes that any caller can submit: whether and where the contract executed them. */
import { accountConfigAbi, type Deployment } from '@latchkey/protocol';
import { decodeFunctionData, getAbiItem, type Hex, isAddressEqual } from 'viem';
import type { Chain } from './chain.ts';
import { toChainError } from './errors.ts';

export type Executed = { blockNumber: bigint; transactionHash: Hex };

/**
 * Resolves to the transaction that executed the writes with this nonce, when `isSame` accepts the arguments of its call; to undefined when
 * the nonce was used otherwise. Rejects when the node cannot tell: some refuse to search all blocks.
 */
export type FindExecuted = (
  account: bigint,
  nonce: bigint,
  isSame: (calls: readonly Hex[], nonce: bigint, deadline: bigint) => Promise<boolean>,
) => Promise<Executed | undefined>;

export function createFindExecuted(
  { client }: Pick<Chain, 'client'>,
  { address, startBlock }: Pick<Deployment, 'address' | 'startBlock'>,
): FindExecuted {
  const event = getAbiItem({ abi: accountConfigAbi, name: 'SignedWritesExecuted' });
  return async (account, nonce, isSame) => {
    try {
      const args = { masterApiKeyHash: account };
      const logs = await client.getLogs({
        address,
        event,
        args,
        fromBlock: BigInt(startBlock),
        strict: true,
      });
      for (const { args, blockNumber, transactionHash } of logs.toReversed()) {
        if (args.nonce !== nonce) continue;
        const { to, input } = await client.getTransaction({ hash: transactionHash });
        // A contract that submitted them has other calldata.
        if (to === null || !isAddressEqual(to, address))
          throw new Error('another contract submitted the writes');
        const call = decodeFunctionData({ abi: accountConfigAbi, data: input });
        if (call.functionName !== 'executeSigned') continue;
        const [, calls, usedNonce, deadline] = call.args;
        if (await isSame(calls, usedNonce, deadline)) return { blockNumber, transactionHash };
      }
      return undefined;
    } catch (error) {
      throw toChainError(error);
    }
  };
}
