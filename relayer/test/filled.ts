/** Fills a relayer's database without its functions, which would take a statement per row. */
import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { Database } from '../src/db/database.ts';

export type Filled = {
  /** Master hash, as text. */
  account: string;
  /** Rows of the account: one per second, the last one now. */
  count: number;
  /** The runs that failed are every `failedEvery`th. */
  failedEvery: number;
};

/** Number of usage keys, and of CIDs, over which the runs of an account are spread. */
const SPREAD = 4;
export const keyOf = (account: string, number: number): string => account.slice(0, -2) + String(90 + number);
export const cidOf = (number: number): string =>
  `bafkreigaknpexyvxt76zgkitavbwx6ejgfheup5oybpm77f3pxzrvwpf${number}a`;
/** Names of the errors of failed runs. */
export const FAILED = 'TypeError';

/** A statement ends within its 15 seconds. */
const ROWS_AT_ONCE = 20_000;
/** They have many indexes. */
const WALLET_ROWS_AT_ONCE = 2_500;

function* chunks(count: number, size = ROWS_AT_ONCE): Generator<[number, number]> {
  for (let from = 1; from <= count; from += size) yield [from, Math.min(count, from + size - 1)];
}

/** The same for each of several accounts. */
type FilledEach = Omit<Filled, 'account'> & { accounts: string[] };

/** Adds ended runs, and one key and one CID with a single run each. */
export async function fillRuns(db: Database, { accounts, count, failedEvery }: FilledEach): Promise<void> {
  const usage = { cpuMs: 12, memoryPeakBytes: 30_000_000, keyOperations: [], fetchHosts: [] };
  const rare = sql`n = ${count}::int / 2`;
  for (const [from, to] of chunks(count, Math.ceil(ROWS_AT_ONCE / accounts.length)))
    await db.execute(sql`
    insert into runs (id, account, key, cid, started_at, lease_until, ended_at, reserves, charged_micros, duration_ms, error_name, usage)
    select gen_random_uuid(), account, left(account, -2) || (case when ${rare} then 99 else 90 + n % ${SPREAD} end),
      ${cidOf(0).slice(0, -2)} || (case when ${rare} then 9 else n % ${SPREAD} end) || 'a',
      now() - make_interval(secs => n), now(), now() - make_interval(secs => n) + interval '100 ms', array[2 * n], 10000, 100,
      case when n % ${failedEvery}::int = 0 then ${FAILED} end, ${JSON.stringify(usage)}::jsonb
    from generate_series(${from}::int, ${to}::int) n, unnest(${sql.param(accounts)}::text[]) account`);
}

export const walletOf = (account: string, number: number): Address =>
  `0x${account.slice(-38)}${String(number).padStart(2, '0')}` as Address;

/** Adds settled transactions of wallets, one per second, and one usage key and one wallet with a single transaction each; and a few pending ones. */
export async function fillWalletTransactions(
  db: Database,
  { account, count, failedEvery }: Filled,
): Promise<void> {
  const rare = sql`n = ${count}::int / 2`;
  for (const [from, to] of chunks(count, WALLET_ROWS_AT_ONCE))
    await db.execute(sql`
    insert into wallet_transactions (id, nonce, data, gas, max_fee_per_gas, max_priority_fee_per_gas, raw, hashes, status, mined_hash, block_number,
      account, created_at, updated_at, changed_at, chain_id, wallet, value, usage_key, run_id, cid, forms, cancel_raw, cancel_hash, broadcast_at)
    select gen_random_uuid(), n, '0x', 21000, 2, 1, '0x02', array[md5(n::text)],
      case when n <= 4 then 'pending' when n % ${failedEvery}::int = 0 then 'reverted' else 'mined' end, case when n > 4 then md5(n::text) end,
      case when n > 4 then ${count}::int - n end, ${account}::text, at, at, at, 31337,
      ${walletOf(account, 0).slice(0, -2)} || (case when ${rare} then '09' else lpad((n % ${SPREAD})::text, 2, '0') end), 1,
      ${account.slice(0, -2)} || (case when ${rare} then 99 else 90 + n % ${SPREAD} end), 'run', 'cid', array['0x02'], '0x02', 'hash', at
    from generate_series(${from}::int, ${to}::int) n, lateral (select now() - make_interval(secs => n) as at) times`);
}

/** Adds a credit, and a captured run of a cent per count, and the balance. */
export async function fillLedger(
  db: Database,
  { accounts, count }: Omit<FilledEach, 'failedEvery'>,
): Promise<void> {
  const each = sql`unnest(${sql.param(accounts)}::text[]) account`;
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    const credited = sql`1000000::bigint * (${count}::int + 100)`;
    await tx.execute(sql`
      insert into credit_balances (account, available, reserved, credited, captured, reversed, entries, id)
      select account, ${credited} - 10000::bigint * ${count}::int, 0, ${credited}, 10000::bigint * ${count}::int, 0,
        2 * ${count}::int + 1, nextval('ledger_accounts') from ${each}`);
    await tx.execute(sql`
      insert into ledger_entries (account, number, kind, amount_micros, external_id, reason, available_after)
      select account, 1, 'credit', ${credited}, 'operator fill ' || account, 'fill', ${credited} from ${each}`);
    for (const [from, to] of chunks(count, Math.ceil(ROWS_AT_ONCE / accounts.length)))
      await tx.execute(sql`
      insert into ledger_ends
      select 2 * n + 1, 10000, ${credited} - 10000::bigint * n, now() - make_interval(secs => ${count}::int - n), ${credited} - 10000::bigint * n,
        now() - make_interval(secs => ${count}::int - n), b.id, 1, gen_random_uuid(), true,
        decode(substr(left(account, -2) || 90, 3), 'hex'), null
      from ${each} join credit_balances b using (account), generate_series(${from}::int, ${to}::int) n order by b.id, n`);
  });
}
