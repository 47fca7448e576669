/** Several RPC nodes of one chain as one. Every answer comes from a single node, so that no answer mixes the states of two nodes. */
import { type Block, type ChainRpc, openNode } from './chain-rpc.ts';

/** When the head has not moved for this long, all nodes are asked for theirs. */
const STALLED_MS = 30_000;

const TIMEOUT_MS = 20_000;

/** Opens the nodes of a chain. `chainId` is the id that they must serve, when it is known. */
export const openChainRpc = (
  urls: readonly string[],
  { chainId, timeoutMs = TIMEOUT_MS }: { chainId?: number | undefined; timeoutMs?: number } = {},
): ChainRpc =>
  withFailover(
    urls.map((url) => openNode(url, timeoutMs)),
    chainId,
  );

/** The nodes of a chain. `current` is the index of the one that is asked first. */
type Nodes = { list: readonly ChainRpc[]; current: number; check: (node: ChainRpc) => Promise<void> };

/**
 * Asks the node that answered last, and the others when it fails or lacks a block. Ignores nodes that serve another chain than
 * `chainId`, or when that is undefined, than the first node that answered.
 */
export function withFailover(list: readonly ChainRpc[], chainId?: number): ChainRpc {
  const nodes: Nodes = { list, current: 0, check: createChainCheck(chainId) };
  const latest = createHeadReader(nodes);
  const answerOf = async <Answer>(question: (node: ChainRpc) => Promise<Answer>): Promise<Answer> => {
    const answer = await ask(nodes, question);
    if (answer === undefined) throw new Error('no RPC node has an answer');
    return answer;
  };
  return {
    chainId: () => answerOf((node) => node.chainId()),
    block: (which) => (which === 'latest' ? latest() : ask(nodes, (node) => node.block(which))),
    logs: (filter) => answerOf((node) => node.logs(filter)),
    hasCode: (address) => answerOf((node) => node.hasCode(address)),
    close() {
      for (const node of list) node.close();
    },
  };
}

/** Returns a function that rejects for a node of another chain. Each node is asked until it answers once. */
function createChainCheck(chainId: number | undefined): Nodes['check'] {
  const checked = new Set<ChainRpc>();
  let expected = chainId;
  return async (node) => {
    if (checked.has(node)) return;
    const id = await node.chainId();
    expected ??= id;
    if (id !== expected) throw new Error(`the RPC node serves chain ${id} instead of ${expected}`);
    checked.add(node);
  };
}

/** Resolves to the first answer that is not undefined. Rejects with the errors of all nodes when none has an answer. */
async function ask<Answer>(
  nodes: Nodes,
  question: (node: ChainRpc) => Promise<Answer>,
): Promise<Answer | undefined> {
  const { list, current: first } = nodes;
  const errors: unknown[] = [];
  for (const offset of list.keys()) {
    const index = (first + offset) % list.length;
    const node = list[index] as ChainRpc;
    try {
      await nodes.check(node);
      const answer = await question(node);
      if (answer === undefined) continue;
      if (index !== first) nodes.current = index;
      return answer;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length < list.length) return undefined;
  throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'every RPC node failed');
}

/** Returns a function that reads the newest block, and leaves a node whose head does not move. */
function createHeadReader(nodes: Nodes): () => Promise<Block | undefined> {
  let highest = -1n;
  let movedAt = 0;
  return async () => {
    const block = await ask(nodes, (node) => node.block('latest'));
    const now = Date.now();
    const hasMoved = block !== undefined && block.number > highest;
    if (!hasMoved && (nodes.list.length === 1 || now - movedAt < STALLED_MS)) return block;
    movedAt = now;
    const best = hasMoved ? block : await compareHeads(nodes);
    if (best && best.number > highest) highest = best.number;
    return best ?? block;
  };
}

/** Continues with the node whose head is the highest. */
async function compareHeads(nodes: Nodes): Promise<Block | undefined> {
  const heads = await Promise.allSettled(
    nodes.list.map(async (node) => {
      await nodes.check(node);
      return node.block('latest');
    }),
  );
  let best: Block | undefined;
  for (const [index, head] of heads.entries()) {
    if (head.status === 'rejected' || !head.value) continue;
    if (best && head.value.number <= best.number) continue;
    best = head.value;
    nodes.current = index;
  }
  return best;
}
