/**
 * Several RPC nodes of one chain as one. Two of them must agree on a block and on its logs, so that none can invent a log, or leave one
 * out; of two nodes, one can be down.
 */
import { agree } from '@latchkey/chain/agreement';
import { joinNodes, type NodeFault, type NodeStatus } from '@latchkey/chain/nodes';
import { type Block, type ChainLog, type ChainNode, type ChainRpc, openNode } from './chain-rpc.ts';

const TIMEOUT_MS = 20_000;
/** Time in which nodes that contradict each other can come to the same fork. */
const PATIENCE_MS = 1_000;

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

/** Asks the node that answered last, and the others when it fails or lacks a block. Blocks and logs are compared with another one. */
export function withFailover(
  list: readonly ChainNode[],
  { chainId, timeoutMs = TIMEOUT_MS, onFault }: Options = {},
): ChainNodes {
  // A node that refuses a question can have limits that another one does not have.
  const { ask, head, pool, status } = joinNodes(list, {
    chainId,
    needed: list.length > 2 ? 2 : 1,
    slowMs: timeoutMs / 2,
    isFault: () => true,
    onFault,
  });
  const agreed = <Answer>(
    question: (node: ChainNode) => Promise<Answer>,
    contentOf: (answer: Answer) => unknown,
  ): Promise<Answer> =>
    list.length === 1
      ? ask(question)
      : agree(pool, question, { contentOf, refusalOf: () => undefined, patienceMs: PATIENCE_MS });
  const block: ChainRpc['block'] = async (which) => {
    let isAbsent = false;
    try {
      return await agreed<Block>(async (node) => {
        const found = await node.block(which);
        if (found) return found;
        isAbsent = true;
        throw ABSENT;
      }, contentOfBlock);
    } catch (error) {
      if (isAbsent) return undefined;
      throw error;
    }
  };
  return {
    chainId: () => ask((node) => node.chainId()),
    // A newest block above the head on which the nodes agree is the word of one of them.
    block: async (which) => block(which === 'latest' && list.length > 1 ? await head() : which),
    logs: (filter) => agreed((node) => node.logs(filter), contentOfLogs),
    baseFees: (first, last) => agreed((node) => node.baseFees(first, last), same),
    balances: (hash, holdings) => agreed((node) => node.balances(hash, holdings), same),
    hasCode: (address) => ask((node) => node.hasCode(address)),
    call: (call) => agreed((node) => node.call(call), same),
    close() {
      for (const node of list) node.close();
    },
    status,
  };
}

const same = (answer: unknown) => answer;

const contentOfBlock = ({ number, hash, parentHash, timestamp, baseFeePerGas, logsBloom }: Block) => [
  number,
  hash,
  parentHash,
  timestamp,
  baseFeePerGas,
  logsBloom,
];

/** The logs without those that a node repeats or takes back, in one order. */
const contentOfLogs = (logs: readonly ChainLog[]): string[] =>
  [
    ...new Set(
      logs
        .filter(({ removed }) => !removed)
        .map(
          ({ address, topics, data, blockNumber, blockHash, transactionIndex, transactionHash, logIndex }) =>
            [blockNumber, blockHash, logIndex, transactionIndex, transactionHash, address, topics, data].join(
              ' ',
            ),
        ),
    ),
  ].sort();
