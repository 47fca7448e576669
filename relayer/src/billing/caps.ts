/**
 * Spending limits of a usage key, in addition to its permissions. The database checks them when it reserves
 * (`reserve_credit`, `start_run`), under a lock on the key's row.
 */
import { accountConfigAbi } from '@latchkey/protocol';
import { getTableColumns, inArray, sql } from 'drizzle-orm';
import { encodeEventTopics, type Log, type TransactionReceipt } from 'viem';
import type { Database } from '../db/database.ts';
import { stopRecordings } from '../db/output-recordings.ts';
import { type Caps, type CapsChange, usageKeyCaps } from '../db/schema.ts';

const [KEY_REMOVED] = encodeEventTopics({ abi: accountConfigAbi, eventName: 'UsageApiKeyRemoved' });
const [ALL_KEYS_REMOVED] = encodeEventTopics({ abi: accountConfigAbi, eventName: 'AllUsageApiKeysRemoved' });
const [KEY_ROTATED] = encodeEventTopics({ abi: accountConfigAbi, eventName: 'UsageApiKeyRotated' });

/** The usage key has reached a cap. */
export class CapError extends Error {
  override readonly name = 'CapError';
  /** The name of the cap on the wire. */
  readonly cap: 'spend_cap_cents' | 'max_runs_per_minute' | 'max_concurrency';
  /** Time at which the cap frees. Unknown for `max_concurrency`, and for a spend cap without a window. */
  readonly freesAt: Date | undefined;

  constructor(cap: CapError['cap'], freesAt?: Date) {
    super(`the usage key has reached its ${cap}`);
    this.cap = cap;
    this.freesAt = freesAt;
  }
}

/**
 * Sets, removes or moves the caps of a usage key, and moves or ends its recording. The amount spent in the current window
 * stays. Changes apply in the order of the chain, however late one arrives.
 */
export async function changeCaps(
  db: Database,
  change: CapsChange,
  { blockNumber, transactionIndex }: Pick<TransactionReceipt, 'blockNumber' | 'transactionIndex'>,
): Promise<void> {
  await db.execute(
    sql`select change_caps(${JSON.stringify(change)}::jsonb, ${blockNumber}::bigint, ${transactionIndex}::integer)`,
  );
}

/** Returns the caps of the given keys (0x and 64 hex digits) that have any. */
export async function readCaps(db: Database, keys: string[]): Promise<Map<string, Caps>> {
  if (keys.length === 0) return new Map();
  const { key, spendCapCents, spendWindowSec, maxRunsPerMinute, maxConcurrency, maxRunSec } =
    getTableColumns(usageKeyCaps);
  const rows = await db
    .select({ key, spendCapCents, spendWindowSec, maxRunsPerMinute, maxConcurrency, maxRunSec })
    .from(usageKeyCaps)
    .where(inArray(usageKeyCaps.key, keys));
  return new Map(rows.map(({ key, ...caps }) => [key, caps]));
}

/** Resolves to whether the contract has emitted the log. */
export type IsOnChain = (log: Log) => Promise<boolean>;

/**
 * Moves the caps and recordings of usage keys that these logs report as rotated, and deletes the caps and recordings of removed
 * keys. A ChainSecured account changes its keys without the relayer.
 */
export async function followKeys(db: Database, logs: Log[], isOnChain: IsOnChain): Promise<void> {
  for (const log of logs) {
    const { blockNumber, transactionIndex } = log;
    if (blockNumber === null || transactionIndex === null) continue;
    const at = { blockNumber, transactionIndex };
    const [event, account, key, newKey] = log.topics as string[];
    if (event !== ALL_KEYS_REMOVED && event !== KEY_ROTATED && event !== KEY_REMOVED) continue;
    // A log is the word of one node, and a reorg can undo it.
    if (!(await isOnChain(log))) continue;
    if (event === ALL_KEYS_REMOVED) {
      await stopRecordings(db, account as string);
      continue;
    }
    const change: CapsChange =
      event === KEY_ROTATED
        ? { key: newKey as string, from: key as string }
        : { key: key as string, isRemoved: true };
    await changeCaps(db, change, at);
  }
}
