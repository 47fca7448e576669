/** JSON-RPC client of a chain's node. Validates the shape of each answer. */
import { type Node, openNode as open } from '@latchkey/chain/socket';
import { type Hex, numberToHex } from 'viem';
import { z } from 'zod';

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex);
const word = hex.refine((text) => text.length === 66, 'expected 32 bytes');
const quantity = hex.refine((text) => text.length > 2).transform(BigInt);

/** `logsBloom` is absent on some chains. */
const blockForm = z.object({
  number: quantity,
  hash: word,
  parentHash: word,
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
  /** Resolves to true when a contract is at the address in the newest block. */
  hasCode: (address: Hex) => Promise<boolean>;
};

export function createChainRpc(request: Node['request']): Omit<ChainRpc, 'close'> {
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
    hasCode: async (address) =>
      hex.parse(await request({ method: 'eth_getCode', params: [address, 'latest'] })) !== '0x',
  };
}

/** One node. */
export type ChainNode = ChainRpc & Pick<Node, 'request'> & { host: string };

/** Opens one node. */
export function openNode(url: string, timeoutMs: number): ChainNode {
  const { request, close } = open(url, timeoutMs);
  return { ...createChainRpc(request), request, close, host: new URL(url).host };
}
