/**
 * How far a chain was read. One process at a time moves the position, by a lease: every block that it processes counts as read by all
 * live triggers, so a process whose lease another one took must not move it.
 */
import { callForRow } from '@latchkey/service/call-function';
import { and, eq, exists, or, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { ChainName } from '../config.ts';
import type { Database } from '../db/database.ts';
import { chainChanges, chainPositions, triggers } from '../db/schema.ts';

/** Another process reads the chain. */
export class ChainLostError extends Error {
  override readonly name = 'ChainLostError';
}

/** A process that wants to read a chain. `leaseMs`: time after which others can take the chain from a process that ended. */
export type Claimant = { db: Database; chain: ChainName; chainId: number; holder: string; leaseMs: number };

const columns = {
  isHeld: sql<boolean>`is_held`,
  isNew: sql<boolean>`is_new`,
  block: sql<string>`block`,
  hash: sql<Hex | null>`hash`,
  changed: sql<string[]>`changed`,
};

/** Takes or keeps the lease. The migration of `claim_chain` describes the columns. */
export const claimChain = ({ db, chain, chainId, holder, leaseMs }: Claimant) =>
  callForRow(
    db,
    columns,
    sql`triggers.claim_chain(${chain}::text, ${chainId}::bigint, ${holder}::uuid, ${leaseMs}::integer)`,
  );

/** Resolves to true when the chain has enabled triggers, or changes that no process has seen. */
export async function isFollowed(db: Database, chain: ChainName): Promise<boolean> {
  const one = { one: sql`1` };
  const [row] = await db
    .select({
      isFollowed: or(
        exists(db.select(one).from(triggers).where(isEnabledOn(chain))),
        exists(db.select(one).from(chainChanges).where(eq(chainChanges.chain, chain))),
      ) as ReturnType<typeof sql<boolean>>,
    })
    .from(sql`(values (1)) as one`);
  return row?.isFollowed === true;
}

export const isEnabledOn = (chain: ChainName) =>
  and(
    sql`${triggers.kind} in ('chain_event', 'chain_block')`,
    triggers.enabled,
    eq(sql`${triggers.config} ->> 'chain'`, chain),
  );

const isHeldBy = ({ chain, chainId, holder }: Claimant) =>
  and(
    eq(chainPositions.chain, chain),
    eq(chainPositions.chainId, chainId),
    eq(chainPositions.holder, holder),
  );

/** Renews the lease, and moves the position. Rejects with `ChainLostError` when another process has taken the chain. */
export async function keepChain(
  claimant: Claimant,
  moved: { headBlock?: bigint; headHash?: Hex | null } = {},
  tx: Database = claimant.db,
): Promise<void> {
  const kept = await tx
    .update(chainPositions)
    .set({ ...moved, leaseUntil: sql`clock_timestamp() + ${claimant.leaseMs} * interval '1 ms'` })
    .where(isHeldBy(claimant))
    .returning({ chain: chainPositions.chain });
  if (kept.length === 0) throw new ChainLostError(`another process reads the chain ${claimant.chain}`);
}

/** Lets another process take the chain immediately. */
export async function releaseChain(claimant: Claimant): Promise<void> {
  await claimant.db.update(chainPositions).set({ leaseUntil: sql`'-infinity'` }).where(isHeldBy(claimant));
}
