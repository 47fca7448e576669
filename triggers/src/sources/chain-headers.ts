/** The most recent blocks of a chain, linked by their parent hashes, so that answers of lagging or forked nodes are detected. */
import type { Block, ChainRpc } from './chain-rpc.ts';

/** Maximum depth of a reorg and maximum lag of a node. Older blocks count as final. */
export const REORG_DEPTH = 128n;
/** Blocks per prefetch. */
const PREFETCH = 16n;

export type Headers = {
  /** Number of the newest block. 0 before the first `advance`. */
  head: () => bigint;
  /** Number of the newest final block: REORG_DEPTH below the head, at least 0. */
  final: () => bigint;
  /** A block that is not final. Undefined for other blocks. */
  at: (number: bigint) => Block | undefined;
  /**
   * Reads the newest block. Resolves to the lowest block number that is new or replaced, to 'all' when no known block is still on
   * the chain, or to undefined when nothing has changed or the node lags. Rejects, without a change, when the node lacks a block.
   */
  advance: () => Promise<bigint | 'all' | undefined>;
};

export function createHeaders(rpc: Pick<ChainRpc, 'block'>): Headers {
  let known = new Map<bigint, Block>();
  let head: Block | undefined;

  const finalAt = (number: bigint) => (number > REORG_DEPTH ? number - REORG_DEPTH : 0n);

  return {
    head: () => head?.number ?? 0n,
    final: () => finalAt(head?.number ?? 0n),
    at: (number) => known.get(number),
    async advance() {
      const latest = await rpc.block('latest');
      if (!latest) throw new Error('node has no latest block');
      if (head && (latest.number < head.number || latest.hash === head.hash)) return undefined;
      const floor = finalAt(latest.number);
      const path = [latest];
      let last = latest;
      let prefetched = new Map<bigint, Block>();
      const isLinked = () => known.get(last.number - 1n)?.hash === last.parentHash;
      while (last.number > floor + 1n && !isLinked()) {
        const number = last.number - 1n;
        if (!prefetched.has(number) && !known.has(number)) prefetched = await before(rpc, last.number, floor);
        const guess = prefetched.get(number);
        const parent = guess?.hash === last.parentHash ? guess : await rpc.block({ hash: last.parentHash });
        if (parent?.hash !== last.parentHash || parent.number !== number)
          throw new Error(`node has no block ${number}`);
        path.push(parent);
        last = parent;
      }
      const linked = isLinked();
      const kept = linked ? [...known].filter(([number]) => number < last.number && number > floor) : [];
      known = new Map([...kept, ...path.map((block) => [block.number, block] as const)]);
      head = latest;
      return linked ? last.number : 'all';
    },
  };
}

/** Reads up to PREFETCH blocks below `number`, by number. */
async function before(
  rpc: Pick<ChainRpc, 'block'>,
  number: bigint,
  floor: bigint,
): Promise<Map<bigint, Block>> {
  const numbers: bigint[] = [];
  for (let next = number - 1n; next > floor && number - next <= PREFETCH; next--) numbers.push(next);
  const blocks = await Promise.all(numbers.map((each) => rpc.block(each)));
  return new Map(blocks.flatMap((block) => (block ? [[block.number, block]] : [])));
}
