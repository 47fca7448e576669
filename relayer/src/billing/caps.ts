/**
 * Spending limits of a usage key, in addition to its permissions. Checked in the transaction that reserves, under a
 * lock on the key's row.
 */
import { accountConfigAbi } from '@latchkey/protocol';
import { and, desc, eq, getTableColumns, gt, inArray, isNull, sql } from 'drizzle-orm';
import { encodeEventTopics, type Log, parseEventLogs } from 'viem';
import type { Database } from '../db/database.ts';
import { type Caps, type CapsChange, runs, usageKeyCaps } from '../db/schema.ts';
import { hashText } from '../db/text.ts';

const [KEY_REMOVED] = encodeEventTopics({ abi: accountConfigAbi, eventName: 'UsageApiKeyRemoved' });

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
 * Begins one more run of the key. Throws `CapError` when the key has reached its runs per minute or its in-flight runs.
 */
export async function admitRun(tx: Database, key: bigint): Promise<void> {
  const keyText = hashText(key);
  const [caps] = await tx.select().from(usageKeyCaps).where(eq(usageKeyCaps.key, keyText)).for('update');
  if (!caps) return;
  const { maxRunsPerMinute, maxConcurrency } = caps;
  if (maxConcurrency !== null) {
    const open = await tx.$count(
      runs,
      and(eq(runs.key, keyText), isNull(runs.endedAt), gt(runs.leaseUntil, sql`clock_timestamp()`)),
    );
    if (open >= maxConcurrency) throw new CapError('max_concurrency');
  }
  if (maxRunsPerMinute !== null) {
    const [oldest] = await tx
      .select({ startedAt: runs.startedAt })
      .from(runs)
      .where(and(eq(runs.key, keyText), gt(runs.startedAt, sql`clock_timestamp() - interval '1 minute'`)))
      .orderBy(desc(runs.startedAt))
      .offset(maxRunsPerMinute - 1)
      .limit(1);
    if (oldest) throw new CapError('max_runs_per_minute', new Date(oldest.startedAt.getTime() + 60_000));
  }
}

/** Sets or removes the caps of a usage key. The amount spent in the current window stays. */
export async function changeCaps(db: Database, change: CapsChange): Promise<void> {
  await db.execute(sql`select change_caps(${JSON.stringify(change)}::jsonb)`);
}

/** Returns the caps of the given keys (0x and 64 hex digits) that have any. */
export async function readCaps(db: Database, keys: string[]): Promise<Map<string, Caps>> {
  if (keys.length === 0) return new Map();
  const { key, spendCapCents, spendWindowSec, maxRunsPerMinute, maxConcurrency } =
    getTableColumns(usageKeyCaps);
  const rows = await db
    .select({ key, spendCapCents, spendWindowSec, maxRunsPerMinute, maxConcurrency })
    .from(usageKeyCaps)
    .where(inArray(usageKeyCaps.key, keys));
  return new Map(rows.map(({ key, ...caps }) => [key, caps]));
}

/**
 * Deletes the caps of usage keys that these logs report as removed: a ChainSecured account removes keys on the chain.
 */
export async function forgetRemovedKeys(db: Database, logs: Log[]): Promise<void> {
  const removed = parseEventLogs({
    abi: accountConfigAbi,
    // Most logs are of other events: parsing hashes the signature of every event of the contract.
    logs: logs.filter(({ topics }) => topics[0] === KEY_REMOVED),
    eventName: 'UsageApiKeyRemoved',
  });
  const keys = removed.map(({ args }) => hashText(args.usageApiKeyHash));
  if (keys.length > 0) await db.delete(usageKeyCaps).where(inArray(usageKeyCaps.key, keys));
}
