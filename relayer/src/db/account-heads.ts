import { batch } from '@latchkey/service/batch';
import { gt, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from './database.ts';
import type { Processes } from './processes.ts';
import { accountHeads, capsChanges } from './schema.ts';
import { hashText } from './text.ts';

const MAX_ACCOUNTS = 50_000;

/** Block of the last write to each account by any process of this relayer. Writes raise it in `settle_transaction`. */
export type AccountHeads = {
  /** Returns 0 for an account without writes. Remembers the answer while no other process can change it. */
  get: (account: bigint) => Promise<bigint>;
  /** Call when this process has raised the head in the database. */
  raised: (account: bigint, block: bigint) => void;
  /** Returns the highest block of all accounts. */
  highest: () => Promise<bigint>;
  /** Lowers every head above `block` to it and forgets later changes of caps, for a chain that lost its later blocks. */
  lower: (block: bigint) => Promise<void>;
};

export function createAccountHeads(
  db: Database,
  { solePeriod }: Pick<Processes, 'solePeriod'>,
): AccountHeads {
  const known = new LRUCache<bigint, bigint>({ max: MAX_ACCOUNTS });
  let knownIn: number | undefined;
  // Every authenticated request reads a head: concurrent requests share a statement.
  const read = batch(async (accounts: bigint[]) => {
    const texts = accounts.map(hashText);
    const rows = await db
      .select()
      .from(accountHeads)
      .where(sql`${accountHeads.account} = any(${sql.param(texts)})`);
    const blocks = new Map(rows.map(({ account, block }) => [account, block]));
    return texts.map((text) => blocks.get(text) ?? 0n);
  });
  const remember = (account: bigint, block: bigint): void => {
    // The statement can return the state before a write of this process that was made meanwhile.
    if (block >= (known.get(account) ?? 0n)) known.set(account, block);
  };
  return {
    async get(account) {
      const period = solePeriod();
      if (period !== knownIn) {
        known.clear();
        knownIn = period;
      }
      const remembered = period === undefined ? undefined : known.get(account);
      if (remembered !== undefined) return remembered;
      const block = await read(account);
      if (period !== undefined && period === knownIn) remember(account, block);
      return block;
    },
    raised: remember,
    async highest() {
      const [row] = await db
        .select({ block: sql<string | null>`max(${accountHeads.block})` })
        .from(accountHeads);
      return BigInt(row?.block ?? 0);
    },
    async lower(block) {
      await db.update(accountHeads).set({ block }).where(gt(accountHeads.block, block));
      await db.delete(capsChanges).where(gt(capsChanges.block, block));
    },
  };
}
