import { addTableMetrics } from '@latchkey/http/table-metrics';
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';

test('tells the size, the rows and the dead rows of each table, and of a partitioned table as one', async () => {
  await using resources = new AsyncDisposableStack();
  const { db, dispose } = await openTestDatabase();
  resources.defer(dispose);
  await db.execute(sql`create schema measured`);
  await db.execute(sql`create table measured.plain (a integer)`);
  await db.execute(sql`create table measured.parts (a integer) partition by list (a)`);
  for (const part of [1, 2])
    await db.execute(
      sql.raw(`create table measured.part_${part} partition of measured.parts for values in (${part})`),
    );
  await db.execute(sql`insert into measured.plain select n from generate_series(1, 1000) n`);
  await db.execute(sql`delete from measured.plain where a <= 100`);
  await db.execute(sql`insert into measured.parts select n % 2 + 1 from generate_series(1, 10) n`);

  const registry = new Registry();
  addTableMetrics(registry, db, 'measured');
  const values = async () => {
    const found = await registry.getMetricsAsJSON();
    return Object.fromEntries(
      found.flatMap(({ name, values }) =>
        (values as { labels: { table: string }; value: number }[]).map(({ labels, value }) => [
          `${name.slice('database_table_'.length)} ${labels.table}`,
          value,
        ]),
      ),
    );
  };
  await expect.poll(values).toMatchObject({ 'rows plain': 900, 'rows parts': 10 });
  const shown = await values();
  expect(shown).toMatchObject({
    'rows plain': 900,
    'dead_rows plain': 100,
    'rows parts': 10,
    'dead_rows parts': 0,
  });
  expect(shown['bytes plain']).toBeGreaterThan(8_192);
  expect(shown['bytes parts']).toBeGreaterThanOrEqual(16_384);
  expect(Object.keys(shown).filter((name) => name.includes('part_'))).toEqual([]);
});
