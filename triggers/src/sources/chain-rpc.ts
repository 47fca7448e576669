/** A chain's node by JSON-RPC: the four questions that following logs takes, each answer checked for its shape. */
import { createClient, type Hex, http, numberToHex, webSocket } from 'viem';
import { z } from 'zod';

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex);
const word = hex.refine((text) => text.length === 66, 'expected 32 bytes');
const quantity = hex.refine((text) => text.length > 2).transform(BigInt);

const blockForm = z.object({ number: quantity, hash: word, parentHash: word });
export type Block = z.output<typeof blockForm>;

const logForm = z.object({
  address: hex.refine((text) => text.length === 42, 'expected 20 bytes'),
  topics: z.array(word).max(4),
  data: hex,
  blockNumber: quantity,
  blockHash: word,
  transactionHash: word,
  transactionIndex: quantity,
  logIndex: quantity,
  removed: z.boolean().optional(),
});
export type ChainLog = z.output<typeof logForm>;

/** Topic by topic: one, any of several, or any at all. */
export type Topics = readonly (Hex | readonly Hex[] | null)[];
export type LogFilter = { address: Hex | Hex[]; topics: Topics } & (
  | { blockHash: Hex }
  | { fromBlock: bigint; toBlock: bigint }
);

/** Every method rejects when the node fails or answers what makes no sense. */
export type ChainRpc = {
  chainId: () => Promise<number>;
  /** Undefined for a block that the node does not have. */
  block: (which: bigint | 'latest' | { hash: Hex }) => Promise<Block | undefined>;
  logs: (filter: LogFilter) => Promise<ChainLog[]>;
  /** Calls back at new heads; resolves to false where the node has to be asked. */
  onHead: (callback: () => void) => Promise<boolean>;
  close: () => void;
};

/** How `request` reaches the node is the caller's. */
type Request = (method: string, params: unknown[]) => Promise<unknown>;

export function chainRpcOf(request: Request): Omit<ChainRpc, 'onHead' | 'close'> {
  return {
    chainId: async () => Number(quantity.parse(await request('eth_chainId', []))),
    async block(which) {
      const answer =
        typeof which === 'object'
          ? await request('eth_getBlockByHash', [which.hash, false])
          : await request('eth_getBlockByNumber', [which === 'latest' ? which : numberToHex(which), false]);
      return blockForm.nullish().parse(answer) ?? undefined;
    },
    async logs({ address, topics, ...where }) {
      const blocks =
        'blockHash' in where
          ? where
          : { fromBlock: numberToHex(where.fromBlock), toBlock: numberToHex(where.toBlock) };
      return z.array(logForm).parse(await request('eth_getLogs', [{ address, topics, ...blocks }]));
    },
  };
}

const TIMEOUT_MS = 20_000;

/** How many use the socket of a URL: viem shares it between its clients. */
const sockets = new Map<string, number>();

export function openChainRpc(url: string): ChainRpc {
  // The follower tries again by itself.
  const options = { retryCount: 0, timeout: TIMEOUT_MS };
  if (!/^wss?:/.test(url)) {
    const client = createClient({ transport: http(url, options) });
    const rpc = chainRpcOf((method, params) => client.request({ method, params } as never));
    return { ...rpc, onHead: async () => false, close: () => {} };
  }
  const reconnect = { attempts: Number.POSITIVE_INFINITY, delay: 1_000 };
  const client = createClient({ transport: webSocket(url, { ...options, reconnect }) });
  sockets.set(url, (sockets.get(url) ?? 0) + 1);
  return {
    ...chainRpcOf((method, params) => client.request({ method, params } as never)),
    async onHead(callback) {
      await client.transport.subscribe({ params: ['newHeads'], onData: callback, onError: callback });
      return true;
    },
    close() {
      const left = (sockets.get(url) ?? 1) - 1;
      sockets.set(url, left);
      if (left > 0) return;
      client.transport.getRpcClient().then(
        (socket) => socket.close(),
        () => {},
      );
    },
  };
}
