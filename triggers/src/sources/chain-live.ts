/** Reads new blocks for all live triggers. Only triggers with logs in the blocks touch the database, besides the position of the chain. */
import { and, between, isNotNull } from 'drizzle-orm';
import { firedLogs } from '../db/schema.ts';
import { readAllBirths } from './chain-births.ts';
import { type FoundBlocks, findBlocks } from './chain-block-reads.ts';
import { createBlockReader } from './chain-blocks.ts';
import { greatest } from './chain-cursor.ts';
import { REORG_DEPTH } from './chain-headers.ts';
import type { LiveGroup } from './chain-index.ts';
import { inLanes, type Lane, least, roundRobin, startHead } from './chain-lanes.ts';
import { keepChain } from './chain-position.ts';
import { backOff, type Following, fire } from './chain-reads.ts';
import type { Block } from './chain-rpc.ts';
import { skipToFinal } from './chain-skip.ts';
import { detach } from './chain-states.ts';
import type { Fired, Followed } from './followed.ts';

/** Blocks between two moves of the position. */
const STEP = 16n;

/** Reads the blocks between the position of the chain and its head. Does nothing while the node is behind the position. */
export async function readLiveBlocks(following: Following): Promise<void> {
  const { headers, live, position } = following;
  const head = headers.head();
  if (head < position.head) return;
  if (live.size > 0 && head - position.head > REORG_DEPTH) await skipToFinal(following);
  const changed = firstChanged(following);
  if (changed > head) return;
  const isReorg = changed <= position.head;
  for (let at = live.size > 0 ? changed - 1n : head; at < head; ) {
    const to = least(at + STEP, head);
    for (const group of live.groups()) await readGroup(following, group, { at, to, isReorg });
    if (to > position.head) await moveTo(following, to);
    at = to;
  }
  if (position.read.get(head) !== headers.at(head)?.hash) await moveTo(following, head);
}

/** Returns the lowest block that was not processed, or was replaced since. */
function firstChanged({ headers, position: { head, read } }: Following): bigint {
  let changed = head + 1n;
  for (let number = head; number > headers.final(); number--) {
    if (headers.at(number)?.hash === read.get(number)) break;
    changed = number;
  }
  return changed;
}

async function moveTo({ claimant, headers, position }: Following, to: bigint): Promise<void> {
  await keepChain(claimant, { headBlock: to, headHash: headers.at(to)?.hash ?? null });
  position.head = to;
  position.read.clear();
  for (let number = to; number > headers.final(); number--) {
    const block = headers.at(number);
    if (block) position.read.set(number, block.hash);
  }
}

type Found = { logs: Fired[]; sides?: FoundBlocks['sides'] };

/** `at` is the newest block that was processed, `to` the newest one to process. */
type Blocks = { at: bigint; to: bigint; isReorg: boolean };

async function readGroup(following: Following, group: LiveGroup, { at, to, isReorg }: Blocks): Promise<void> {
  const { db, claimant, headers, rpc } = following;
  const first = greatest(at + 1n - group.confirmations, 0n);
  const last = to - group.confirmations;
  if (last < first) return;
  const numbers = Array.from({ length: Number(last - first) + 1 }, (_, n) => first + BigInt(n));
  const blocks = await Promise.all(numbers.map((number) => blockAt(following, number)));
  using births = await readAllBirths(following, group, blocks);
  const { read } = createBlockReader(rpc, claimant.chainId, group.filters);
  const logs = await Promise.all(blocks.map(read));
  const found = new Map<Followed, Found>([...births.keys()].map((trigger) => [trigger, { logs: [] }]));
  for (const log of logs.flat())
    for (const trigger of group.match(log)) {
      const earlier = found.get(trigger);
      if (earlier) earlier.logs.push(log);
      else found.set(trigger, { logs: [log] });
    }
  const confirmed = headers.head() - group.confirmations;
  for (const [trigger, each] of await findBlocks(following, group.blocks, blocks, confirmed))
    found.set(trigger, each);
  if (isReorg) {
    const rows = await db
      .selectDistinct({ id: firedLogs.triggerId })
      .from(firedLogs)
      .where(and(isNotNull(firedLogs.runId), between(firedLogs.blockNumber, first, last)));
    for (const { id } of rows) {
      const trigger = group.get(id);
      if (trigger && !found.has(trigger)) found.set(trigger, { logs: [] });
    }
  }
  const lanes = roundRobin([...found.keys()].map((trigger) => startHead(trigger, first)));
  const hashAt = (number: bigint) => headers.at(number)?.hash;
  await inLanes(lanes, async (lane) => {
    const { trigger } = lane;
    const { logs = [], sides } = found.get(trigger) ?? {};
    const range = { from: first, to: last, logs, sides, hashAt, births: births.get(trigger) };
    await settleLive(following, lane, range);
  });
}

async function blockAt({ headers, oldBlocks, rpc }: Following, number: bigint): Promise<Block> {
  const known = headers.at(number) ?? oldBlocks.get(number);
  if (known) return known;
  const block = number <= headers.final() ? await rpc.block(number) : undefined;
  if (!block) throw new Error(`node has no block ${number}`);
  oldBlocks.set(number, block);
  return block;
}

/** Settles the logs of a live trigger. One that must wait, or fails, is read on its own from then on. */
async function settleLive(
  following: Following,
  lane: Lane,
  range: Parameters<typeof fire>[2],
): Promise<void> {
  const { db, live, states, changed } = following;
  const { trigger } = lane;
  try {
    const state = await fire(following, lane, range);
    if (state === 'done') return;
    if (state === 'waits' && !(await detach(db, trigger))) changed.add(trigger.id);
  } catch (error) {
    if (!(await detach(db, trigger))) changed.add(trigger.id);
    backOff(following, lane, error);
  }
  live.delete(trigger.id);
  if (changed.has(trigger.id)) return void states.delete(trigger.id);
  const { unread } = states.get(trigger.id) ?? {};
  const floor = lane.position - REORG_DEPTH;
  states.set(trigger.id, { trigger, isLive: false, floor, isPlain: false, head: lane, unread });
}
