/** Databases with the relayer's tables, each dropped after its test. */
import { createTestDatabase, type Migrate, type TestDatabase } from '@latchkey/testing/postgres';
import { isNull, sql } from 'drizzle-orm';
import { type Database, type OpenDatabase, openDatabase } from '../src/db/database.ts';
import { idempotency, relayerProcesses, runs } from '../src/db/schema.ts';

const migrate: Migrate = async (url) => {
  const { close } = await openDatabase({ url, poolSize: 1 });
  await close();
};

/** Creates a database for a relayer that a test starts; the relayer gets its URL. */
export const createRelayerDatabase = (): Promise<TestDatabase> =>
  createTestDatabase({ name: 'template_relayer', migrate });

export type OpenTestDatabase = OpenDatabase & { url: string; dispose: () => Promise<void> };

/** Creates a database that the test itself uses. */
export async function openTestDatabase(): Promise<OpenTestDatabase> {
  const created = await createRelayerDatabase();
  const database = await openDatabase({ url: created.url, poolSize: 10 });
  return {
    ...database,
    url: created.url,
    async dispose() {
      await database.close();
      await created[Symbol.asyncDispose]();
    },
  };
}

/** Ends the leases of a killed relayer immediately. */
export async function endLeases(db: Database): Promise<void> {
  await db.update(idempotency).set({ leaseUntil: sql`now()` }).where(isNull(idempotency.reply));
  await db.update(runs).set({ leaseUntil: sql`now()` }).where(isNull(runs.endedAt));
  await db.delete(relayerProcesses);
}
