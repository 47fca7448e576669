/** Logs of single blocks, read once for all triggers of a chain. */
import type { Hex } from 'viem';
import { mayHaveLogs } from './chain-bloom.ts';
import { contractsOf } from './chain-config.ts';
import type { Block, ChainLog, ChainRpc, Topics } from './chain-rpc.ts';
import type { Followed } from './fired-logs.ts';

/** Contracts, and values per topic, in an `eth_getLogs`. Nodes accept about 1,000. */
const FILTERED = 500;

type Filter = { address: Hex; topics: Topics };

export type BlockReader = {
  /** Resolves to the logs of a block that match any of the triggers. */
  read: (block: Block) => Promise<ChainLog[]>;
};

/** Blocks are read again by a new reader only, so triggers must not change while one is in use. */
export function createBlockReader(
  rpc: Pick<ChainRpc, 'logs'>,
  triggers: readonly Pick<Followed, 'config' | 'topic0'>[],
): BlockReader {
  const read = new Map<Hex, Promise<ChainLog[]>>();

  const request = async ({ hash, logsBloom }: Block): Promise<ChainLog[]> => {
    const filters: Filter[] = [];
    for (const { config, topic0 } of triggers) {
      const topics = [topic0, ...config.topic_filters];
      for (const address of contractsOf(config))
        if (mayHaveLogs(config.chain_id, logsBloom, { address, topics })) filters.push({ address, topics });
    }
    const found = await Promise.all(unite(filters).map((filter) => rpc.logs({ blockHash: hash, ...filter })));
    const logs = found.flat();
    if (logs.some(({ blockHash }) => blockHash !== hash))
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
function unite(filters: readonly Filter[]): { address: Hex[]; topics: Topics }[] {
  const different = new Map(filters.map((filter) => [JSON.stringify(filter), filter]));
  return chunks([...different.values()], FILTERED).map((some) => ({
    address: [...new Set(some.map(({ address }) => address))],
    topics: uniteTopics(some.map(({ topics }) => topics)),
  }));
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

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
}
