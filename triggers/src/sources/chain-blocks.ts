/** Logs of single blocks, read once for all triggers of a chain. */
import type { Hex } from 'viem';
import { type BloomTest, openBloom } from './chain-bloom.ts';
import type { Block, ChainLog, ChainRpc, Topics } from './chain-rpc.ts';
import { chunks } from './chunks.ts';

/** Contracts, and values per topic, in an `eth_getLogs`. Nodes accept about 1,000. */
const FILTERED = 500;

/** Filters in single requests. More are one request for all logs of the events, whatever their contracts. */
const MAX_REQUESTS = 4;
export const MAX_FILTERED = FILTERED * MAX_REQUESTS;

/** Without `address`: logs of all contracts. */
export type LogFilter = { address?: Hex; topics: Topics };

export type BlockReader = {
  /** Resolves to the logs of a block that match any of the filters, and possibly more. */
  read: (block: Block) => Promise<ChainLog[]>;
};

/** Blocks are read again by a new reader only, so filters must not change while one is in use. */
export function createBlockReader(
  rpc: Pick<ChainRpc, 'logs'>,
  chainId: number,
  filtersOf: (mayHave: BloomTest) => LogFilter[],
): BlockReader {
  const read = new Map<Hex, Promise<ChainLog[]>>();

  const request = async ({ number, hash, logsBloom }: Block): Promise<ChainLog[]> => {
    const filters = unite(filtersOf(openBloom(chainId, logsBloom)));
    const found = await Promise.all(filters.map((filter) => rpc.logs({ blockHash: hash, ...filter })));
    const logs = found.flat();
    if (logs.some((log) => log.blockHash !== hash || log.blockNumber !== number))
      throw new Error('node returned logs of another block');
    return logs;
  };

  return {
    read(block) {
      const logs = read.get(block.hash) ?? request(block);
      read.set(block.hash, logs);
      return logs;
    },
  };
}

/** Returns filters that match all logs that any of the given filters matches, and possibly more. */
function unite(filters: readonly LogFilter[]): { address?: Hex[]; topics: Topics }[] {
  const different = new Map(filters.map((filter) => [JSON.stringify(filter), filter]));
  const { listed = [], open = [] } = Object.groupBy(different.values(), ({ address }) =>
    address === undefined ? 'open' : 'listed',
  );
  const all = chunks(listed, FILTERED).map((some) => ({
    address: [...new Set(some.flatMap(({ address = [] }) => address))],
    topics: uniteTopics(some.map(({ topics }) => topics)),
  }));
  const ofEvents = (some: readonly { topics: Topics }[]) => ({
    topics: uniteTopics(some.map(({ topics }) => topics)),
  });
  return [
    ...(all.length <= MAX_REQUESTS ? all : [ofEvents(all)]),
    ...(open.length > 0 ? [ofEvents(open)] : []),
  ];
}

function uniteTopics(all: readonly Topics[]): Topics {
  const length = Math.min(...all.map((topics) => topics.length));
  const united = Array.from({ length }, (_, position) => {
    const values = new Set(all.flatMap((topics) => topics[position] ?? []));
    const isAny = values.size > FILTERED || all.some((topics) => topics[position] === null);
    return isAny ? null : [...values];
  });
  // For a trailing null, a node requires that the log has that topic.
  while (united.at(-1) === null) united.pop();
  return united;
}
