/**
 * Stores action code. Code is stored after a paid run, within a quota of bytes per account, and kept while it is used
 * or its CID is registered.
 */
import { and, asc, eq, gt, inArray, lt, notExists, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { actionCodes, actionCodeUses } from './schema.ts';
import { hashText } from './text.ts';

/** Maximum number of CIDs per request to the indexer. */
const SWEEP_PAGE = 100;

/** Action code by the CID text under which it runs. The content of a CID never changes. */
export type ActionCodes = {
  /** Resolves to the stored bytes. */
  get: (cid: string) => Promise<Uint8Array | undefined>;
  has: (cid: string) => Promise<boolean>;
  /** Stores the code of a paid run. Deletes the account's least recently used code when it is over its quota. */
  keep: (account: bigint, cid: string, code: string) => Promise<void>;
  /**
   * Deletes code that no account has used for the retention time, except registered code. `registeredOf` returns the
   * CIDs among the given ones that any account has registered.
   */
  sweep: (registeredOf: (cids: string[]) => Promise<Set<string>>) => Promise<void>;
};

export type ActionCodesOptions = { quotaBytesPerAccount: number; retentionDays: number };

/** Resolves to the CIDs of the stored code that the account has run. */
export async function findRunCids(db: Database, account: bigint): Promise<string[]> {
  const { cid, account: owner } = actionCodeUses;
  const rows = await db
    .select({ cid })
    .from(actionCodeUses)
    .where(eq(owner, hashText(account)));
  return rows.map((row) => row.cid);
}

/**
 * Serialises changes, so that code is not deleted while another account begins to use it: by a lock between relayers, and by a
 * queue in this process, so that only one connection waits for the lock.
 */
function createChanges(db: Database): (work: (tx: Database) => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const changed = last.then(() =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtext('action_codes'))`);
        await work(tx);
      }),
    );
    last = changed.catch(() => {});
    return changed;
  };
}

export function createActionCodes(
  db: Database,
  { quotaBytesPerAccount, retentionDays }: ActionCodesOptions,
): ActionCodes {
  const expired = sql`now() - make_interval(days => ${retentionDays}::int)`;
  const change = createChanges(db);
  const unused = (tx: Database) =>
    and(
      lt(actionCodes.createdAt, expired),
      notExists(
        tx
          .select({ one: sql`1` })
          .from(actionCodeUses)
          .where(and(eq(actionCodeUses.cid, actionCodes.cid), gt(actionCodeUses.lastUsedAt, expired))),
      ),
    );

  return {
    async get(cid) {
      const [row] = await db
        .select({ code: actionCodes.code })
        .from(actionCodes)
        .where(eq(actionCodes.cid, cid));
      return row?.code;
    },
    has: async (cid) => (await db.$count(actionCodes, eq(actionCodes.cid, cid))) > 0,
    async keep(account, cid, code) {
      const use = { account: hashText(account), cid };
      if (await isRecent(db, use)) return;
      await change(async (tx) => {
        await store(tx, use, Buffer.from(code, 'utf8'));
        await enforceQuota(tx, use.account, quotaBytesPerAccount);
      });
    },
    async sweep(registeredOf) {
      for (let after = ''; ; ) {
        const page = await db
          .select({ cid: actionCodes.cid })
          .from(actionCodes)
          .where(and(gt(actionCodes.cid, after), unused(db)))
          .orderBy(asc(actionCodes.cid))
          .limit(SWEEP_PAGE);
        const cids = page.map(({ cid }) => cid);
        const last = cids.at(-1);
        if (last === undefined) return;
        const registered = await registeredOf(cids);
        const unregistered = cids.filter((cid) => !registered.has(cid));
        if (unregistered.length > 0)
          await change(async (tx) => {
            await tx.delete(actionCodes).where(and(inArray(actionCodes.cid, unregistered), unused(tx)));
          });
        after = last;
      }
    },
  };
}

type Use = { account: string; cid: string };

/** Resolves to true when the use was written in the last day. */
async function isRecent(db: Database, use: Use): Promise<boolean> {
  const [known] = await db
    .select({ cid: actionCodeUses.cid })
    .from(actionCodeUses)
    .where(
      and(
        eq(actionCodeUses.account, use.account),
        eq(actionCodeUses.cid, use.cid),
        gt(actionCodeUses.lastUsedAt, sql`now() - interval '1 day'`),
      ),
    );
  return known !== undefined;
}

async function store(tx: Database, use: Use, code: Uint8Array): Promise<void> {
  const lastUsedAt = sql`clock_timestamp()`;
  // Damaged code is replaced.
  await tx
    .insert(actionCodes)
    .values({ cid: use.cid, code })
    .onConflictDoUpdate({
      target: actionCodes.cid,
      set: { code },
      setWhere: sql`${actionCodes.code} <> excluded.code`,
    });
  await tx
    .insert(actionCodeUses)
    .values({ ...use, lastUsedAt })
    .onConflictDoUpdate({
      target: [actionCodeUses.account, actionCodeUses.cid],
      set: { lastUsedAt },
    });
}

const selectUses = (tx: Database) =>
  tx.select({ one: sql`1` }).from(actionCodeUses).where(eq(actionCodeUses.cid, actionCodes.cid));

/** Removes the least recently used code of an account that is over its quota. */
async function enforceQuota(tx: Database, account: string, quotaBytes: number): Promise<void> {
  const { cid, lastUsedAt } = actionCodeUses;
  const total = sql<number>`sum(octet_length(${actionCodes.code})) over (order by ${lastUsedAt} desc, ${cid})`;
  const ranked = tx
    .select({ cid, total: total.as('total') })
    .from(actionCodeUses)
    .innerJoin(actionCodes, eq(actionCodes.cid, cid))
    .where(eq(actionCodeUses.account, account))
    .as('ranked');
  const over = tx.select({ cid: ranked.cid }).from(ranked).where(gt(ranked.total, quotaBytes));
  const removed = await tx
    .delete(actionCodeUses)
    .where(and(eq(actionCodeUses.account, account), inArray(cid, over)))
    .returning({ cid });
  const cids = removed.map((row) => row.cid);
  if (cids.length > 0)
    await tx.delete(actionCodes).where(and(inArray(actionCodes.cid, cids), notExists(selectUses(tx))));
}
