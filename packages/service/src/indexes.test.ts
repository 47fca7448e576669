import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@latchkey/testing/postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
import { buildIndexes } from './indexes.ts';

async function open(resources: AsyncDisposableStack, statements: string) {
  const { url } = resources.use(await createTestDatabase());
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    resources.defer(() => client.end());
    return client;
  };
  const directory = mkdtempSync(join(tmpdir(), 'indexes-'));
  resources.defer(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'indexes.sql');
  writeFileSync(file, statements);
  const client = await connect();
  await client.query('create table grown (a integer, b integer)');
  const indexes = async () => {
    const { rows } = await client.query(
      `select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indrelid = 'grown'::regclass order by 1`,
    );
    return rows.map(({ name, valid }) => [name, valid]);
  };
  return { client, connect, build: (by = client) => buildIndexes(by, file), indexes };
}

const TWO = `-- Why.
CREATE INDEX CONCURRENTLY grown_a ON grown (a);
CREATE UNIQUE INDEX CONCURRENTLY grown_b ON grown (b);
DROP INDEX CONCURRENTLY IF EXISTS grown_old;
`;

test('builds the indexes of a file, drops those that it drops, and does nothing the second time', async () => {
  await using resources = new AsyncDisposableStack();
  const { client, build, indexes } = await open(resources, TWO);
  await client.query('create index grown_old on grown (a, b)');
  await build();
  const built = [
    ['grown_a', true],
    ['grown_b', true],
  ];
  expect(await indexes()).toEqual(built);
  await build();
  expect(await indexes()).toEqual(built);
});

test('builds an index again whose building was interrupted', async () => {
  await using resources = new AsyncDisposableStack();
  const { client, build, indexes } = await open(resources, TWO);
  await client.query('insert into grown values (1, 1), (2, 1)');
  await expect(build()).rejects.toThrow('could not create unique index');
  expect(await indexes()).toEqual([
    ['grown_a', true],
    ['grown_b', false],
  ]);
  await client.query('delete from grown where a = 2');
  await build();
  expect(await indexes()).toEqual([
    ['grown_a', true],
    ['grown_b', true],
  ]);
});

test('other sessions write while an index is built', async () => {
  await using resources = new AsyncDisposableStack();
  const { connect, build, indexes } = await open(resources, TWO);
  const [writer, builder] = [await connect(), await connect()];
  // The building waits for this transaction.
  await writer.query('begin');
  await writer.query('insert into grown values (1, 1)');
  const building = build(builder);
  const other = await connect();
  await expect.poll(indexes).toEqual([['grown_a', false]]);
  await other.query(`set lock_timeout = '1s'`);
  await other.query('insert into grown values (2, 2)');
  await writer.query('commit');
  await building;
  expect(await indexes()).toHaveLength(2);
});
