/** When the contract's approval of the next group changed, by the logs of the contract and the times of its blocks. */
import { APPROVED_NODES_CONFIGURATION } from '@latchkey/key-protocol';
import { accountConfigAbi } from '@latchkey/protocol';
import { type Address, decodeEventLog, hexToBigInt, type PublicClient } from 'viem';
import type { Block } from '../blocks.ts';
import { MAX_RANGE, readLogs } from '../pins/read-pins.ts';

export type ApprovalReader = {
  /**
   * Returns the time of the block of the last change, in Unix seconds; undefined when it was `waitSec` before this block, or earlier. A
   * repeated equal value counts as a change. Rejects when the last change did not set this text.
   */
  lastChangeSec: (at: Block, text: string, waitSec: number) => Promise<number | undefined>;
};

/**
 * Searches the logs backwards from a block, as far as the waiting time reaches. Logs count, and not when the node first saw the approval: a
 * node that was down, or is new, waits as long as all others.
 */
export function createApprovalReader(client: PublicClient, address: Address): ApprovalReader {
  const timeOf = async (blockNumber: bigint) => Number((await client.getBlock({ blockNumber })).timestamp);
  const lastIn = async (from: bigint, to: bigint) => {
    const logs = await readLogs(client, address, ['NodeConfigurationSet'], from, to);
    return logs
      .map(({ topics, data, blockNumber }) => {
        const { args } = decodeEventLog({
          abi: accountConfigAbi,
          eventName: 'NodeConfigurationSet',
          topics,
          data,
        });
        return { ...args, block: hexToBigInt(blockNumber) };
      })
      .findLast(({ key }) => key === APPROVED_NODES_CONFIGURATION);
  };
  return {
    async lastChangeSec(at, text, waitSec) {
      const horizonSec = at.timestampSec - waitSec;
      for (let to = at.number; to >= 0n; to -= MAX_RANGE) {
        const from = to < MAX_RANGE ? 0n : to - MAX_RANGE + 1n;
        const last = await lastIn(from, to);
        if (last && last.value !== text) break;
        if (last) return timeOf(last.block);
        if ((await timeOf(from)) <= horizonSec) return undefined;
      }
      throw new Error(`no log of ${APPROVED_NODES_CONFIGURATION} sets its value`);
    },
  };
}
