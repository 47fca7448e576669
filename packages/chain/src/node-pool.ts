/** Several nodes of one chain: which of them is asked, and which ones rest after a fault. */
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from 'viem';
import { ChainUnavailableError, withoutUrl } from './errors.ts';
import type { Call } from './json-rpc.ts';

/** A node that failed is asked last for this long. */
const REST_MS = 10_000;
/** Time in which another node must reach the highest known block before it answers. */
const CATCH_UP_MS = 3_000;
export const CATCH_UP_POLL_MS = 100;
/** A head that falls further has lost blocks: reorgs are shorter. */
export const MAX_FALL = 64n;

export type NodeStatus = {
  /** Position in the list, from 1, and host: the rest of a URL can contain a key. */
  node: number;
  host: string;
  isUsed: boolean;
  /** Why the node was most recently not used, or left. Undefined once it answers again. */
  fault: string | undefined;
};
export type NodeFault = Omit<NodeStatus, 'isUsed'>;

export type Endpoint = { host: string; request: (call: Call) => Promise<unknown> };

export type Node<E extends Endpoint> = {
  endpoint: E;
  position: number;
  fault: string | undefined;
  restsUntilMs: number;
  /** Its highest head, and when that rose, or when no other node was last ahead of it. */
  highest: { block: bigint; atMs: number };
  /** Resolves once the node has told the right chain id. */
  checked?: Promise<void> | undefined;
};

export type PoolOptions = {
  /** Undefined: that of `needed` nodes. */
  chainId: number | undefined;
  /** Number of nodes, one or two, that must answer what is compared. */
  needed: number;
  /** A node that takes longer rests. */
  slowMs: number;
  /** True for an error of the node: the next one is asked. Any other error is an answer. */
  isFault: (error: unknown) => boolean;
  /** Called when a node is left, with the reason. */
  onFault?: ((fault: NodeFault) => void) | undefined;
};

export type Pool<E extends Endpoint> = {
  nodes: readonly Node<E>[];
  needed: number;
  isFault: PoolOptions['isFault'];
  /** The nodes in the order in which they are asked: resting ones last. */
  ranked: () => Node<E>[];
  isResting: (node: Node<Endpoint>) => boolean;
  /** Resolves to the answer of the used node, or of another one, which is used from then on. */
  ask: <Answer>(question: (endpoint: E) => Promise<Answer>) => Promise<Answer>;
  /** Asks a node of the right chain. Rejects when it is slow. */
  askOne: <Answer>(node: Node<E>, question: (endpoint: E) => Promise<Answer>) => Promise<Answer>;
  leave: (node: Node<E>, error: unknown) => void;
  /** Asks each node that has rested whether it can be used again. */
  probe: () => void;
  /** The highest known block: one that nodes agreed on. */
  known: () => bigint;
  setKnown: (block: bigint) => void;
  status: () => NodeStatus[];
};

const slowError = () => new ChainUnavailableError('the node answers slowly');

export async function headOf({ request }: Endpoint): Promise<bigint> {
  const answer = await request({ method: 'eth_blockNumber' });
  if (typeof answer === 'string' && /^0x[0-9a-f]{1,16}$/i.test(answer)) return BigInt(answer);
  throw new ChainUnavailableError('the node has a malformed head');
}

const chainIdOf = async ({ request }: Endpoint): Promise<number> =>
  Number(await request({ method: 'eth_chainId' }));

/** Resolves to the chain id that two nodes tell, one of which has told `found`. Otherwise one node could have the others ignored. */
async function sharedChainId(found: number, others: readonly Endpoint[]): Promise<number> {
  const told = others.map(chainIdOf);
  const isSame = async (id: Promise<number>) => {
    if ((await id) !== found) throw new ChainUnavailableError('the nodes serve different chains');
    return found;
  };
  return Promise.any(told.map(isSame)).catch(async ({ errors: [error] }: AggregateError) => {
    const [first = found, ...rest] = await Promise.all(told);
    if (rest.includes(first)) return first;
    throw error;
  });
}

/** Returns a function that resolves when the node is of the chain. Each node tells it once. */
function createChainCheck<E extends Endpoint>(
  endpoints: readonly E[],
  { chainId, needed, isFault }: PoolOptions,
): (node: Node<E>) => Promise<void> {
  let expected = chainId;
  const ask = async (endpoint: E): Promise<void> => {
    const found = await chainIdOf(endpoint);
    const others = endpoints.filter((other) => other !== endpoint);
    expected ??= needed === 1 ? found : await sharedChainId(found, others);
    if (found !== expected)
      throw new ChainUnavailableError(`the node serves chain ${found}, not ${expected}`);
  };
  return (node) => {
    node.checked ??= ask(node.endpoint).catch((error: unknown) => {
      node.checked = undefined;
      if (isFault(error)) throw error;
      throw new ChainUnavailableError('the node does not tell its chain', { cause: withoutUrl(error) });
    });
    return node.checked;
  };
}

const rest = (node: Node<Endpoint>): void => {
  node.restsUntilMs = performance.now() + REST_MS;
};
const isResting = ({ restsUntilMs }: Node<Endpoint>): boolean => restsUntilMs > performance.now();
const heal = (node: Node<Endpoint>): void => {
  node.fault = undefined;
  node.restsUntilMs = 0;
};

/** A node that is behind would show the past. */
async function awaitBlock({ endpoint }: Node<Endpoint>, known: () => bigint): Promise<void> {
  const deadlineMs = performance.now() + CATCH_UP_MS;
  for (;;) {
    const head = await headOf(endpoint);
    if (head >= known()) return;
    if (performance.now() > deadlineMs)
      throw new ChainUnavailableError(`the node is at block ${head}, behind block ${known()}`);
    await delay(CATCH_UP_POLL_MS);
  }
}

const newNode = <E extends Endpoint>(endpoint: E, index: number): Node<E> => ({
  endpoint,
  position: index + 1,
  fault: undefined,
  restsUntilMs: 0,
  highest: { block: -1n, atMs: performance.now() },
});

export function createPool<E extends Endpoint>(endpoints: readonly E[], options: PoolOptions): Pool<E> {
  const { needed, slowMs, isFault, onFault } = options;
  const nodes = endpoints.map(newNode);
  let used = nodes[0] as Node<E>;
  let known = 0n;
  const check = createChainCheck(endpoints, options);
  const rank = (node: Node<E>): number => (isResting(node) ? 2 : 0) + (node === used ? 0 : 1);
  const ranked = () => nodes.toSorted((a, b) => rank(a) - rank(b));
  const requireCaughtUp = (node: Node<E>) => check(node).then(() => awaitBlock(node, () => known));
  const leave = (node: Node<E>, error: unknown): void => {
    rest(node);
    const isNew = node.fault === undefined;
    node.fault = (withoutUrl(error) as Error).message;
    if (isNew) onFault?.({ node: node.position, host: node.endpoint.host, fault: node.fault });
  };
  const tryNode: Pool<E>['askOne'] = async (node, question) => {
    await (node === used ? check(node) : requireCaughtUp(node));
    const startMs = performance.now();
    const answer = await question(node.endpoint);
    used = node;
    if (performance.now() - startMs > slowMs) leave(node, slowError());
    else heal(node);
    return answer;
  };

  return {
    nodes,
    needed,
    isFault,
    ranked,
    isResting,
    leave,
    ask: (question) => askInTurn(ranked(), (node) => tryNode(node, question), { isFault, leave }),
    askOne: (node, question) =>
      withTimeout(() => check(node).then(() => question(node.endpoint)), {
        timeout: slowMs,
        errorInstance: slowError(),
      }),
    probe() {
      for (const node of nodes) {
        if (node.fault === undefined || isResting(node)) continue;
        rest(node);
        requireCaughtUp(node).then(
          () => heal(node),
          () => {},
        );
      }
    },
    known: () => known,
    setKnown(block) {
      known = block;
    },
    status: () => statusOf(nodes, ranked()[0]),
  };
}

const statusOf = (nodes: readonly Node<Endpoint>[], used: Node<Endpoint> | undefined): NodeStatus[] =>
  nodes.map((node) => ({
    node: node.position,
    host: node.endpoint.host,
    isUsed: node === used,
    fault: node.fault,
  }));

async function askInTurn<N, Answer>(
  nodes: readonly N[],
  ask: (node: N) => Promise<Answer>,
  { isFault, leave }: { isFault: (error: unknown) => boolean; leave: (node: N, error: unknown) => void },
): Promise<Answer> {
  const errors: unknown[] = [];
  for (const node of nodes)
    try {
      return await ask(node);
    } catch (error) {
      if (!isFault(error)) throw error;
      leave(node, error);
      errors.push(error);
    }
  throw errors[0];
}
