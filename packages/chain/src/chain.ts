import {
  type Address,
  type Client,
  createPublicClient,
  defineChain,
  type Hex,
  HttpRequestError,
  type Log,
  type PublicClient,
  webSocket,
} from 'viem';
import { toChainError } from './errors.ts';
import { createHeadWatcher } from './head-watcher.ts';
import { type JsonRpc, openJsonRpc } from './json-rpc.ts';
import { createLoggedTransactions } from './logged-transactions.ts';

const RESUBSCRIBE_MS = 1_000;
/**
 * The base fee rises by at most an eighth per block on most chains: fees that were read some blocks ago still suffice.
 * A transaction pays the base fee of its block, not the maximum.
 */
const BASE_FEE_MULTIPLIER = 2;

/** The chain that the relayer uses, and the highest block this process has seen. */
export type Chain = {
  client: PublicClient;
  /** Sends transactions in this order. Resolves to an error for each one that the node refused. */
  sendRawTransactions: (raws: readonly Hex[]) => Promise<(unknown | undefined)[]>;
  chainId: number;
  /** The highest block that this process has seen. */
  head: () => bigint;
  saw: (block: bigint) => void;
  /**
   * Resolves when the node has `block`. Rejects with `BlockNotReachedError` when it does not arrive in time or is far
   * ahead.
   */
  reach: (block: bigint) => Promise<void>;
  /** Reads the head from the node. */
  refreshHead: () => Promise<bigint>;
  /**
   * Calls back with every new log of `address`, and with an error when the subscription is lost. Logs until it is told to have resumed
   * can be missing.
   */
  watch: (
    address: Address,
    listener: { onLogs: (logs: Log[]) => void; onError: (error: Error) => void; onResumed: () => void },
  ) => void;
  /** False from an error of the log subscription until its restart. */
  isWatching: () => boolean;
  /** True while logs are pushed, as far as this process knows. */
  isPushing: () => boolean;
  /** Resolves to true when `watch` got a log of one of these transactions, to false after `timeoutMs` or an abort. */
  awaitLog: (hashes: readonly Hex[], timeoutMs: number, signal: AbortSignal) => Promise<boolean>;
  close: () => Promise<void>;
};

export type ChainOptions = {
  chainId: number;
  name: string;
  token: string;
  rpcUrl: string;
  /** Endpoint that gets all transactions, and nothing else, so that no public mempool shows them. Absent: `rpcUrl`. */
  privateRpcUrl: string | undefined;
  /** WebSocket URL for log subscriptions. Absent: logs are polled. */
  wsUrl: string | undefined;
  pollingIntervalMs: number;
};

export function connectChain(options: ChainOptions): Chain {
  const { chainId, rpcUrl, privateRpcUrl, wsUrl, pollingIntervalMs } = options;
  const chain = defineChain({
    id: chainId,
    name: options.name,
    nativeCurrency: { name: options.token, symbol: options.token, decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
    fees: { baseFeeMultiplier: BASE_FEE_MULTIPLIER },
  });
  const shared = { chain, cacheTime: 0, pollingInterval: pollingIntervalMs };
  const rpcOptions = { timeoutMs: 10_000, retryCount: 1, retryDelayMs: 100 };
  const rpc = openJsonRpc(rpcUrl, rpcOptions);
  const client = createPublicClient({ ...shared, transport: rpc.transport });
  // Without a way to the public node: a transaction that the private endpoint does not take is broadcast to it again later.
  const senderRpc = privateRpcUrl === undefined ? rpc : openJsonRpc(privateRpcUrl, rpcOptions);
  const sender = createPublicClient({ ...shared, transport: senderRpc.transport });
  /** viem keeps one socket per URL: a broken one must be closed before opening another. */
  const subscribe: Subscribe = () => {
    if (wsUrl === undefined) return { source: client, close: async () => {} };
    const source = createPublicClient({ ...shared, transport: webSocket(wsUrl, { reconnect: false }) });
    return { source, close: () => closeSocket(source) };
  };

  let seen = 0n;
  const saw = (block: bigint): void => {
    if (block > seen) seen = block;
    watcher.saw(block);
  };
  const refreshHead = async (): Promise<bigint> => {
    const block = await client.getBlockNumber().catch((error: unknown) => {
      throw toChainError(error);
    });
    saw(block);
    return block;
  };
  const watcher = createHeadWatcher(refreshHead);
  const logs = createLogWatch(subscribe, saw, pollingIntervalMs);
  return {
    client,
    sendRawTransactions: (raws) => sendRawTransactions(senderRpc, sender, raws),
    chainId,
    head: () => seen,
    saw,
    refreshHead,
    reach: watcher.reach,
    watch: logs.watch,
    isWatching: logs.isWatching,
    isPushing: () => logs.isWatching() && wsUrl !== undefined,
    awaitLog: logs.awaitLog,
    close: logs.close,
  };
}

async function sendRawTransactions(
  rpc: JsonRpc,
  client: PublicClient,
  raws: readonly Hex[],
): Promise<(unknown | undefined)[]> {
  const sendOne = (serializedTransaction: Hex): Promise<unknown> =>
    client.sendRawTransaction({ serializedTransaction }).then(
      () => undefined,
      (error: unknown) => error,
    );
  const [first, ...others] = raws;
  if (first !== undefined && others.length === 0) return [await sendOne(first)];
  try {
    return await rpc.sendInOrder(raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] })));
  } catch (error) {
    if (!(error instanceof HttpRequestError) || error.status === undefined) return raws.map(() => error);
    // Some nodes take no batches.
    const refusals: unknown[] = [];
    for (const raw of raws) refusals.push(await sendOne(raw));
    return refusals;
  }
}

/** Opens a source of logs. */
type Subscribe = () => { source: PublicClient; close: () => Promise<void> };

/** Watches logs; a lost subscription is opened again. */
function createLogWatch(subscribe: Subscribe, saw: (block: bigint) => void, pollingIntervalMs: number) {
  const unwatch: (() => Promise<void>)[] = [];
  const logged = createLoggedTransactions();
  let isWatching = false;

  const watch: Chain['watch'] = (address, { onLogs, onError, onResumed }) => {
    let end = async () => {};
    let restart: NodeJS.Timeout | undefined;
    const start = ({ isRestart = false } = {}) => {
      const { source, close } = subscribe();
      let hasFailed = false;
      const stop = source.watchEvent({
        address,
        onLogs: (logs) => {
          for (const { blockNumber, transactionHash, removed } of logs) {
            if (blockNumber !== null) saw(blockNumber);
            if (transactionHash !== null && !removed) logged.add(transactionHash);
          }
          onLogs(logs);
        },
        onError: (error) => {
          if (hasFailed) return;
          hasFailed = true;
          isWatching = false;
          onError(error);
          restart = setTimeout(() => void end().then(() => start({ isRestart: true })), RESUBSCRIBE_MS);
        },
      });
      isWatching = true;
      // By then a node that answers has the subscription, or the filter of the first poll.
      const resumes = isRestart
        ? setTimeout(() => {
            if (!hasFailed) onResumed();
          }, pollingIntervalMs)
        : undefined;
      end = () => {
        clearTimeout(resumes);
        stop();
        return close();
      };
    };
    start();
    unwatch.push(() => {
      clearTimeout(restart);
      return end();
    });
  };
  return {
    watch,
    isWatching: () => isWatching,
    awaitLog: logged.wait,
    async close() {
      await Promise.all(unwatch.map((stop) => stop()));
    },
  };
}

async function closeSocket(client: Client): Promise<void> {
  const { getRpcClient } = client.transport as unknown as { getRpcClient?: () => Promise<{ close(): void }> };
  await getRpcClient?.().then(
    (rpc) => rpc.close(),
    () => {},
  );
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
