/** Code of actions that accounts store to read it again, sealed per account and CID. */
import type { Sealer } from '@latchkey/service/sealer';
import { and, desc, eq, getTableColumns, ne, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { inTurn } from './in-turn.ts';
import { storedCodes } from './schema.ts';
import { hashText } from './text.ts';

/** Codes per account. */
export const MAX_STORED_CODES = 1_000;
/** Of all codes of an account. */
export const MAX_STORED_CODE_BYTES = 16 * 1024 * 1024;

export type StoreResult = 'stored' | 'busy' | 'too many codes' | 'too many bytes';

type NewCode = {
  cid: string;
  code: string;
  /** Hash of the CID of the version that it replaces. */
  replaces: bigint | undefined;
};

const { code: _code, ...columns } = getTableColumns(storedCodes);

export type StoredCodes = ReturnType<typeof createStoredCodes>;

export function createStoredCodes(db: Database, sealer: Sealer) {
  const contextOf = (account: string, cid: string) => `${account} ${cid}`;
  const isOf = (account: bigint, cid: string) =>
    and(eq(storedCodes.account, hashText(account)), eq(storedCodes.cid, cid));
  return {
    /** Stores the code of a CID, which the caller has compared. Repeating the call is a success. */
    store: (ofAccount: bigint, { cid, code, replaces }: NewCode): Promise<StoreResult> => {
      const account = hashText(ofAccount);
      const bytes = Buffer.byteLength(code);
      return inTurn(db, `stored codes ${account}`, async (tx) => {
        const [others] = await tx
          .select({
            count: sql<number>`count(*)::int`,
            bytes: sql<number>`coalesce(sum(${storedCodes.bytes}), 0)::int`,
          })
          .from(storedCodes)
          .where(and(eq(storedCodes.account, account), ne(storedCodes.cid, cid)));
        if (!others) throw new Error('an aggregate has one row');
        if (others.count >= MAX_STORED_CODES) return 'too many codes';
        if (others.bytes + bytes > MAX_STORED_CODE_BYTES) return 'too many bytes';
        const sealed = sealer.seal(code, contextOf(account, cid));
        const before = replaces === undefined ? null : hashText(replaces);
        await tx
          .insert(storedCodes)
          .values({ account, cid, code: sealed, bytes, replaces: before })
          .onConflictDoUpdate({
            target: [storedCodes.account, storedCodes.cid],
            set: {
              code: sealed,
              // An earlier version that replaces a later one is the newest.
              storedAt: sql`case when excluded.replaces is null or excluded.replaces = ${storedCodes.replaces}
                then ${storedCodes.storedAt} else excluded.stored_at end`,
              replaces: sql`coalesce(excluded.replaces, ${storedCodes.replaces})`,
            },
          });
        return 'stored';
      });
    },
    /** Resolves to the code as UTF-8. */
    async find(account: bigint, cid: string) {
      const [row] = await db.select().from(storedCodes).where(isOf(account, cid));
      return row && { ...row, code: sealer.open(row.code, contextOf(row.account, row.cid)) };
    },
    /** Resolves to all codes of an account without their text, newest first. */
    list: (account: bigint) =>
      db
        .select(columns)
        .from(storedCodes)
        .where(eq(storedCodes.account, hashText(account)))
        .orderBy(desc(storedCodes.storedAt), storedCodes.cid),
    /** Resolves to false when there was none. */
    async remove(account: bigint, cid: string): Promise<boolean> {
      const removed = await db
        .delete(storedCodes)
        .where(isOf(account, cid))
        .returning({ cid: storedCodes.cid });
      return removed.length > 0;
    },
  };
}
