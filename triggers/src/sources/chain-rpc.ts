/** JSON-RPC client of a chain's node. Validates the shape of each answer. */
import { type Node, openNode as open } from '@latchkey/chain/socket';
import {
  BaseError,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  LimitExceededRpcError,
  numberToHex,
  RpcRequestError,
} from 'viem';
import { z } from 'zod';
import { chunks } from './chunks.ts';

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex);
const word = hex.refine((text) => text.length === 66, 'expected 32 bytes');
const quantity = hex.refine((text) => text.length > 2).transform(BigInt);

/** `logsBloom` and `baseFeePerGas` are absent on some chains. */
const blockForm = z.object({
  number: quantity,
  hash: word,
  parentHash: word,
  timestamp: quantity,
  baseFeePerGas: quantity.nullish().transform((fee) => fee ?? undefined),
  logsBloom: hex
    .refine((text) => text.length === 514, 'expected 256 bytes')
    .nullish()
    .transform((bloom) => bloom ?? undefined),
});
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

const feesForm = z.object({ oldestBlock: quantity, baseFeePerGas: z.array(quantity) });

/** Calls per request. */
const BATCH = 100;

/** An account, and the ERC-20 contract whose token it holds; without one, the chain's own coin. */
export type Holding = { address: Hex; token?: Hex };

/** Filter per topic: one value, any of several values, or null for any value. */
export type Topics = readonly (Hex | readonly Hex[] | null)[];
/** Without `address`: logs of all contracts. */
type LogFilter = { address?: Hex | Hex[]; topics: Topics } & (
  | { blockHash: Hex }
  | { fromBlock: bigint; toBlock: bigint }
);

/** Every method rejects when the node fails or its answer is malformed. */
export type ChainRpc = Pick<Node, 'close'> & {
  chainId: () => Promise<number>;
  /** Resolves to undefined for an unknown block. */
  block: (which: bigint | 'latest' | { hash: Hex }) => Promise<Block | undefined>;
  /** Rejects when the node lacks the block, or the last block of the range: it would answer without its logs. */
  logs: (filter: LogFilter) => Promise<ChainLog[]>;
  /** Resolves to the base fees of blocks, at most 1,024, which is the limit of nodes, in wei: 0 before the chain had one. */
  baseFees: (first: bigint, last: bigint) => Promise<bigint[]>;
  /** Resolves to the balances in a block. Undefined for one that cannot be read there, such as of a contract that is not an ERC-20 token. */
  balances: (blockHash: Hex, holdings: readonly Holding[]) => Promise<(bigint | undefined)[]>;
  /** Resolves to true when a contract is at the address in the newest block. */
  hasCode: (address: Hex) => Promise<boolean>;
  /** Resolves to the data that a call returns in the newest block; undefined when it reverts or runs out of gas. */
  call: (call: { to: Hex; data: Hex; gas: bigint }) => Promise<Hex | undefined>;
};

/** @param batched - Sends the calls of one turn of the event loop as one request. */
export function createChainRpc(
  request: Node['request'],
  batched: Node['request'] = request,
): Omit<ChainRpc, 'close'> {
  const block: ChainRpc['block'] = async (which) => {
    const answer =
      typeof which === 'object'
        ? await request({ method: 'eth_getBlockByHash', params: [which.hash, false] })
        : await request({
            method: 'eth_getBlockByNumber',
            params: [which === 'latest' ? which : numberToHex(which), false],
          });
    return blockForm.nullish().parse(answer) ?? undefined;
  };
  return {
    chainId: async () => Number(quantity.parse(await request({ method: 'eth_chainId' }))),
    block,
    async logs(filter) {
      const isOne = 'blockHash' in filter;
      // Before the logs: the node could receive the block between two concurrent requests.
      if (!(await block(isOne ? { hash: filter.blockHash } : filter.toBlock)))
        throw new Error(`node has no block ${isOne ? filter.blockHash : filter.toBlock}`);
      const wire = isOne
        ? filter
        : { ...filter, fromBlock: numberToHex(filter.fromBlock), toBlock: numberToHex(filter.toBlock) };
      return z.array(logForm).parse(await request({ method: 'eth_getLogs', params: [wire] }));
    },
    async baseFees(first, last) {
      const count = last - first + 1n;
      const params = [numberToHex(count), numberToHex(last), []];
      const { oldestBlock, baseFeePerGas } = feesForm.parse(
        await request({ method: 'eth_feeHistory', params }),
      );
      // The fee of the block after the last one is added.
      const fees = baseFeePerGas.slice(0, Number(count));
      if (oldestBlock !== first || fees.length < count)
        throw new Error(`node has no fees from ${first} to ${last}`);
      return fees;
    },
    async balances(blockHash, holdings) {
      const balances: (bigint | undefined)[] = [];
      for (const some of chunks(holdings, BATCH))
        balances.push(...(await Promise.all(some.map((each) => readBalance(batched, blockHash, each)))));
      return balances;
    },
    hasCode: async (address) =>
      hex.parse(await request({ method: 'eth_getCode', params: [address, 'latest'] })) !== '0x',
    async call({ gas, ...call }) {
      try {
        const params = [{ ...call, gas: numberToHex(gas) }, 'latest'];
        return hex.parse(await request({ method: 'eth_call', params }));
      } catch (error) {
        if (isAnswer(error) && !(error instanceof LimitExceededRpcError)) return undefined;
        throw error;
      }
    },
  };
}

/** Returns true for an error with which the node answered. */
const isAnswer = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof RpcRequestError) !== null;

const uint256 = word.transform(BigInt);

async function readBalance(
  request: Node['request'],
  blockHash: Hex,
  { address, token }: Holding,
): Promise<bigint | undefined> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  const call = token
    ? { method: 'eth_call', params: [{ to: token, data }, { blockHash }] }
    : { method: 'eth_getBalance', params: [address, { blockHash }] };
  try {
    const answer = await request(call);
    return (token ? uint256 : quantity).safeParse(answer).data;
  } catch (error) {
    if (isAnswer(error)) return undefined;
    throw error;
  }
}

/** One node. */
export type ChainNode = ChainRpc & Pick<Node, 'request'> & { host: string };

/** Opens one node. */
export function openNode(url: string, timeoutMs: number): ChainNode {
  const { request, close } = open(url, timeoutMs);
  const batched = open(url, timeoutMs, { isBatching: true });
  return {
    ...createChainRpc(request, batched.request),
    request,
    close() {
      batched.close();
      close();
    },
    host: new URL(url).host,
  };
}
