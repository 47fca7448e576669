/** Closing balances and archives in the database. */
import { onceUnlocked } from '@latchkey/service/database-errors';
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Database } from '../../db/database.ts';
import { NOTHING, type Totals } from './entries.ts';
import { monthOf } from './months.ts';
import type { ArchiveFacts } from './signed-texts.ts';

type Texts<T> = { [Name in keyof T]: string };
const toTotals = ({ entries, available, credited, captured, reversed }: Texts<Totals>): Totals => ({
  entries: BigInt(entries),
  available: BigInt(available),
  credited: BigInt(credited),
  captured: BigInt(captured),
  reversed: BigInt(reversed),
});
const firstDay = (month: string) => `${month}-01`;

export type Archive = ArchiveFacts & { signature: Hex; isRemoved: boolean };

/** Returns all archives, the first month first. */
export async function listArchives(db: Database): Promise<Archive[]> {
  type Row = Texts<ArchiveFacts> & { signature: string; is_removed: boolean };
  const rows = await rowsOf<Row>(
    db,
    sql`select to_char(month, 'YYYY-MM') as month, file, encode(sha256, 'hex') as sha256, entries::text, accounts::text,
          encode(signature, 'hex') as signature, removed_at is not null as is_removed
        from ledger_archives order by ledger_archives.month`,
  );
  return rows.map(({ signature, is_removed: isRemoved, entries, accounts, ...row }) => ({
    ...row,
    entries: BigInt(entries),
    accounts: Number(accounts),
    signature: `0x${signature}`,
    isRemoved,
  }));
}

/**
 * Returns the month of the first entry, undefined without entries, and the time of the database. The first entry of an account is a
 * movement from outside.
 */
export async function readTimes(db: Database): Promise<{ first: string | undefined; now: Date }> {
  const [row] = await rowsOf<{ first: string | null; now: string }>(
    db,
    sql`select (select min(created_at) from ledger_entries where external_id is not null) as first, now() as now`,
  );
  return {
    first: row?.first ? monthOf(new Date(row.first)) : undefined,
    now: new Date(row?.now ?? Number.NaN),
  };
}

/** An account, its totals after all entries, and its last closing balance. */
export type AccountState = { account: string; now: Totals; closed: Totals };

const ACCOUNTS_AT_ONCE = 500;

/** Returns the next accounts in the order of their hashes, with their closing balances of the months before `month`. */
export async function listAccounts(db: Database, after: string, month: string): Promise<AccountState[]> {
  const rows = await rowsOf<{ account: string; now: Texts<Totals>; closed: Texts<Totals> | null }>(
    db,
    sql`select b.account,
        json_build_object('entries', b.entries::text, 'available', b.available::text, 'credited', b.credited::text,
          'captured', b.captured::text, 'reversed', b.reversed::text) as now,
        (select json_build_object('entries', c.entries::text, 'available', c.available::text, 'credited', c.credited::text,
            'captured', c.captured::text, 'reversed', c.reversed::text)
          from ledger_closings c
          where c.account = decode(substr(b.account, 3), 'hex') and c.month < ${firstDay(month)}::date
          order by c.month desc limit 1) as closed
      from credit_balances b where b.account > ${after} order by b.account limit ${ACCOUNTS_AT_ONCE}`,
  );
  return rows.map(({ account, now, closed }) => ({
    account,
    now: toTotals(now),
    closed: closed === null ? NOTHING : toTotals(closed),
  }));
}

export type Closing = { account: string; month: string; totals: Totals; signature: Hex };

/** Returns the closing balances of accounts after one hash, to another. */
export async function listClosings(db: Database, after: string, last: string): Promise<Closing[]> {
  type Row = Texts<Totals> & { account: string; month: string; signature: string };
  const bytes = (account: string) => sql`decode(${account.slice(2)}, 'hex')`;
  const rows = await rowsOf<Row>(
    db,
    sql`select '0x' || encode(account, 'hex') as account, to_char(month, 'YYYY-MM') as month, entries::text, available::text,
          credited::text, captured::text, reversed::text, encode(signature, 'hex') as signature
        from ledger_closings c where c.account > ${bytes(after)} and c.account <= ${bytes(last)} order by c.account, c.month`,
  );
  return rows.map(({ account, month, signature, ...totals }) => ({
    account,
    month,
    totals: toTotals(totals),
    signature: `0x${signature}`,
  }));
}

export async function addClosings(db: Database, closings: Closing[]): Promise<void> {
  if (closings.length === 0) return;
  const column = (of: (closing: Closing) => unknown) => sql.param(closings.map((each) => String(of(each))));
  const total = (name: keyof Totals) => sql`${column(({ totals }) => totals[name])}::bigint[]`;
  await db.execute(sql`
    insert into ledger_closings (account, month, entries, available, credited, captured, reversed, signature)
    select decode(substr(a, 3), 'hex'), m, e, v, c, p, r, decode(substr(s, 3), 'hex')
      from unnest(${column(({ account }) => account)}::text[], ${column(({ month }) => firstDay(month))}::date[], ${total('entries')},
        ${total('available')}, ${total('credited')}, ${total('captured')}, ${total('reversed')},
        ${column(({ signature }) => signature)}::text[]) as n (a, m, e, v, c, p, r, s)`);
}

/** Deletes the closing balances of accounts of a month. By accounts, because of all accounts it would read all closing balances. */
export async function dropClosings(db: Database, month: string, accounts: string[]): Promise<void> {
  await db.execute(sql`
    delete from ledger_closings where month = ${firstDay(month)}::date
      and account = any (array(select decode(substr(a, 3), 'hex') from unnest(${sql.param(accounts)}::text[]) a))`);
}

export async function addArchive(db: Database, archive: ArchiveFacts & { signature: Hex }): Promise<void> {
  const { month, file, entries, accounts, signature } = archive;
  const hex = (text: string) => sql`decode(${text}, 'hex')`;
  await db.execute(sql`
    insert into ledger_archives (month, file, sha256, entries, accounts, signature)
    values (${firstDay(month)}::date, ${file}, ${hex(archive.sha256)}, ${entries}, ${accounts},
      ${hex(signature.slice(2))})`);
}

export async function markRemoved(db: Database, month: string): Promise<void> {
  await db.execute(
    sql`update ledger_archives set removed_at = now() where month = ${firstDay(month)}::date and removed_at is null`,
  );
}

/** Deletes archived ended reserves of these accounts, at most `rows`. Resolves to their number. */
export async function removeEnds(db: Database, accounts: string[], rows: number): Promise<number> {
  const [row] = await rowsOf<{ removed: number }>(
    db,
    sql`select remove_archived_ends(${sql.param(accounts)}::text[], ${rows}::integer) as removed`,
  );
  return row?.removed ?? 0;
}

/**
 * Makes the database refuse every entry from before this time, and waits for the transactions that are adding entries. Gives up and begins
 * again when it waits for a lock, behind which runs would wait.
 */
export const seal = (db: Database, until: string): Promise<void> =>
  onceUnlocked(() =>
    db.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = '1s'`);
      await tx.execute(sql`select seal_ledger(${until}::timestamptz)`);
    }),
  );

/** Another process archives or verifies. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Runs work that no two processes do concurrently. Rejects with `BusyError` while another one does. */
export const exclusively = <T>(db: Database, work: () => Promise<T>): Promise<T> =>
  // The transaction holds the lock only. Between statements it keeps no snapshot: the database can clean up beside it.
  db.transaction(async (tx) => {
    const [row] = await rowsOf<{ is_locked: boolean }>(
      tx,
      sql`select pg_try_advisory_xact_lock(hashtext('latchkey-ledger-archives')) as is_locked`,
    );
    if (!row?.is_locked)
      throw new BusyError(
        'another process archives or verifies the ledger of this database: wait until it has ended',
      );
    return work();
  });
