/** Opens a database as the version before does: with its migrations, which are those of `version-before`, and the files that are the same. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DatabaseAddress, openDatabase as openWith } from '@latchkey/service/database';
import type { OpenDatabase } from '../src/db/database.ts';
import * as schema from '../src/db/schema.ts';

const folderOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const BEFORE = folderOf('version-before');

/** The tables are those of before, whatever the type says: send only statements that the version before has. */
export async function openVersionBefore(address: DatabaseAddress): Promise<OpenDatabase> {
  const migrationsFolder = mkdtempSync(join(tmpdir(), 'version-before-'));
  try {
    mkdirSync(join(migrationsFolder, 'meta'));
    const journal = join(BEFORE, '_journal.json');
    cpSync(journal, join(migrationsFolder, 'meta/_journal.json'));
    for (const { tag } of JSON.parse(readFileSync(journal, 'utf8')).entries as { tag: string }[]) {
      const own = join(BEFORE, `${tag}.sql`);
      const file = existsSync(own) ? own : folderOf(`../src/db/migrations/${tag}.sql`);
      cpSync(file, join(migrationsFolder, `${tag}.sql`));
    }
    return await openWith(address, {
      schema,
      migrationsFolder,
      migrationsSchema: 'drizzle',
      service: 'relayer',
    });
  } finally {
    rmSync(migrationsFolder, { recursive: true });
  }
}
