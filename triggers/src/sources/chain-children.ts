/** Children of a factory: contracts that it announces by an event. A trigger follows each from the block of its announcement on. */
import { and, between, eq, inArray } from 'drizzle-orm';
import type { AbiEvent, Hex } from 'viem';
import type { Database } from '../db/database.ts';
import { factoryChildren } from '../db/schema.ts';
import type { ChainLog } from './chain-rpc.ts';
import { chunks } from './chunks.ts';
import { decodeLog } from './event-signature.ts';

/** Children per trigger. Further ones are not followed. */
export const MAX_CHILDREN = 10_000;
/** Rows per statement. */
const ROWS = 1_000;

/** A factory, and its children with the blocks of their announcements. Addresses are in lower case. */
export type Family = {
  address: Hex;
  event: AbiEvent;
  topic0: Hex;
  parameter: string;
  children: Map<Hex, number>;
};

export type Child = typeof factoryChildren.$inferSelect;

/** Told about each child that is added or removed. */
type Listener = { adopt: (address: Hex) => void; disown: (address: Hex) => void };

/** Changes that blocks make to the children of a trigger. Taken back at its disposal, unless it was stored. */
export type Births = Disposable & { born: readonly Child[]; gone: readonly Child[]; isStored: boolean };

/** Resolves to all children of a trigger by address. */
export async function loadChildren(db: Database, id: string): Promise<Map<Hex, number>> {
  const rows = await db
    .select({ address: factoryChildren.address, block: factoryChildren.blockNumber })
    .from(factoryChildren)
    .where(eq(factoryChildren.triggerId, id));
  return new Map(rows.map(({ address, block }) => [address as Hex, Number(block)]));
}

export const countChildren = (db: Database, id: string): Promise<number> =>
  db.$count(factoryChildren, eq(factoryChildren.triggerId, id));

/** Resolves to the children that were announced in a range of blocks: those of a trigger, or of all. */
export const listChildren = (
  db: Database,
  id: string | undefined,
  from: bigint,
  to: bigint,
): Promise<Child[]> =>
  db
    .select()
    .from(factoryChildren)
    .where(
      and(
        between(factoryChildren.blockNumber, from, to),
        id === undefined ? undefined : eq(factoryChildren.triggerId, id),
      ),
    );

/** Removes the children whose block has left the chain, and adds those that the logs announce. */
export function changeChildren(
  { id, family }: { id: string; family: Family },
  {
    stored,
    logs,
    hashAt,
  }: {
    stored: readonly Child[];
    logs: readonly ChainLog[];
    hashAt: (number: bigint) => Hex | undefined;
  },
  listener?: Listener,
): Births {
  const { children } = family;
  const add = ({ address, blockNumber }: Child) => {
    children.set(address as Hex, Number(blockNumber));
    listener?.adopt(address as Hex);
  };
  const remove = ({ address }: Child) => {
    children.delete(address as Hex);
    listener?.disown(address as Hex);
  };
  const gone = stored.filter(({ blockNumber, blockHash }) => {
    const hash = hashAt(blockNumber);
    return hash !== undefined && hash !== blockHash;
  });
  for (const child of gone) remove(child);
  const born: Child[] = [];
  for (const log of logs.toSorted((a, b) => Number(a.blockNumber - b.blockNumber))) {
    if (children.size >= MAX_CHILDREN) break;
    if (log.removed || log.address !== family.address || log.topics[0] !== family.topic0) continue;
    const address = childOf(family, log);
    if (address === undefined || children.has(address)) continue;
    const child = { triggerId: id, address, blockNumber: log.blockNumber, blockHash: log.blockHash };
    born.push(child);
    add(child);
  }
  return {
    born,
    gone,
    isStored: false,
    [Symbol.dispose]() {
      if (this.isStored) return;
      for (const child of born) remove(child);
      for (const child of gone) add(child);
    },
  };
}

function childOf({ event, parameter }: Family, { topics, data }: ChainLog): Hex | undefined {
  const value = decodeLog(event, { topics: topics.slice(1), data })[parameter];
  return typeof value === 'string' ? (value.toLowerCase() as Hex) : undefined;
}

/** Stores a change, in the transaction that moves the cursor of the trigger. */
export async function storeBirths(tx: Database, id: string, { born, gone }: Births): Promise<void> {
  for (const some of chunks(gone, ROWS))
    await tx.delete(factoryChildren).where(
      and(
        eq(factoryChildren.triggerId, id),
        inArray(
          factoryChildren.address,
          some.map(({ address }) => address),
        ),
        inArray(
          factoryChildren.blockHash,
          some.map(({ blockHash }) => blockHash),
        ),
      ),
    );
  for (const some of chunks(born, ROWS)) await tx.insert(factoryChildren).values(some).onConflictDoNothing();
}
