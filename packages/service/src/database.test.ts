import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@latchkey/testing/postgres';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { openDatabase } from './database.ts';

type Migration = { when: number; sql: string };

/** Returns a function that opens one database with these migrations, and closes it. */
async function emptyDatabase(resources: AsyncDisposableStack) {
  const { url } = resources.use(await createTestDatabase());
  async function open(migrations: Migration[], onWait?: () => void): Promise<void> {
    const migrationsFolder = await mkdtemp(join(tmpdir(), 'migrations-'));
    resources.defer(() => rm(migrationsFolder, { recursive: true }));
    await mkdir(join(migrationsFolder, 'meta'));
    const entries = migrations.map(({ when }) => ({ when, tag: String(when), breakpoints: true }));
    await writeFile(join(migrationsFolder, 'meta', '_journal.json'), JSON.stringify({ entries }));
    for (const { when, sql } of migrations) await writeFile(join(migrationsFolder, `${when}.sql`), sql);
    const database = await openDatabase(
      { url, poolSize: 1 },
      { schema: {}, migrationsFolder, migrationsSchema: 'migrations', service: 'test', onWait },
    );
    await database.close();
  }
  return { url, open };
}

const tables = (when: number): Migration => ({ when, sql: `create table made_at_${when} ()` });
const returning = (value: number, when: number): Migration => ({
  when,
  sql: `create or replace function answer() returns integer language sql as 'select ${value}'`,
});
const REFUSED =
  /^DATABASE_URL: another version of this service made the tables .* `npm run up -- --fresh`, which deletes/;

test('a start reports that it waits for the migration of another process', async () => {
  await using resources = new AsyncDisposableStack();
  const { url, open } = await emptyDatabase(resources);
  const onWait = vi.fn();

  await open([], onWait);
  expect(onWait).not.toHaveBeenCalled();

  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query(`select pg_advisory_lock(hashtext('latchkey-test'))`);
  const opening = open([], onWait);
  await expect.poll(() => onWait.mock.calls.length).toBe(1);
  await other.end();
  await opening;
});

/** Resolves to connections on a database with one table per number. */
async function connectionsOn(resources: AsyncDisposableStack, numbers: number[]) {
  const { url, open } = await emptyDatabase(resources);
  const made = numbers.map(tables);
  await open(made);
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    resources.defer(() => client.end());
    return client;
  };
  return {
    migrate: (sql: string) => open([...made, { when: 9, sql }]),
    a: await connect(),
    b: await connect(),
  };
}

/** Waits that are longer than the seconds for locks of this table. */
const waits = (table: string, seconds = 0) =>
  `select from pg_locks where relation = '${table}'::regclass and not granted
     and clock_timestamp() > waitstart + interval '${seconds} s'`;

test('a migration that waits for a long transaction, as of a dump, holds up no other statement', async () => {
  await using resources = new AsyncDisposableStack();
  const { migrate, a: dump, b: run } = await connectionsOn(resources, [1]);
  await dump.query('begin');
  await dump.query('select from made_at_1');
  const opening = migrate('alter table made_at_1 add column a integer');
  await expect.poll(async () => (await dump.query(waits('made_at_1'))).rowCount).toBe(1);
  await run.query(`set statement_timeout = '20s'`);
  await run.query('select from made_at_1');
  await dump.query('commit');
  await opening;
});

test('a migration that waits for a statement, which waits for the migration, gives up before PostgreSQL ends the statement', async () => {
  await using resources = new AsyncDisposableStack();
  const { migrate, a: other } = await connectionsOn(resources, [1, 2]);
  await other.query('begin');
  await other.query('select from made_at_2');
  const opening = migrate(
    'alter table made_at_1 add column a integer; alter table made_at_2 add column a integer',
  );
  await expect.poll(async () => (await other.query(waits('made_at_2'))).rowCount).toBe(1);
  await other.query('select from made_at_1');
  await other.query('commit');
  await opening;
});

test('a migration does not deadlock with transactions that read a table and then write it, while it has not yet altered it', async () => {
  await using resources = new AsyncDisposableStack();
  const { migrate, a, b } = await connectionsOn(resources, [1]);
  const state = { isOver: false };
  const work = [a, b].map(async (client) => {
    while (!state.isOver)
      for (const statement of [
        'begin',
        'select from made_at_1',
        'insert into made_at_1 default values',
        'commit',
      ])
        await client.query(statement);
  });
  const steps = ['lock table made_at_1 in share row exclusive mode', 'select pg_sleep(0.2)'];
  await migrate([...steps, 'alter table made_at_1 add column a integer'].join(';\n'));
  state.isOver = true;
  await Promise.all(work);
});

test('a migration waits for longer than a second in the end: then PostgreSQL ends an automatic VACUUM of its table', async () => {
  await using resources = new AsyncDisposableStack();
  const { migrate, a: holder } = await connectionsOn(resources, [1]);
  await holder.query('begin');
  await holder.query('lock table made_at_1 in share update exclusive mode');
  const opening = migrate('alter table made_at_1 add column a integer');
  const isLong = async () => (await holder.query(waits('made_at_1', 1.1))).rowCount;
  await expect.poll(isLong, { timeout: 20_000 }).toBe(1);
  await holder.query('commit');
  await opening;
});

test.each([
  ['an older version', [tables(1)], [tables(5)]],
  ['an older version with later migrations', [tables(1), tables(9)], [tables(5)]],
  [
    'a version with another text of the same migration',
    [tables(1), returning(1, 2)],
    [tables(1), returning(2, 2)],
  ],
  [
    'a later version, in which a function has moved',
    [tables(1), returning(2, 3)],
    [tables(1), returning(1, 2)],
  ],
])('a database of %s is refused, and stays as it is', async (_, made, own) => {
  await using resources = new AsyncDisposableStack();
  const { open } = await emptyDatabase(resources);
  await open(made);
  await expect(open(own)).rejects.toThrow(REFUSED);
  await open(made);
});

test('a function that has moved to the end replaces the one in the database, which the version before can still open', async () => {
  await using resources = new AsyncDisposableStack();
  const { url, open } = await emptyDatabase(resources);
  const before = [tables(1), returning(1, 2), tables(3)];
  const after = [tables(1), tables(3), returning(2, 4)];
  await open(before);
  await open(after);
  await open(before);
  await open(after);

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  resources.defer(() => client.end());
  expect((await client.query('select answer()')).rows).toEqual([{ answer: 2 }]);
});

test('a ping is rejected while the database takes no writes, as a standby', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await createTestDatabase());
  const migrationsFolder = await mkdtemp(join(tmpdir(), 'migrations-'));
  resources.defer(() => rm(migrationsFolder, { recursive: true }));
  await mkdir(join(migrationsFolder, 'meta'));
  await writeFile(join(migrationsFolder, 'meta', '_journal.json'), '{"entries":[]}');
  const options = { schema: {}, migrationsFolder, migrationsSchema: 'migrations', service: 'test' };
  const database = await openDatabase({ url, poolSize: 1 }, options);
  resources.defer(database.close);
  await database.ping();
  await database.db.execute('set session characteristics as transaction read only');
  await expect(database.ping()).rejects.toThrow('takes no writes');
  await database.db.execute('set session characteristics as transaction read write');
  await database.ping();
});
