import { createPublicClient, defineChain, type Hex, type Log, type PublicClient } from 'viem';
import { toChainError } from './errors.ts';
import { createHeadWatcher } from './head-watcher.ts';
import { openJsonRpc } from './json-rpc.ts';
import { createLogWatch, type LogWatch } from './log-watch.ts';
import { type NodeFault, type NodeStatus, type Nodes, openNodes } from './nodes.ts';

/**
 * The base fee rises by at most an eighth per block on most chains: fees that were read some blocks ago still suffice.
 * A transaction pays the base fee of its block, not the maximum.
 */
export const BASE_FEE_MULTIPLIER = 2;
const TIMEOUT_MS = 10_000;
/** Time without an answer of one of several nodes, after which another node is asked. */
const LEAVE_AFTER_MS = 4_000;

/** The chain that the relayer uses, and the highest block that this process knows. */
export type Chain = LogWatch & {
  client: PublicClient;
  /** Sends transactions in this order. Resolves to an error for each one that the node refused: see `JsonRpc.sendInOrder`. */
  sendRawTransactions: (raws: readonly Hex[]) => Promise<(unknown | undefined)[]>;
  chainId: number;
  /** The highest known block. Of several nodes, two have it. */
  head: () => bigint;
  /** Tells of a block on which the nodes agreed. */
  saw: (block: bigint) => void;
  /**
   * Resolves when the node has `block`. Rejects with `BlockNotReachedError` when it does not arrive in time or is far
   * ahead.
   */
  reach: (block: bigint) => Promise<void>;
  /** Reads the head from the nodes. */
  refreshHead: () => Promise<bigint>;
  /** See Nodes: for answers that decide what is permitted, and what was executed. */
  agreed: Nodes['agreed'];
  /** See Nodes: for numbers that decide about money and nonces. */
  heldByTwo: Nodes['heldByTwo'];
  nodes: () => NodeStatus[];
};

export type ChainOptions = {
  chainId: number;
  name: string;
  token: string;
  /** The first is used until it fails. */
  rpcUrls: readonly string[];
  /** Endpoint that gets all transactions, and nothing else, so that no public mempool shows them. Absent: `rpcUrls`. */
  privateRpcUrl: string | undefined;
  /** WebSocket URLs for log subscriptions, one of which is used at a time. Empty: logs are polled. */
  wsUrls: readonly string[];
  pollingIntervalMs: number;
  /** Called when one of several nodes is left. */
  onNodeFault?: (fault: NodeFault) => void;
};

export function connectChain(options: ChainOptions): Chain {
  const { chainId, rpcUrls, privateRpcUrl, wsUrls, pollingIntervalMs } = options;
  const chain = defineChain({
    id: chainId,
    name: options.name,
    nativeCurrency: { name: options.token, symbol: options.token, decimals: 18 },
    rpcUrls: { default: { http: rpcUrls } },
  });
  const shared = { chain, cacheTime: 0, pollingInterval: pollingIntervalMs };
  const timeoutMs = rpcUrls.length > 1 ? LEAVE_AFTER_MS : TIMEOUT_MS;
  const rpcOptions = { timeoutMs, retryCount: 1, retryDelayMs: 100 };
  const rpc = openNodes(rpcUrls, { ...rpcOptions, chain, onFault: options.onNodeFault });
  const client = createPublicClient({ ...shared, transport: rpc.transport });
  // Never falls back to the public node: a transaction that the private endpoint does not take is broadcast to it again later.
  const sender = privateRpcUrl === undefined ? rpc : openJsonRpc(privateRpcUrl, rpcOptions);
  const saw = (block: bigint): void => {
    rpc.saw(block);
    watcher.settle();
  };
  const refreshHead = async (): Promise<bigint> => {
    const block = await rpc.head().catch((error: unknown) => {
      throw toChainError(error);
    });
    watcher.settle();
    return block;
  };
  const watcher = createHeadWatcher(refreshHead, rpc.known);
  // Logs are the word of one node.
  const told = rpcUrls.length > 1 ? onceAtATime(refreshHead) : saw;
  return {
    ...createLogWatch({
      client,
      wsUrls,
      pollingIntervalMs,
      saw: (block) => block > rpc.known() && told(block),
    }),
    client,
    sendRawTransactions: (raws) =>
      sender.sendInOrder(raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }))),
    chainId,
    head: rpc.known,
    saw,
    refreshHead,
    agreed: rpc.agreed,
    heldByTwo: rpc.heldByTwo,
    nodes: rpc.status,
    reach: watcher.reach,
  };
}

/** Returns a function that starts the work unless it is running. */
function onceAtATime(work: () => Promise<unknown>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    const end = () => {
      isRunning = false;
    };
    work().then(end, end);
  };
}

/** Returns the master hash of the account that a log refers to: its first indexed topic. */
export function readAccount(log: Log): bigint | undefined {
  const topic: Hex | undefined = log.topics[1];
  return topic === undefined ? undefined : BigInt(topic);
}

export function later(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
