/** Reads the announcements of factories, before the logs of the same blocks are read. */
import type { Database } from '../db/database.ts';
import { createBlockReader } from './chain-blocks.ts';
import { type Births, changeChildren, listChildren } from './chain-children.ts';
import { createContracts } from './chain-contracts.ts';
import type { LiveGroup } from './chain-index.ts';
import type { Claimant } from './chain-position.ts';
import type { Block, ChainLog, ChainRpc } from './chain-rpc.ts';
import type { Followed, FollowedEvents } from './followed.ts';

type Reading = { db: Database; claimant: Pick<Claimant, 'chainId'>; rpc: Pick<ChainRpc, 'logs'> };

/** Resolves to the logs of blocks in which factories announce children. */
async function readAnnouncements(
  { claimant, rpc }: Reading,
  factories: LiveGroup['factories'],
  blocks: readonly Block[],
): Promise<ChainLog[]> {
  const { read } = createBlockReader(rpc, claimant.chainId, (mayHave) =>
    factories.filters(mayHave, (topic0) => [topic0]),
  );
  return (await Promise.all(blocks.map(read))).flat();
}

/** Resolves to the changes that recent blocks make to the children of a trigger. */
export async function readBirths(
  reading: Reading,
  trigger: Followed,
  blocks: readonly Block[],
): Promise<Births | undefined> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (trigger.kind !== 'chain_event' || !trigger.family || !first || !last) return undefined;
  const { id, family } = trigger;
  const factories = createContracts();
  factories.add(trigger, family.address, family.topic0);
  const logs = await readAnnouncements(reading, factories, blocks);
  const stored = await listChildren(reading.db, id, first.number, last.number);
  return changeChildren({ id, family }, { stored, logs, hashAt: hashesOf(blocks) });
}

/** Changes of the children of live triggers. */
type AllBirths = Disposable & ReadonlyMap<Followed, Births>;

export async function readAllBirths(
  reading: Reading,
  { factories, children: index, get }: LiveGroup,
  blocks: readonly Block[],
): Promise<AllBirths> {
  const all = new Map<Followed, Births>();
  const births = Object.assign(all, {
    [Symbol.dispose]() {
      for (const each of all.values()) each[Symbol.dispose]();
    },
  });
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (factories.size === 0 || !first || !last) return births;
  const logs = new Map<FollowedEvents, ChainLog[]>();
  for (const log of await readAnnouncements(reading, factories, blocks))
    for (const trigger of factories.find(log)) {
      const earlier = logs.get(trigger);
      if (earlier) earlier.push(log);
      else logs.set(trigger, [log]);
    }
  const children = await listChildren(reading.db, undefined, first.number, last.number);
  const stored = Map.groupBy(children, ({ triggerId }) => get(triggerId));
  for (const trigger of new Set([...logs.keys(), ...stored.keys()])) {
    if (trigger?.kind !== 'chain_event') continue;
    const { id, family } = trigger;
    if (!family) continue;
    const change = changeChildren(
      { id, family },
      { stored: stored.get(trigger) ?? [], logs: logs.get(trigger) ?? [], hashAt: hashesOf(blocks) },
      {
        adopt: (address) => index.adopt(trigger, address),
        disown: (address) => index.disown(trigger, address),
      },
    );
    if (change.born.length + change.gone.length > 0) all.set(trigger, change);
  }
  return births;
}

const hashesOf = (blocks: readonly Block[]) => {
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  return (number: bigint) => hashes.get(number);
};
