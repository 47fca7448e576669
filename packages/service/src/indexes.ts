/** Builds indexes of tables that grow, beside the work of other processes. PostgreSQL refuses that in the transaction of the migrations. */
import { readFileSync } from 'node:fs';
import type pg from 'pg';

const INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\S+) ON (?:(\w+)\.)?/;

/** Reads a file of statements, each ended by `;` at the end of a line. */
export function readStatements(file: string | URL): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^--.*$/gm, '');
  const statements = text.split(/;\s*$/m).map((statement) => statement.trim());
  return statements.filter((statement) => statement !== '');
}

/**
 * Brings the indexes in line with a file of statements: `CREATE INDEX CONCURRENTLY`, which is skipped for an index that exists, and
 * `DROP INDEX CONCURRENTLY IF EXISTS`. An index whose building was interrupted is built again.
 */
export async function buildIndexes(client: pg.Client, file: string): Promise<void> {
  for (const statement of readStatements(file)) {
    const [, name, schema = 'public'] = INDEX.exec(statement) ?? [];
    if (name !== undefined) {
      const qualified = `${schema}.${name}`;
      const { rows } = await client.query<{ indisvalid: boolean }>(
        'select indisvalid from pg_index where indexrelid = to_regclass($1)',
        [qualified],
      );
      if (rows[0]?.indisvalid) continue;
      if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY ${qualified}`);
    }
    await client.query(statement);
  }
}
