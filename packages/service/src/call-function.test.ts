import { createTestDatabase } from '@latchkey/testing/postgres';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callForRow, callFunction } from './call-function.ts';
import { type DatabaseOf, databaseOf } from './transactions.ts';

const resources = new AsyncDisposableStack();
let pool: pg.Pool;
let db: DatabaseOf<Record<string, never>>;
beforeAll(async () => {
  const { url } = resources.use(await createTestDatabase());
  pool = new pg.Pool({ connectionString: url, max: 1 });
  resources.defer(() => pool.end());
  db = databaseOf(pool, {});
});
afterAll(() => resources.disposeAsync());

test('a connection parses the call of a function once for each number of parameters', async () => {
  const sumOf = async (...values: number[]) => {
    const array = sql.join(
      values.map((value) => sql`${value}::int`),
      sql`, `,
    );
    const rows = await callFunction(db, { n: sql<number>`n` }, sql`unnest(array[${array}]) as n`);
    return rows.reduce((sum, { n }) => sum + n, 0);
  };
  expect(await sumOf(1, 2)).toBe(3);
  expect(await sumOf(3, 4)).toBe(7);
  expect(await sumOf(1, 2, 3)).toBe(6);
  const { rows } = await pool.query('select name from pg_prepared_statements order by name');
  expect(rows).toEqual([{ name: 'unnest_2' }, { name: 'unnest_3' }]);
});

test('a call for a row rejects when there is none', async () => {
  const first = (count: number) =>
    callForRow(db, { n: sql<number>`n` }, sql`generate_series(1, ${count}::int) as n`);
  expect(await first(2)).toEqual({ n: 1 });
  await expect(first(0)).rejects.toThrow('the function returned no row');
});
