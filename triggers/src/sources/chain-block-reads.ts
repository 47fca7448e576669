/** Finds the blocks that fire chain-block triggers: in their headers, and for balances in the state of the chain. */
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { ChainName } from '../config.ts';
import type { Side } from '../db/schema.ts';
import { type BlockIndex, createBlockIndex, FEE_WINDOW } from './chain-block-index.ts';
import { type BalanceCondition, isBeyond } from './chain-config.ts';
import { greatest } from './chain-cursor.ts';
import { type Headers, REORG_DEPTH } from './chain-headers.ts';
import type { Block, ChainRpc, Holding } from './chain-rpc.ts';
import { chunks } from './chunks.ts';
import type { FiredBlock, FollowedBlocks } from './followed.ts';

/** Blocks read concurrently. */
const CONCURRENT = 16;

type Reading = {
  headers: Pick<Headers, 'at'>;
  rpc: Pick<ChainRpc, 'block' | 'baseFees' | 'balances'>;
  log: Pick<Logger, 'warn'>;
  chain: ChainName;
};

/** Blocks that fire a trigger, and the new sides of its balance when they changed. */
export type FoundBlocks = { logs: FiredBlock[]; sides?: readonly Side[] };

const toFired = (block: Block, balance?: bigint): FiredBlock => ({
  blockNumber: block.number,
  blockHash: block.hash,
  // A block has neither: it is stored as a log.
  transactionHash: '0x',
  logIndex: 0n,
  block,
  ...(balance !== undefined && { balance }),
});

/** Resolves to the triggers that consecutive blocks fire. `confirmed` is the newest confirmed block; without it no balance is read. */
export async function findBlocks(
  reading: Reading,
  index: BlockIndex,
  blocks: readonly Block[],
  confirmed: bigint | undefined,
): Promise<Map<FollowedBlocks, FoundBlocks>> {
  const found = new Map<FollowedBlocks, FoundBlocks>();
  const [first] = blocks;
  if (!first) return found;
  const fees = index.hasFees() ? await feesBefore(reading, first.number) : [];
  for (const block of blocks) {
    const baseFee = block.baseFeePerGas ?? 0n;
    for (const trigger of index.match(block.number, baseFee, fees.slice(-FEE_WINDOW))) {
      const earlier = found.get(trigger);
      if (earlier) earlier.logs.push(toFired(block));
      else found.set(trigger, { logs: [toFired(block)] });
    }
    fees.push(baseFee);
    if (confirmed === undefined) continue;
    const due = index.sampled(block.number, confirmed);
    if (due.length > 0) await readBalances(reading, block, due, found);
  }
  return found;
}

/** Resolves to the base fees of the blocks before. Blocks that are no longer known are final. */
async function feesBefore({ headers, rpc }: Reading, first: bigint): Promise<bigint[]> {
  const lowest = greatest(first - BigInt(FEE_WINDOW), 0n);
  const known: bigint[] = [];
  let number = first - 1n;
  for (; number >= lowest; number--) {
    const block = headers.at(number);
    if (!block) break;
    known.unshift(block.baseFeePerGas ?? 0n);
  }
  return number < lowest ? known : [...(await rpc.baseFees(lowest, number)), ...known];
}

/** Reads the balances of triggers in a block. A balance that cannot be read is read in the next block that is due. */
async function readBalances(
  { headers, rpc, log, chain }: Reading,
  block: Block,
  due: readonly FollowedBlocks[],
  found: Map<FollowedBlocks, FoundBlocks>,
): Promise<void> {
  const holdings = new Map<string, Holding>();
  for (const { config } of due) if (config.balance) holdings.set(keyOf(config.balance), config.balance);
  const answers = await rpc.balances(block.hash, [...holdings.values()]).catch((err: unknown) => {
    log.warn({ err, chain, block: String(block.number) }, 'failed to read balances');
    return [];
  });
  const balances = new Map([...holdings.keys()].map((key, position) => [key, answers[position]]));
  const isOnChain = ({ block: number, hash }: Side) => (headers.at(BigInt(number))?.hash ?? hash) === hash;
  for (const trigger of due) {
    const { balance: condition } = trigger.config;
    const balance = condition && balances.get(keyOf(condition));
    if (condition === undefined || balance === undefined) continue;
    const before = trigger.sides.filter((side) => side.block < block.number && isOnChain(side));
    const { is_beyond: was } = before.at(-1) ?? {};
    const is = isBeyond(balance, condition);
    const side = { block: Number(block.number), hash: block.hash, is_beyond: is };
    const sides = was === is ? before : [...withoutFinal(before, block.number), side];
    const logs = is && was === false ? [toFired(block, balance)] : [];
    if (logs.length > 0 || !isDeepStrictEqual(sides, trigger.sides)) found.set(trigger, { logs, sides });
  }
}

const keyOf = ({ address, token }: BalanceCondition): string => `${address} ${token ?? ''}`;

/** Returns the sides that a reorg can bring back: the newest final one, and those after it. */
function withoutFinal(sides: readonly Side[], newest: bigint): readonly Side[] {
  const last = sides.findLastIndex(({ block }) => BigInt(block) <= newest - REORG_DEPTH);
  return last < 0 ? sides : sides.slice(last);
}

/** Resolves to the final blocks of a range that fire a trigger. Nodes do not keep the balances of such blocks. */
export async function findFinalBlocks(
  { rpc }: Pick<Reading, 'rpc'>,
  trigger: FollowedBlocks,
  from: bigint,
  to: bigint,
): Promise<FiredBlock[]> {
  const index = createBlockIndex([trigger]);
  const lowest = greatest(from - BigInt(FEE_WINDOW), 0n);
  const fees = index.hasFees() ? await rpc.baseFees(lowest, to) : [];
  const numbers: bigint[] = [];
  for (let number = from; number <= to; number++) {
    const position = Number(number - lowest);
    const before = fees.slice(Math.max(0, position - FEE_WINDOW), position);
    if (index.match(number, fees[position] ?? 0n, before).length > 0) numbers.push(number);
  }
  const blocks: Block[] = [];
  for (const some of chunks(numbers, CONCURRENT))
    for (const block of await Promise.all(some.map((number) => rpc.block(number)))) {
      if (!block) throw new Error('node lacks a final block');
      blocks.push(block);
    }
  return blocks.map((block) => toFired(block));
}

/** Maximum blocks of `findFinalBlocks`: about as many as it reads with a hundred requests, or the fees with one. */
export function maxFinalBlocks({ config }: FollowedBlocks): bigint | undefined {
  if (config.every !== undefined) return BigInt(config.every) * 100n;
  return config.base_fee && 1_000n;
}
