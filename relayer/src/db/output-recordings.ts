/** The usage keys whose runs keep their output, and the kept output. */
import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Database } from './database.ts';
import { outputRecordings, runs } from './schema.ts';

/** Few enough rows for the 15 seconds of a statement. */
const DELETED_AT_ONCE = 1_000;

/** A usage key of an account, both as text. */
export type RecordedKey = { account: string; key: string };

/** Keeps the output of the runs of the key, from the next run on. */
export async function startRecording(db: Database, { account, key }: RecordedKey): Promise<void> {
  await db
    .insert(outputRecordings)
    .values({ account, key })
    .onConflictDoUpdate({ target: outputRecordings.key, set: { account } });
}

/** Keeps no further output of the key, and deletes what was kept. */
export async function stopRecording(db: Database, { account, key }: RecordedKey): Promise<void> {
  // Before the output, so that a run that ends later keeps none: `finish_run` locks the row.
  await db
    .delete(outputRecordings)
    .where(and(eq(outputRecordings.key, key), eq(outputRecordings.account, account)));
  const kept = db
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.key, key), eq(runs.account, account), isNotNull(runs.output)))
    .limit(DELETED_AT_ONCE);
  let deleted: unknown[];
  do
    deleted = await db
      .update(runs)
      .set({ output: null })
      .where(inArray(runs.id, kept))
      .returning({ id: runs.id });
  while (deleted.length === DELETED_AT_ONCE);
}

/** Keeps no further output of any key of the account. */
export async function stopRecordings(db: Database, account: string): Promise<void> {
  await db.delete(outputRecordings).where(eq(outputRecordings.account, account));
}

/** Resolves to the keys, of these, whose output the account records. */
export async function findRecorded(db: Database, account: string, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db
    .select({ key: outputRecordings.key })
    .from(outputRecordings)
    .where(and(eq(outputRecordings.account, account), inArray(outputRecordings.key, keys)));
  return new Set(rows.map(({ key }) => key));
}

/** Resolves to true when there is a record of a run of the key. */
export async function hasRuns(db: Database, { account, key }: RecordedKey): Promise<boolean> {
  const found = await db
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.key, key), eq(runs.account, account)))
    .limit(1);
  return found.length > 0;
}

/** Resolves to the sealed output of a run, undefined when none was kept. */
export async function findOutput(db: Database, id: string): Promise<string | undefined> {
  const [row] = await db.select({ output: runs.output }).from(runs).where(eq(runs.id, id));
  return row?.output ?? undefined;
}
