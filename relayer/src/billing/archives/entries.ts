/** Entries of the ledger as lines of CSV, as they are in archives, and the balances that they make. */
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import type { EntryKind } from '../../db/schema.ts';
import { monthOf } from './months.ts';

/** The columns of the API, after the account. The reason is last, because only it is quoted. */
export const COLUMNS =
  'account,number,kind,amount_micros,available_micros_after,reserve,api_key_hash,created_at,reason';

const LINE =
  /^(0x[0-9a-f]{64}),([1-9]\d*),(credit|reserve|capture|release|reverse),([1-9]\d*),(-?\d+),(\d*),(?:0x[0-9a-f]+)?,(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z),"(?:[^"]|"")*"$/;

export type ArchivedEntry = {
  account: string;
  number: bigint;
  kind: EntryKind;
  amountMicros: bigint;
  availableAfter: bigint;
  /** The reserve that it ends. */
  reserve: bigint | undefined;
  /** ISO 8601, with microseconds. */
  createdAt: string;
  line: string;
};

/** Throws when the line is malformed. */
export function parseEntry(line: string): ArchivedEntry {
  const [, account = '', number = '', kind, amount = '', after = '', reserve = '', createdAt = ''] =
    LINE.exec(line) ?? [];
  if (kind === undefined) throw new Error(`malformed line: ${line.slice(0, 200)}`);
  return {
    account,
    number: BigInt(number),
    kind: kind as EntryKind,
    amountMicros: BigInt(amount),
    availableAfter: BigInt(after),
    reserve: reserve === '' ? undefined : BigInt(reserve),
    createdAt,
    line,
  };
}

/** Entries of an account, by their numbers, both included. */
export type Range = { account: string; first: bigint; last: bigint };

/** Numbers per statement: it ends within its 15 seconds, also on a slow disk. */
const NUMBERS_AT_ONCE = 10_000n;

/**
 * Reads the entries that the database has in these ranges, in their order. `isOver` ends the range of the entry that it returns true for,
 * which is left out.
 */
export async function* readEntries(
  db: Database,
  ranges: Range[],
  isOver: (entry: ArchivedEntry) => boolean = () => false,
): AsyncGenerator<ArchivedEntry> {
  const waiting = ranges.toReversed();
  while (waiting.length > 0) {
    const batch: Range[] = [];
    for (let room = NUMBERS_AT_ONCE; room > 0n; ) {
      const range = waiting.pop();
      if (range === undefined) break;
      const last = range.first + room - 1n;
      if (range.last > last) waiting.push({ ...range, first: last + 1n });
      batch.push(range.last > last ? { ...range, last } : range);
      room -= range.last - range.first + 1n;
    }
    let over: string | undefined;
    for (const entry of await readBatch(db, batch)) {
      if (entry.account === over) continue;
      if (isOver(entry)) over = entry.account;
      else yield entry;
    }
    if (over !== undefined && waiting.at(-1)?.account === over) waiting.pop();
  }
}

async function readBatch(db: Database, batch: Range[]): Promise<ArchivedEntry[]> {
  const column = (name: keyof Range) => sql.param(batch.map((range) => String(range[name])));
  const rows = await rowsOf<{ line: string }>(
    db,
    sql`
    select concat_ws(',', r.account, e.number, e.kind, e.amount_micros, e.available_after, coalesce(e.reserve::text, ''),
        coalesce(e.key_hash, ''), to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        '"' || replace(e.reason, '"', '""') || '"') as line
      from unnest(${column('account')}::text[], ${column('first')}::bigint[], ${column('last')}::bigint[])
        with ordinality r (account, first, last, place),
      lateral list_entries(r.account, r.first, r.last) e
      order by r.place, e.number`,
  );
  return rows.map(({ line }) => parseEntry(line));
}

/** Sums of an account's entries up to number `entries`. The reserved sum follows from the others. */
export type Totals = Record<'entries' | 'available' | 'credited' | 'captured' | 'reversed', bigint>;

export const NOTHING: Totals = { entries: 0n, available: 0n, credited: 0n, captured: 0n, reversed: 0n };

/** The ledger, an archive and a closing balance do not agree. */
export class LedgerDifference extends Error {
  override readonly name = 'LedgerDifference';
  readonly account: string;
  readonly month: string;

  constructor(account: string, month: string, message: string) {
    super(`${account} ${month}: ${message}`);
    this.account = account;
    this.month = month;
  }
}

/** Returns the totals after the entry. Throws `LedgerDifference` unless the entry follows the others. */
export function addEntry(totals: Totals, entry: ArchivedEntry): Totals {
  const { account, number, kind, amountMicros: amount, availableAfter, createdAt } = entry;
  const differs = (message: string) => new LedgerDifference(account, monthOf(createdAt), message);
  const next = { ...totals, entries: totals.entries + 1n };
  if (number !== next.entries)
    throw differs(
      number < next.entries
        ? `there are two entries ${number}`
        : `entries ${next.entries} to ${number - 1n} are missing`,
    );
  if (kind === 'reserve' || kind === 'reverse') next.available -= amount;
  else if (kind !== 'capture') next.available += amount;
  if (kind === 'credit') next.credited += amount;
  else if (kind === 'capture') next.captured += amount;
  else if (kind === 'reverse') next.reversed += amount;
  if (availableAfter !== next.available)
    throw differs(
      `entry ${number} leaves ${next.available} micro-credits available, but says ${availableAfter}`,
    );
  return next;
}

export const reservedOf = ({ available, credited, captured, reversed }: Totals): bigint =>
  credited - captured - reversed - available;
