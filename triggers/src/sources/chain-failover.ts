/** Several RPC nodes of one chain as one. Every answer comes from a single node, so that no answer mixes the states of two nodes. */
import { joinNodes, type NodeFault, type NodeStatus } from '@latchkey/chain/nodes';
import { type ChainNode, type ChainRpc, openNode } from './chain-rpc.ts';

const TIMEOUT_MS = 20_000;

type Options = {
  /** The id that the nodes must serve, when it is known. Undefined: that of the first one that answers. */
  chainId?: number | undefined;
  timeoutMs?: number;
  onFault?: (fault: NodeFault) => void;
};
export type ChainNodes = ChainRpc & { status: () => NodeStatus[] };

/** Opens the nodes of a chain. */
export const openChainRpc = (urls: readonly string[], options: Options = {}): ChainNodes =>
  withFailover(
    urls.map((url) => openNode(url, options.timeoutMs ?? TIMEOUT_MS)),
    options,
  );

/** The node does not have what was asked for. */
const ABSENT = new Error('the node does not have the block');

/** Asks the node that answered last, and the others when it fails or lacks a block. */
export function withFailover(
  list: readonly ChainNode[],
  { chainId, timeoutMs = TIMEOUT_MS, onFault }: Options = {},
): ChainNodes {
  // A node that refuses a question can have limits that another one does not have.
  const { ask, head, status } = joinNodes(list, {
    chainId,
    needed: 1,
    slowMs: timeoutMs / 2,
    isFault: () => true,
    onFault,
  });
  const block: ChainRpc['block'] = async (which) => {
    let isAbsent = false;
    try {
      return await ask(async (node) => {
        const found = await node.block(which);
        if (found) return found;
        isAbsent = true;
        throw ABSENT;
      });
    } catch (error) {
      if (isAbsent) return undefined;
      throw error;
    }
  };
  /** A newest block above the head on which the nodes agree is the word of one of them. */
  const latest: ChainRpc['block'] = async () => {
    if (list.length === 1) return block('latest');
    const agreed = await head();
    const newest = await block('latest');
    return newest && newest.number > agreed ? block(agreed) : newest;
  };
  return {
    chainId: () => ask((node) => node.chainId()),
    block: (which) => (which === 'latest' ? latest(which) : block(which)),
    logs: (filter) => ask((node) => node.logs(filter)),
    hasCode: (address) => ask((node) => node.hasCode(address)),
    close() {
      for (const node of list) node.close();
    },
    status,
  };
}
