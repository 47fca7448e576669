/** Several RPC nodes of one chain as one: requests go to one node until it fails, and answers that decide something are compared. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  BaseError,
  type Chain,
  type CustomTransport,
  createPublicClient,
  custom,
  type PublicClient,
  RpcRequestError,
} from 'viem';
import { ChainUnavailableError, withoutUrl } from './errors.ts';
import { type Call, type JsonRpc, type Options, openJsonRpc } from './json-rpc.ts';

/** A node that failed is asked last for this long. */
const REST_MS = 10_000;
/** Time in which another node must reach the highest block that is known before it answers. */
const CATCH_UP_MS = 3_000;
const CATCH_UP_POLL_MS = 100;
/** When the head has not risen for this long, the other nodes are asked for theirs. */
const STALLED_MS = 30_000;
/** A node whose head falls further has lost blocks: reorgs are shorter. */
const MAX_FALL = 64n;
/** An error of the node itself, such as a limit of requests; any other error is its answer. */
const FAULT_CODES = new Set([-32_005, -32_097, -32_098, -32_603]);

export type NodeStatus = {
  /** Position in the list, from 1, and host: the rest of a URL can contain a key. */
  node: number;
  host: string;
  isUsed: boolean;
  /** Why the node was most recently not used, or left. Undefined once it answers again. */
  fault: string | undefined;
};

export type Nodes = Pick<JsonRpc, 'sendInOrder'> & {
  transport: CustomTransport;
  /** Reads the head. Leaves a node whose head fell or stands still while another node's head is higher. */
  head: () => Promise<bigint>;
  /**
   * Resolves to the answer of two nodes, or of the only one that answers. Rejects with `ChainUnavailableError` when the nodes
   * contradict each other: one can be behind, or lie.
   *
   * @param contentOf - The compared part: nodes add fields of their own.
   */
  agreed: <Answer>(
    question: (client: PublicClient) => Promise<Answer>,
    contentOf: (answer: Answer) => unknown,
  ) => Promise<Answer>;
  status: () => NodeStatus[];
};

export type NodeFault = Omit<NodeStatus, 'isUsed'>;

type NodesOptions = Options & {
  chain: Chain;
  /** The highest known block. */
  seen: () => bigint;
  /** Called when a node is left, with the reason. */
  onFault: ((fault: NodeFault) => void) | undefined;
};

type Node = {
  position: number;
  host: string;
  rpc: JsonRpc;
  client: PublicClient;
  fault: string | undefined;
  restsUntilMs: number;
};

export function openNodes(urls: readonly string[], options: NodesOptions): Nodes {
  const { chain, retryCount, retryDelayMs } = options;
  const nodes = urls.map((url, index): Node => {
    const rpc = openJsonRpc(url, options);
    const client = createPublicClient({ chain, cacheTime: 0, transport: rpc.transport });
    const { host } = new URL(url);
    return { position: index + 1, host, rpc, client, fault: undefined, restsUntilMs: 0 };
  });
  const [first, ...others] = nodes as [Node, ...Node[]];
  if (others.length === 0)
    return {
      head: () => headOf(first),
      transport: first.rpc.transport,
      sendInOrder: first.rpc.sendInOrder,
      agreed: (question) => question(first.client),
      status: () => [{ node: 1, host: first.host, isUsed: true, fault: undefined }],
    };
  const pool = createPool(nodes, options);
  const request = (call: Call) => pool.ask(({ rpc }) => rpc.request(call));
  return {
    head: createHeadReader(pool),
    transport: custom({ request }, { retryCount, retryDelay: retryDelayMs }),
    sendInOrder: (calls) => pool.ask(({ rpc }) => rpc.sendInOrder(calls)),
    agreed: (question, contentOf) => agree(pool, ({ client }) => question(client), contentOf),
    status: () =>
      nodes.map(({ position, host, fault }) => ({
        node: position,
        host,
        isUsed: position === pool.used().position,
        fault,
      })),
  };
}

type Pool = {
  nodes: readonly Node[];
  used: () => Node;
  /** Resolves to the answer of the used node, or of another one, which is used from then on. */
  ask: <Answer>(question: (node: Node) => Promise<Answer>) => Promise<Answer>;
  leave: (node: Node, error: unknown) => void;
  /** Asks a node that has rested whether it can be used again. */
  probe: (node: Node) => void;
};

function createPool(nodes: readonly Node[], { chain, seen, onFault }: NodesOptions): Pool {
  let used = nodes[0] as Node;
  const candidates = (): Node[] => {
    const now = performance.now();
    const rank = (node: Node) => (node.restsUntilMs > now ? 2 : node === used ? 0 : 1);
    return nodes.toSorted((a, b) => rank(a) - rank(b));
  };
  const rest = (node: Node): void => {
    node.restsUntilMs = performance.now() + REST_MS;
  };
  const leave = (node: Node, error: unknown): void => {
    rest(node);
    const isNew = node.fault === undefined;
    node.fault = (withoutUrl(error) as Error).message;
    if (isNew) onFault?.({ node: node.position, host: node.host, fault: node.fault });
  };
  const heal = (node: Node): void => {
    node.fault = undefined;
    node.restsUntilMs = 0;
  };
  return {
    nodes,
    used: () => used,
    leave,
    async ask(question) {
      const errors: unknown[] = [];
      for (const node of candidates())
        try {
          if (node !== used) await requireCaughtUp(node, chain.id, seen());
          const answer = await question(node);
          used = node;
          heal(node);
          return answer;
        } catch (error) {
          if (!isFault(error)) throw error;
          leave(node, error);
          errors.push(error);
        }
      throw errors[0];
    },
    probe(node) {
      rest(node);
      void requireCaughtUp(node, chain.id, seen()).then(
        () => heal(node),
        () => {},
      );
    },
  };
}

const headOf = ({ client }: Node): Promise<bigint> => client.getBlockNumber();

function createHeadReader({ nodes, used, ask, leave, probe }: Pool): () => Promise<bigint> {
  let highest = { block: -1n, atMs: performance.now() };
  return async () => {
    for (const node of nodes)
      if (node.fault !== undefined && node.restsUntilMs < performance.now()) probe(node);
    const block = await ask(headOf);
    if (block > highest.block) highest = { block, atMs: performance.now() };
    const hasFallen = block < highest.block - MAX_FALL;
    if (!hasFallen && performance.now() - highest.atMs < STALLED_MS) return block;
    const asked = used();
    const others = nodes.filter((node) => node !== asked);
    const heads = await Promise.all(others.map((node) => headOf(node).catch(() => -1n)));
    const isBehind = heads.some((other) => other > block);
    highest = { block: isBehind ? highest.block : block, atMs: performance.now() };
    if (!isBehind) return block;
    leave(asked, new Error(hasFallen ? 'its head fell' : 'its head stands still'));
    return ask(headOf);
  };
}

/** A node that is behind would show the past. */
async function requireCaughtUp({ client }: Node, chainId: number, block: bigint): Promise<void> {
  const found = await client.getChainId();
  if (found !== chainId) throw new ChainUnavailableError(`the node serves chain ${found}, not ${chainId}`);
  const deadlineMs = performance.now() + CATCH_UP_MS;
  for (;;) {
    const head = await client.getBlockNumber();
    if (head >= block) return;
    if (performance.now() > deadlineMs)
      throw new ChainUnavailableError(`the node is at block ${head}, behind block ${block}`);
    await delay(CATCH_UP_POLL_MS);
  }
}

/** An answer, or an error that is one, such as a revert. */
type Given<Answer> = { node: Node; content: unknown } & ({ answer: Answer } | { refusal: unknown });

async function agree<Answer>(
  { nodes: all, leave }: Pick<Pool, 'nodes' | 'leave'>,
  question: (node: Node) => Promise<Answer>,
  contentOf: (answer: Answer) => unknown,
): Promise<Answer> {
  // A silent node would hold up every answer.
  const awake = all.filter(({ restsUntilMs }) => restsUntilMs <= performance.now());
  const nodes = awake.length > 0 ? awake : all;
  const given: Given<Answer>[] = [];
  const errors: unknown[] = [];
  const shared = () =>
    given.find(
      ({ content }) => given.filter((other) => isDeepStrictEqual(content, other.content)).length > 1,
    );
  const { promise, resolve } = Promise.withResolvers<void>();
  const ask = async (node: Node): Promise<void> => {
    try {
      const answer = await question(node);
      given.push({ node, answer, content: contentOf(answer) });
    } catch (error) {
      if (!isFault(error)) given.push({ node, refusal: error, content: refusalOf(error) });
      else {
        leave(node, error);
        errors.push(error);
      }
    }
    if (given.length + errors.length === nodes.length || shared()) resolve();
  };
  for (const node of nodes) void ask(node);
  await promise;
  const agreed = shared() ?? (given.length === 1 ? given[0] : undefined);
  if (!agreed) throw given.length === 0 ? errors[0] : new ChainUnavailableError(contradiction(given));
  if ('refusal' in agreed) throw agreed.refusal;
  // A node without an answer can be behind.
  for (const { node, content, ...other } of given)
    if ('answer' in other && given.length > 1 && !isDeepStrictEqual(content, agreed.content))
      leave(node, new Error('its answer differs from the answer of two other nodes'));
  return agreed.answer;
}

const contradiction = (given: Given<unknown>[]): string =>
  `RPC nodes contradict each other: ${given.map(({ node }) => node.position).join(', ')}`;

/** The compared part of an error: errors of two nodes have different URLs and texts. */
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
