/** Several RPC nodes of one chain as one: requests go to one node until it fails, and answers that decide something are compared. */
import {
  BaseError,
  type Chain,
  type CustomTransport,
  createPublicClient,
  custom,
  type PublicClient,
  RpcRequestError,
} from 'viem';
import { agree, heldByTwo } from './agreement.ts';
import { ChainUnavailableError } from './errors.ts';
import { type Call, type JsonRpc, type Options, openJsonRpc } from './json-rpc.ts';
import { createHeadReader } from './node-heads.ts';
import {
  createPool,
  type Endpoint,
  MAX_FALL,
  type NodeFault,
  type NodeStatus,
  type PoolOptions,
} from './node-pool.ts';

export type { NodeFault, NodeStatus } from './node-pool.ts';

/** An error of the node itself, such as a limit of requests; any other error is its answer. */
const FAULT_CODES = new Set([-32_005, -32_097, -32_098, -32_603]);

type Joined<E extends Endpoint> = {
  /** Asks one node, and the next one when it fails. */
  ask: <Answer>(question: (endpoint: E) => Promise<Answer>) => Promise<Answer>;
  /** Reads the head on which the nodes agree. */
  head: () => Promise<bigint>;
  /** The highest known block. */
  known: () => bigint;
  /** Tells that nodes agreed on a block. */
  saw: (block: bigint) => void;
  status: () => NodeStatus[];
};

/** Joins nodes: a node that fails, is slow, goes back, or contradicts two others rests. */
export function joinNodes<E extends Endpoint>(
  endpoints: readonly E[],
  options: PoolOptions,
): Joined<E> & { pool: ReturnType<typeof createPool<E>> } {
  const pool = createPool(endpoints, options);
  const { known, setKnown, status } = pool;
  const head = createHeadReader(pool);
  return {
    pool,
    async ask(question) {
      try {
        return await pool.ask(question);
      } catch (error) {
        // The known block can be the word of a node that was alone, and has failed since.
        if (options.isFault(error)) void head().catch(() => {});
        throw error;
      }
    },
    head,
    known,
    saw(block) {
      if (block > known()) setKnown(block);
    },
    status,
  };
}

export type Nodes = Pick<JsonRpc, 'sendInOrder'> &
  Pick<Joined<Endpoint>, 'head' | 'known' | 'saw' | 'status'> & {
    transport: CustomTransport;
    /**
     * Resolves to the answer that two nodes give: see `agree`.
     *
     * @param contentOf - The compared part: nodes add fields of their own.
     * @param patienceMs - Time for which nodes that contradict each other are asked again.
     */
    agreed: <Answer>(
      question: (client: PublicClient) => Promise<Answer>,
      contentOf: (answer: Answer) => unknown,
      patienceMs?: number,
    ) => Promise<Answer>;
    /** Resolves to the highest number that two nodes reach: see `heldByTwo` in agreement.ts. */
    heldByTwo: <N extends bigint | number>(question: (client: PublicClient) => Promise<N>) => Promise<N>;
  };

type NodesOptions = Options & { chain: Chain; onFault: ((fault: NodeFault) => void) | undefined };

export function openNodes(urls: readonly string[], options: NodesOptions): Nodes {
  const { chain, retryCount, retryDelayMs, timeoutMs, onFault } = options;
  const endpoints = urls.map((url) => {
    const rpc = openJsonRpc(url, options);
    const client = createPublicClient({ chain, cacheTime: 0, transport: rpc.transport });
    return { host: new URL(url).host, request: rpc.request, rpc, client };
  });
  const slowMs = timeoutMs / 2;
  // Of two nodes, one can be down.
  const needed = urls.length > 2 ? 2 : 1;
  const nodes = joinNodes(endpoints, { chainId: chain.id, needed, slowMs, isFault, onFault });
  const { known, saw, status, ask } = nodes;
  const [first, ...others] = endpoints as [(typeof endpoints)[0], ...typeof endpoints];
  if (others.length === 0)
    return {
      known,
      saw,
      status,
      transport: first.rpc.transport,
      sendInOrder: first.rpc.sendInOrder,
      async head() {
        const block = await first.client.getBlockNumber();
        if (block > known() || block < known() - MAX_FALL) nodes.pool.setKnown(block);
        return block;
      },
      agreed: (question) => question(first.client),
      heldByTwo: (question) => question(first.client),
    };
  const request = (call: Call) => ask((node) => node.request(call));
  return {
    known,
    saw,
    status,
    head: nodes.head,
    transport: custom({ request }, { retryCount, retryDelay: retryDelayMs }),
    sendInOrder: (calls) => sendInOrder(nodes, calls),
    agreed: (question, contentOf, patienceMs = 0) =>
      agree(nodes.pool, ({ client }) => question(client), { contentOf, refusalOf, patienceMs }),
    heldByTwo: (question) => heldByTwo(nodes.pool, ({ client }) => question(client), refusalOf),
  };
}

/** See `JsonRpc`. When no call was taken by a node that failed, the next one is asked, whose refusals do not tell: the first one can have taken them. */
async function sendInOrder(
  { ask }: Pick<Joined<Endpoint & { rpc: JsonRpc }>, 'ask'>,
  calls: Call[],
): Promise<(Error | undefined)[]> {
  let lost: Error | undefined;
  const sent = ask(async ({ rpc }) => {
    const errors = await rpc.sendInOrder(calls);
    if (!errors.every(isFault)) return errors.map((error) => error && (lost ?? error));
    lost ??= errors[0];
    throw errors[0];
  });
  return sent.catch((error: Error) => calls.map(() => error));
}

function refusalOf(error: unknown): unknown {
  const { code, data } = rpcErrorOf(error) ?? {};
  return { name: (error as Error).name, code, data };
}

const rpcErrorOf = (error: unknown): { code?: number; data?: unknown; message: string } | undefined =>
  error instanceof BaseError
    ? ((error.walk((cause) => cause instanceof RpcRequestError) as RpcRequestError | null) ?? undefined)
    : undefined;

/** True when the node gave no answer. */
function isFault(error: unknown): boolean {
  if (error instanceof ChainUnavailableError) return true;
  const rpcError = rpcErrorOf(error);
  if (rpcError) return rpcError.data === undefined && FAULT_CODES.has(rpcError.code ?? 0);
  return (
    error instanceof BaseError &&
    error.walk((cause) => /^(HttpRequest|Timeout)Error$/.test((cause as Error).name)) !== null
  );
}
