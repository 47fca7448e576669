/** Programmable stand-in for a chain's node: blocks with logs, reorgs and the faults of real nodes. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bytesToHex, type Hex, numberToHex, pad } from 'viem';
import { bitsOf } from '../src/sources/chain-bloom.ts';

export type NewLog = { address: Hex; topics: Hex[]; data?: Hex };
export type StandInLog = NewLog & {
  blockNumber: bigint;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: number;
};
type StandInBlock = {
  number: bigint;
  hash: Hex;
  parentHash: Hex;
  logs: StandInLog[];
  age: number;
  baseFee: bigint;
  /** By account, or by account and token. */
  balances: ReadonlyMap<string, bigint>;
};

/** Probability of each fault per request, from 0 to 1. */
export type Faults = {
  /** The node answers with an older state. */
  lag: number;
  /** A block or list of logs is null although it exists. */
  gap: number;
  /** Logs are duplicated and reordered, with a removed log and a log of another contract added. */
  noise: number;
  /** The connection breaks. */
  disconnect: number;
};
export const noFaults: Faults = { lag: 0, gap: 0, noise: 0, disconnect: 0 };

const digest = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`;

export type StandInChain = ReturnType<typeof createStandInChain>;

export function createStandInChain({
  chainId = 31_337,
  maxRange = 2_000n,
  maxAddresses = 1_000,
  random = Math.random,
}: {
  chainId?: number;
  maxRange?: bigint;
  maxAddresses?: number;
  random?: () => number;
} = {}) {
  const known = new Map<Hex, StandInBlock>();
  const genesis: StandInBlock = {
    number: 0n,
    hash: digest('genesis'),
    parentHash: digest(''),
    logs: [],
    age: 0,
    baseFee: 0n,
    balances: new Map(),
  };
  /** The base fee and the balances of the next blocks. A chain without a base fee has an undefined one. */
  const state = {
    baseFee: 0n as bigint | undefined | (() => bigint),
    balances: new Map<string, bigint>(),
    /** False for a node without the state of the blocks. */
    hasState: true,
  };
  known.set(genesis.hash, genesis);
  /** The chain after each update. */
  const history: StandInBlock[][] = [[genesis]];
  const chain = () => history.at(-1) as StandInBlock[];
  const requests: { method: string; params: unknown[] }[] = [];
  /** Calls per HTTP request. */
  const batches: number[] = [];

  const made = (parent: StandInBlock, logs: readonly NewLog[]): StandInBlock => {
    const number = parent.number + 1n;
    const hash = digest(`${parent.hash} ${known.size}`);
    const block: StandInBlock = {
      number,
      hash,
      parentHash: parent.hash,
      age: history.length,
      baseFee: typeof state.baseFee === 'function' ? state.baseFee() : (state.baseFee ?? 0n),
      balances: new Map(state.balances),
      logs: logs.map((log, logIndex) => ({
        ...log,
        blockNumber: number,
        blockHash: hash,
        transactionHash: digest(`${hash} ${Math.floor(logIndex / 2)}`),
        logIndex,
      })),
    };
    known.set(hash, block);
    return block;
  };
  const extend = (base: readonly StandInBlock[], blocks: readonly (readonly NewLog[])[]): void => {
    const next = [...base];
    for (const logs of blocks) next.push(made(next.at(-1) as StandInBlock, logs));
    history.push(next);
  };

  const faults: Faults & { /** In chain updates. */ maxLag: number } = { ...noFaults, maxLag: 3 };
  const occurs = (share: number) => share > 0 && random() < share;

  const request = async (call: { method: string; params?: unknown }): Promise<unknown> => {
    const { method } = call;
    const params = (call.params ?? []) as unknown[];
    requests.push({ method, params });
    if (occurs(faults.disconnect)) throw new Error('socket hang up');
    const back = occurs(faults.lag) ? 1 + Math.floor(random() * faults.maxLag) : 0;
    const at = Math.max(0, history.length - 1 - back);
    const seen = history[at] as StandInBlock[];
    const shown = (block: StandInBlock | undefined) =>
      block && block.age <= at && !occurs(faults.gap)
        ? {
            number: numberToHex(block.number),
            hash: block.hash,
            parentHash: block.parentHash,
            timestamp: numberToHex(1_700_000_000n + 12n * block.number),
            ...(state.baseFee !== undefined && { baseFeePerGas: numberToHex(block.baseFee) }),
            logsBloom: bloomOf(block),
          }
        : null;
    switch (method) {
      case 'eth_chainId':
        return numberToHex(chainId);
      case 'eth_blockNumber':
        return numberToHex(seen.length - 1);
      case 'eth_getBlockByHash':
        return shown(known.get(params[0] as Hex));
      case 'eth_getBlockByNumber':
        return shown(params[0] === 'latest' ? seen.at(-1) : seen[Number(params[0])]);
      case 'eth_feeHistory': {
        const newest = Number(params[1]);
        if (newest >= seen.length) throw new Error('request beyond head block');
        const first = Math.max(0, newest + 1 - Number(params[0]));
        const fees = seen.slice(first, newest + 1).map(({ baseFee }) => numberToHex(baseFee));
        return { oldestBlock: numberToHex(first), baseFeePerGas: [...fees, '0x0'] };
      }
      case 'eth_getBalance':
        return numberToHex(balanceIn(params, at).get((params[0] as string).toLowerCase()) ?? 0n);
      case 'eth_call': {
        const { to, data } = params[0] as { to: Hex; data: Hex };
        const balance = balanceIn(params, at).get(`0x${data.slice(-40)} ${to}`.toLowerCase());
        // No contract is at the address.
        return balance === undefined ? '0x' : pad(numberToHex(balance));
      }
      case 'eth_getLogs':
        return findLogs(params[0] as Filter, seen, at);
      default:
        throw new Error(`the method ${method} does not exist`);
    }
  };

  const balanceIn = ([, at]: unknown[], updates: number): ReadonlyMap<string, bigint> => {
    const block = known.get((at as { blockHash: Hex }).blockHash);
    if (!block || block.age > updates) throw new Error('header not found');
    if (!state.hasState) throw new Error('missing trie node');
    return block.balances;
  };

  type Filter = {
    address?: Hex | Hex[];
    topics: (Hex | Hex[] | null)[];
    blockHash?: Hex;
    fromBlock?: Hex;
    toBlock?: Hex;
  };

  function findLogs({ address, topics, ...where }: Filter, seen: readonly StandInBlock[], at: number) {
    if ([address ?? []].flat().length > maxAddresses) throw new Error('exceed max addresses');
    if (occurs(faults.gap)) return null;
    let blocks: readonly StandInBlock[];
    if (where.blockHash) {
      const block = known.get(where.blockHash);
      if (!block || block.age > at) throw new Error('unknown block');
      blocks = [block];
    } else {
      const [from, to] = [BigInt(where.fromBlock ?? 0), BigInt(where.toBlock ?? 0)];
      if (to - from >= maxRange) throw new Error(`block range is too wide: at most ${maxRange}`);
      // Unknown blocks have no logs, like on real nodes.
      blocks = seen.slice(Number(from), Number(to) + 1);
    }
    const contracts = address && new Set([address].flat().map((each) => each.toLowerCase()));
    const oneOf = (wanted: Hex | Hex[], value: Hex | undefined) =>
      [wanted].flat().some((each) => each.toLowerCase() === value?.toLowerCase());
    const found = blocks
      .flatMap(({ logs }) => logs)
      .filter((log) => contracts === undefined || contracts.has(log.address.toLowerCase()))
      .filter((log) => topics.length <= log.topics.length)
      .filter((log) => topics.every((topic, index) => topic === null || oneOf(topic, log.topics[index])))
      .map(toRpcLog);
    const [first] = found;
    if (!first || !occurs(faults.noise)) return found;
    const removed = { ...first, logIndex: '0x3e7', removed: true };
    const other = { ...first, logIndex: '0x3e8', address: `0x${'0'.repeat(40)}` };
    return [...found, removed, other, ...found].reverse();
  }

  return {
    request,
    requests,
    batches,
    faults,
    state,
    mine: (...blocks: (readonly NewLog[])[]) => extend(chain(), blocks),
    /** Replaces the last `depth` blocks with `blocks`, which must be at least as many. */
    reorg: (depth: number, blocks: (readonly NewLog[])[]) => extend(chain().slice(0, -depth), blocks),
    /** Makes a dropped block part of the chain again, with more blocks on top. */
    revive(hash: Hex, blocks: (readonly NewLog[])[]): void {
      const branch: StandInBlock[] = [];
      for (let block = known.get(hash); block; block = known.get(block.parentHash)) branch.unshift(block);
      extend(branch, blocks);
    },
    head: () => Number((chain().at(-1) as StandInBlock).number),
    /** Returns the blocks of the chain. */
    blocks: () => chain().map(({ number, hash }) => ({ number: Number(number), hash })),
    /** Returns the base fees of the blocks of the chain. */
    fees: () => chain().map(({ baseFee }) => baseFee),
    /** Returns the logs on the chain up to a block. */
    logs: (upTo: number): StandInLog[] =>
      chain().flatMap(({ number, logs }) => (Number(number) <= upTo ? logs : [])),
    /** Serves the chain over HTTP. */
    async serve(): Promise<AsyncDisposable & { url: string }> {
      const server = createServer(async (incoming, reply) => {
        const body: Buffer[] = [];
        for await (const chunk of incoming) body.push(chunk as Buffer);
        // A client that gave up.
        if (body.length === 0) return reply.destroy();
        const asked = JSON.parse(Buffer.concat(body).toString());
        batches.push([asked].flat().length);
        const answers = await Promise.all(
          [asked].flat().map(({ id, method, params }) =>
            request({ method, params }).then(
              (result) => ({ jsonrpc: '2.0', id, result }),
              ({ message }: Error) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message } }),
            ),
          ),
        );
        if (answers.some((each) => 'error' in each && each.error.message === 'socket hang up'))
          return reply.destroy();
        return reply
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };
}

function bloomOf({ logs }: StandInBlock): Hex {
  const bloom = new Uint8Array(256);
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics]))
    for (const bit of bitsOf(value))
      bloom[255 - (bit >> 3)] = (bloom[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
  return bytesToHex(bloom);
}

const toRpcLog = (log: StandInLog) => ({
  address: log.address,
  topics: log.topics,
  data: log.data ?? '0x',
  blockNumber: numberToHex(log.blockNumber),
  blockHash: log.blockHash,
  transactionHash: log.transactionHash,
  transactionIndex: '0x0',
  logIndex: numberToHex(log.logIndex),
  removed: false,
});
