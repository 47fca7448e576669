/** Logs of the contract on which nodes agree: one of them can neither invent nor hide one. */
import { isDeepStrictEqual } from 'node:util';
import type { Chain } from '@latchkey/chain/chain';
import type { Address, Log } from 'viem';

/** A node can be some blocks behind another one for this long. */
export const BEHIND_MS = 3_000;

type Place = Pick<Log, 'blockHash' | 'logIndex' | 'topics' | 'data'>;
/** The part of a log that nodes must tell alike. */
export const contentOf = ({ blockHash, logIndex, topics, data }: Place) => ({
  blockHash,
  logIndex,
  topics,
  data,
});

/** Resolves to the logs of these blocks, all of which the nodes have. */
export const readLogs = (
  chain: Pick<Chain, 'agreed'>,
  address: Address,
  [fromBlock, toBlock]: [bigint, bigint],
  patienceMs?: number,
): Promise<Log[]> =>
  chain.agreed(
    (client) => client.getLogs({ address, fromBlock, toBlock }),
    (logs) => logs.map(contentOf),
    patienceMs,
  );

/** Resolves to whether the contract has emitted the log. Rejects when the nodes do not reach its block. */
export async function isOnChain(
  chain: Pick<Chain, 'agreed' | 'reach'>,
  address: Address,
  log: Log,
): Promise<boolean> {
  const { blockNumber } = log;
  if (blockNumber === null) return false;
  await chain.reach(blockNumber);
  const logs = await readLogs(chain, address, [blockNumber, blockNumber], BEHIND_MS);
  return logs.some((other) => isDeepStrictEqual(contentOf(other), contentOf(log)));
}
