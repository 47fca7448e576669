/** The chain's last blocks as they are linked by their hashes, so that no answer of a node that lags or forks is mixed into them. */
import type { Block, ChainRpc } from './chain-rpc.ts';

/** No reorg is deeper, and no node further behind. Blocks below are final. */
export const REORG_DEPTH = 128n;
/** Blocks asked for at once. */
const AHEAD = 16n;

export type Headers = {
  /** The newest block; undefined before the first `advance`. */
  head: () => Block | undefined;
  /** The newest block that is final: REORG_DEPTH below the head, or block 0 of a young chain. */
  final: () => bigint;
  /** Of every block that is not final; undefined for others. */
  hashOf: (number: bigint) => Block['hash'] | undefined;
  /**
   * Asks for the newest block. Resolves to the lowest number whose block is another one than before, to 'all' when no block known
   * before is on the chain, to undefined when nothing changed or the node is behind. Rejects, unchanged, when the node lacks a block.
   */
  advance: () => Promise<bigint | 'all' | undefined>;
};

export function createHeaders(rpc: Pick<ChainRpc, 'block'>): Headers {
  let known = new Map<bigint, Block>();
  let head: Block | undefined;

  const finalAt = (number: bigint) => (number > REORG_DEPTH ? number - REORG_DEPTH : 0n);

  return {
    head: () => head,
    final: () => finalAt(head?.number ?? 0n),
    hashOf: (number) => known.get(number)?.hash,
    async advance() {
      const latest = await rpc.block('latest');
      if (!latest) throw new Error('the node has no newest block');
      if (head && (latest.number < head.number || latest.hash === head.hash)) return undefined;
      const floor = finalAt(latest.number);
      const path = [latest];
      let last = latest;
      let ahead = new Map<bigint, Block>();
      const isLinked = () => known.get(last.number - 1n)?.hash === last.parentHash;
      while (last.number > floor + 1n && !isLinked()) {
        const number = last.number - 1n;
        if (!ahead.has(number) && !known.has(number)) ahead = await before(rpc, last.number, floor);
        const guess = ahead.get(number);
        const parent = guess?.hash === last.parentHash ? guess : await rpc.block({ hash: last.parentHash });
        if (parent?.hash !== last.parentHash || parent.number !== number)
          throw new Error(`the node does not have block ${number}`);
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

/** Up to AHEAD blocks below `number`, as the node has them by their numbers. */
async function before(
  rpc: Pick<ChainRpc, 'block'>,
  number: bigint,
  floor: bigint,
): Promise<Map<bigint, Block>> {
  const numbers: bigint[] = [];
  for (let next = number - 1n; next > floor && number - next <= AHEAD; next--) numbers.push(next);
  const blocks = await Promise.all(numbers.map((each) => rpc.block(each)));
  return new Map(blocks.flatMap((block) => (block ? [[block.number, block]] : [])));
}
