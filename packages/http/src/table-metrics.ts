/** Metrics of the tables of a service. */

import type { DatabaseOf } from '@latchkey/service/database';
import { rowsOf } from '@latchkey/service/rows';
import { sharedFor } from '@latchkey/service/shared-for';
import { sql } from 'drizzle-orm';
import { Gauge, type Registry } from 'prom-client';

type Row = { name: string; bytes: string; rows: string; dead: string };

/** A scrape reads all gauges, by one statement. */
const SHARED_MS = 1_000;

/** Adds the sizes of the tables in a PostgreSQL schema, read when they are scraped. A partitioned table is one. */
export function addTableMetrics(
  registry: Registry,
  db: Pick<DatabaseOf<Record<string, unknown>>, 'execute'>,
  schema: string,
): void {
  const read = sharedFor(SHARED_MS, () => {
    const sizes = sql`
      select c.relname as name, sum(pg_total_relation_size(s.relid)) as bytes, sum(s.n_live_tup) as rows, sum(s.n_dead_tup) as dead
      from pg_stat_user_tables s join pg_class c on c.oid = coalesce(pg_partition_root(s.relid), s.relid)
      where s.schemaname = ${schema} group by c.relname`;
    return rowsOf<Row>(db, sizes);
  });
  const add = (column: Exclude<keyof Row, 'name'>, name: string, help: string) =>
    new Gauge({
      name,
      help,
      labelNames: ['table'],
      registers: [registry],
      async collect() {
        const rows = await read();
        this.reset();
        for (const row of rows) this.set({ table: row.name }, Number(row[column]));
      },
    });
  add('bytes', 'database_table_bytes', 'Bytes on the disk per table, with its indexes.');
  add('rows', 'database_table_rows', 'Rows per table, as PostgreSQL estimates them.');
  add(
    'dead',
    'database_table_dead_rows',
    'Deleted and replaced rows whose space a vacuum has not freed, per table.',
  );
}
