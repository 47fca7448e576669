/** Databases with the relayer's tables, each dropped after its test. */
import { testDatabases } from '@latchkey/testing/postgres';
import { isNull, sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../src/db/database.ts';
import { idempotency, relayerProcesses, runs } from '../src/db/schema.ts';

const databases = testDatabases('relayer', openDatabase);
export const createRelayerDatabase = databases.create;
export const openTestDatabase = databases.open;
export type OpenTestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

/** Ends the leases of a killed relayer immediately. */
export async function endLeases(db: Database): Promise<void> {
  await db.update(idempotency).set({ leaseUntil: sql`now()` }).where(isNull(idempotency.reply));
  await db.update(runs).set({ leaseUntil: sql`now()` }).where(isNull(runs.endedAt));
  await db.delete(relayerProcesses);
}
