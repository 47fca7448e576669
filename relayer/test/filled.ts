/** Fills a relayer's database without its functions, which would take a statement per row. */
import { sql } from 'drizzle-orm';
import type { Database } from '../src/db/database.ts';

export type Filled = {
  /** Master hash, as text. */
  account: string;
  /** Runs of the account: one per second, the last one now. */
  count: number;
  /** The runs that failed are every `failedEvery`th. */
  failedEvery: number;
};

/** Number of usage keys, and of CIDs, over which the runs of an account are spread. */
export const SPREAD = 4;
export const keyOf = (account: string, number: number): string => account.slice(0, -2) + String(90 + number);
export const cidOf = (number: number): string =>
  `bafkreigaknpexyvxt76zgkitavbwx6ejgfheup5oybpm77f3pxzrvwpf${number}a`;
/** Names of the errors of failed runs. */
export const FAILED = 'TypeError';

/** Adds ended runs, and one key and one CID with a single run each. */
export async function fillRuns(db: Database, { account, count, failedEvery }: Filled): Promise<void> {
  const usage = { cpuMs: 12, memoryPeakBytes: 30_000_000, keyOperations: [], fetchHosts: [] };
  const rare = sql`n = ${count}::int / 2`;
  await db.execute(sql`
    insert into runs (id, account, key, cid, started_at, lease_until, ended_at, reserves, charged_micros, duration_ms, error_name, usage)
    select gen_random_uuid(), ${account}::text,
      ${account.slice(0, -2)} || (case when ${rare} then 99 else 90 + n % ${SPREAD} end),
      ${cidOf(0).slice(0, -2)} || (case when ${rare} then 9 else n % ${SPREAD} end) || 'a',
      now() - make_interval(secs => n), now(), now() - make_interval(secs => n) + interval '100 ms', array[2 * n], 10000, 100,
      case when n % ${failedEvery}::int = 0 then ${FAILED} end, ${JSON.stringify(usage)}::jsonb
    from generate_series(1, ${count}::int) n`);
}

/** Adds a credit, and a reserve and a capture per run of the account, and its balance. */
export async function fillLedger(
  db: Database,
  { account, count }: Omit<Filled, 'failedEvery'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      insert into credit_balances (account, available, reserved, credited, captured, reversed, entries)
      values (${account}, 1000000, 0, 10000::bigint * (${count}::int + 100), 10000::bigint * ${count}::int, 0, 2 * ${count}::int + 1)`);
    await tx.execute(sql`
      insert into ledger_entries (account, number, kind, amount_micros, reserve, key_hash, external_id, reason, available_after, created_at)
      select ${account}::text, n, case when n = 1 then 'credit' when n % 2 = 0 then 'reserve' else 'capture' end,
        case when n = 1 then 10000::bigint * (${count}::int + 100) else 10000 end, case when n > 1 and n % 2 = 1 then n - 1 end,
        case when n > 1 then ${account.slice(0, -2)} || (90 + n / 2 % ${SPREAD}) end,
        case when n = 1 then 'operator fill ' || ${account} end, 'run ' || gen_random_uuid(),
        10000::bigint * (${count}::int + 100 - n / 2), now() - make_interval(secs => (2 * ${count}::int + 1 - n) / 2.0)
      from generate_series(1, 2 * ${count}::int + 1) n`);
  });
}
