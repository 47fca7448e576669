/** Finds signed writes that the contract has executed, whoever submitted them. */

import type { Chain } from '@latchkey/chain/chain';
import { toChainError } from '@latchkey/chain/errors';
import { accountConfigAbi } from '@latchkey/protocol';
import { type Address, getAbiItem, type Hex } from 'viem';
import { BEHIND_MS, contentOf } from './agreed-logs.ts';

/** Nodes that limit the range of a log query permit at least this many blocks. */
const PERMITTED_RANGE = 10_000n;

type SignedDigest = { signer: Address; nonce: bigint; digest: Hex };
export type ExecutedWrites = { blockNumber: bigint; transactionHash: Hex };

/** Resolves to the transaction that executed the signed writes with this digest, or to undefined. Rejects with `ChainUnavailableError`. */
export type FindExecutedWrites = (signed: SignedDigest) => Promise<ExecutedWrites | undefined>;

/** @param startBlock Block of the deployment. */
export function createExecutedWrites(
  chain: Pick<Chain, 'agreed' | 'refreshHead'>,
  { address, startBlock }: { address: Address; startBlock: number },
): FindExecutedWrites {
  return async ({ signer, nonce, digest }) => {
    const head = await chain.refreshHead();
    // One node could invent an execution, or hide one from a client that would sign again.
    const read = (fromBlock: bigint) =>
      chain.agreed(
        (client) =>
          client.getLogs({
            address,
            event: getAbiItem({ abi: accountConfigAbi, name: 'SignedWritesExecuted' }),
            args: { signer, nonce },
            fromBlock,
            strict: true,
          }),
        (logs) => logs.map(contentOf),
        BEHIND_MS,
      );
    const start = BigInt(startBlock);
    const latest = head - PERMITTED_RANGE + 1n;
    const logs = await read(start)
      .catch((error: unknown) => {
        if (latest <= start) throw error;
        return read(latest);
      })
      .catch((error: unknown) => {
        throw toChainError(error);
      });
    const executed = logs.find(({ args }) => args.digest === digest);
    return executed && { blockNumber: executed.blockNumber, transactionHash: executed.transactionHash };
  };
}
