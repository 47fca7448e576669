/** The head on which nodes agree. */
import { secondHighest } from './agreement.ts';
import { ChainUnavailableError } from './errors.ts';
import { type Endpoint, headOf, MAX_FALL, type Node, type Pool } from './node-pool.ts';

/** A node whose head does not rise for this long, while that of another one is higher, is left. */
const STALLED_MS = 30_000;

type Told<E extends Endpoint> = { node: Node<E>; block: bigint };

/**
 * Returns a function that asks all nodes, and resolves to the highest block that two of them have: one that tells a block of the far
 * future decides nothing. Leaves nodes that are slow, fell, stand still or are far from the others.
 */
export function createHeadReader<E extends Endpoint>(pool: Pool<E>): () => Promise<bigint> {
  const { nodes, needed, askOne, isResting, leave, probe, known, setKnown } = pool;
  const read = async (): Promise<Told<E>[]> => {
    const awake = nodes.filter((node) => !isResting(node));
    const asked = awake.length < needed ? nodes : awake;
    const errors: unknown[] = [];
    const told = await Promise.all(
      asked.map(async (node) => {
        try {
          return [{ node, block: await askOne(node, headOf) }];
        } catch (error) {
          leave(node, error);
          errors.push(error);
          return [];
        }
      }),
    );
    const found = told.flat();
    if (found.length === 0) throw errors[0];
    if (found.length < needed)
      throw new ChainUnavailableError(`only one of ${nodes.length} RPC nodes tells its head`);
    return found;
  };
  return async () => {
    probe();
    const told = await read();
    const good = told.filter(({ node, block }) => {
      const fault = faultOf(node, block, told);
      if (fault !== undefined) leave(node, new Error(fault));
      return fault === undefined;
    });
    const head = highestOfTwo(good.length > 0 ? good : told);
    if (head > known() || head < known() - MAX_FALL) setKnown(head);
    return head;
  };
}

const highestOfTwo = (told: readonly Told<Endpoint>[]): bigint =>
  secondHighest(told.map(({ block }) => block));

/** Returns why a node is left for its head. */
function faultOf<E extends Endpoint>(
  node: Node<E>,
  block: bigint,
  told: readonly Told<E>[],
): string | undefined {
  const now = performance.now();
  const { highest } = node;
  const others = told.filter((other) => other.node !== node);
  const isBehind = others.some((other) => other.block > block);
  const hasFallen = block < highest.block - MAX_FALL;
  const standsStill = now - highest.atMs >= STALLED_MS;
  if (block > highest.block || !isBehind) node.highest = { block, atMs: now };
  if (isBehind && hasFallen) return 'its head fell';
  if (isBehind && block <= highest.block && standsStill) return 'its head stands still';
  // Of two that differ, none is known to be right.
  if (others.length < 2) return undefined;
  const agreed = highestOfTwo(told);
  const ahead = block - agreed;
  if (ahead > MAX_FALL) return `its head is ${ahead} blocks ahead of that of other nodes`;
  if (ahead < -MAX_FALL) return `its head is ${-ahead} blocks behind that of other nodes`;
  return undefined;
}
