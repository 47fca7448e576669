/** Transactions whose connection fails must not affect the next user of the connection. */
import { databaseOf } from '@latchkey/service/transactions';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let db: ReturnType<typeof databaseOf>;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1, query_timeout: 300 });
  pool.on('error', () => {});
  db = databaseOf(pool, {});
  await db.execute(sql`create table facts (name text)`);
});
afterEach(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

const names = async () =>
  (await pool.query('select name from facts order by name')).rows.map(({ name }) => name);
const add = (name: string) => sql`insert into facts values (${name})`;

test('a transaction that times out closes its connection, and the next statement is outside of it', async () => {
  const lost = db.transaction(async (tx) => {
    await tx.execute(add('lost'));
    await tx.execute(sql`select pg_sleep(1)`);
  });
  await expect(lost).rejects.toThrow();
  await db.execute(add('kept'));
  expect(await names()).toEqual(['kept']);
});

test('ten transactions that time out leave every connection of the pool free', async () => {
  for (let i = 0; i < 10; i++)
    await expect(db.transaction((tx) => tx.execute(sql`select pg_sleep(1)`))).rejects.toThrow();
  await db.transaction((tx) => tx.execute(add('kept')));
  expect(await names()).toEqual(['kept']);
});

test('a transaction whose session the server ends rejects, and the pool continues', async () => {
  const ended = db.transaction(async (tx) => {
    await tx.execute(add('lost'));
    await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
  });
  await expect(ended).rejects.toThrow();
  expect(await names()).toEqual([]);
});

test('a transaction that rejects for another reason is rolled back and keeps its connection', async () => {
  const [before] = (await pool.query('select pg_backend_pid() as pid')).rows;
  const failed = db.transaction(async (tx) => {
    await tx.execute(add('lost'));
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await names()).toEqual([]);
  expect((await pool.query('select pg_backend_pid() as pid')).rows).toEqual([before]);
});
