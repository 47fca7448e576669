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

test('a migration that waits for a long transaction, as of a dump, holds up no other statement', async () => {
  await using resources = new AsyncDisposableStack();
  const { url, open } = await emptyDatabase(resources);
  await open([tables(1)]);
  const [dump, run] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  for (const client of [dump, run]) {
    await client.connect();
    resources.defer(() => client.end());
  }
  await dump.query('begin');
  await dump.query('select from made_at_1');
  const opening = open([tables(1), { when: 2, sql: 'alter table made_at_1 add column a integer' }]);
  const waits = `select from pg_locks where relation = 'made_at_1'::regclass and not granted`;
  await expect.poll(async () => (await dump.query(waits)).rowCount).toBe(1);
  await run.query(`set statement_timeout = '20s'`);
  await run.query('select from made_at_1');
  await dump.query('commit');
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
