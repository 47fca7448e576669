import { batch } from '@latchkey/service/batch';
import { gt, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { accountHeads } from './schema.ts';
import { hashText } from './text.ts';

/** Block of the last write to each account by any process of this relayer. */
export type AccountHeads = {
  /** Returns 0 for an account without writes. */
  get: (account: bigint) => Promise<bigint>;
  /** Returns the highest block of all accounts. */
  highest: () => Promise<bigint>;
  /** Lowers every head above `block` to it. */
  lower: (block: bigint) => Promise<void>;
};

export function createAccountHeads(db: Database): AccountHeads {
  // Every authenticated request reads a head: concurrent requests share a statement.
  const get = batch(async (accounts: bigint[]) => {
    const texts = accounts.map(hashText);
    const rows = await db
      .select()
      .from(accountHeads)
      .where(sql`${accountHeads.account} = any(${sql.param(texts)})`);
    const blocks = new Map(rows.map(({ account, block }) => [account, block]));
    return texts.map((text) => blocks.get(text) ?? 0n);
  });
  return {
    get,
    async highest() {
      const [row] = await db
        .select({ block: sql<string | null>`max(${accountHeads.block})` })
        .from(accountHeads);
      return BigInt(row?.block ?? 0);
    },
    async lower(block) {
      await db.update(accountHeads).set({ block }).where(gt(accountHeads.block, block));
    },
  };
}
