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

type Verified = ChainRpc & { isOfChain?: Promise<void> };

/**
 * Asks the node that answered last, and the others when it fails or lacks a block. Ignores nodes that serve another chain than
 * `chainId`, or when that is undefined, than the first node that answered.
 */
export function withFailover(list: readonly ChainRpc[], chainId?: number): ChainRpc {
  const nodes: Verified[] = list.map((node) => ({ ...node }));
  let expected = chainId;
  let current = 0;
  let highest = -1n;
  let movedAt = 0;

  const verify = async (node: Verified): Promise<void> => {
    const id = await node.chainId();
    expected ??= id;
    if (id !== expected) throw new Error(`the RPC node serves chain ${id} instead of ${expected}`);
  };
  const verified = async (node: Verified): Promise<Verified> => {
    node.isOfChain ??= verify(node).catch((error: unknown) => {
      delete node.isOfChain;
      throw error;
    });
    await node.isOfChain;
    return node;
  };

  /** Resolves to the first answer that is not undefined. Rejects with the errors of all nodes when none has an answer. */
  const ask = async <Answer>(question: (node: ChainRpc) => Promise<Answer>): Promise<Answer | undefined> => {
    const errors: unknown[] = [];
    const first = current;
    for (let tried = 0; tried < nodes.length; tried++) {
      const index = (first + tried) % nodes.length;
      try {
        const answer = await question(await verified(nodes[index] as Verified));
        if (answer === undefined) continue;
        if (index !== first) current = index;
        return answer;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length < nodes.length) return undefined;
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'every RPC node failed');
  };
  const answerOf = async <Answer>(question: (node: ChainRpc) => Promise<Answer>): Promise<Answer> => {
    const answer = await ask(question);
    if (answer === undefined) throw new Error('no RPC node has an answer');
    return answer;
  };

  /** Continues with the node whose head is the highest. */
  const compareHeads = async (): Promise<Block | undefined> => {
    const heads = await Promise.allSettled(nodes.map(async (node) => (await verified(node)).block('latest')));
    let best: Block | undefined;
    for (const [index, head] of heads.entries()) {
      if (head.status === 'rejected' || !head.value) continue;
      if (best && head.value.number <= best.number) continue;
      best = head.value;
      current = index;
    }
    return best;
  };
  const latest = async (): Promise<Block | undefined> => {
    const block = await ask((node) => node.block('latest'));
    const now = Date.now();
    const hasMoved = block !== undefined && block.number > highest;
    if (!hasMoved && (nodes.length === 1 || now - movedAt < STALLED_MS)) return block;
    movedAt = now;
    const best = hasMoved ? block : await compareHeads();
    if (best && best.number > highest) highest = best.number;
    return best ?? block;
  };

  return {
    chainId: () => answerOf((node) => node.chainId()),
    block: (which) => (which === 'latest' ? latest() : ask((node) => node.block(which))),
    logs: (filter) => answerOf((node) => node.logs(filter)),
    hasCode: (address) => answerOf((node) => node.hasCode(address)),
    close() {
      for (const node of nodes) node.close();
    },
  };
}
