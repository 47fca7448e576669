/** Opens a database as a version before does: with the first migrations only. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type DatabaseAddress,
  type OpenDatabase,
  openDatabase as openWith,
} from '@latchkey/service/database';
import * as schema from '../src/db/schema.ts';

const MIGRATIONS = fileURLToPath(new URL('../src/db/migrations', import.meta.url));

/** Opens with the migrations before this number. The tables are those of before, whatever the type says. */
export async function openVersionBefore(
  address: DatabaseAddress,
  number: number,
): Promise<OpenDatabase<typeof schema>> {
  const migrationsFolder = mkdtempSync(join(tmpdir(), 'version-before-'));
  try {
    cpSync(MIGRATIONS, migrationsFolder, { recursive: true });
    const file = join(migrationsFolder, 'meta/_journal.json');
    const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { idx: number }[] };
    const entries = journal.entries.filter(({ idx }) => idx < number);
    writeFileSync(file, JSON.stringify({ ...journal, entries }));
    return await openWith(address, {
      schema,
      migrationsFolder,
      migrationsSchema: 'triggers_migrations',
      service: 'triggers',
    });
  } finally {
    rmSync(migrationsFolder, { recursive: true });
  }
}
