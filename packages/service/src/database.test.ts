import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@latchkey/testing/postgres';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { openDatabase } from './database.ts';

test('a start reports that it waits for the migration of another process', async () => {
  await using resources = new AsyncDisposableStack();
  const migrationsFolder = await mkdtemp(join(tmpdir(), 'migrations-'));
  resources.defer(() => rm(migrationsFolder, { recursive: true }));
  await mkdir(join(migrationsFolder, 'meta'));
  await writeFile(join(migrationsFolder, 'meta', '_journal.json'), '{"entries":[]}');
  const { url } = resources.use(await createTestDatabase());
  const onWait = vi.fn();
  const open = () =>
    openDatabase(
      { url, poolSize: 1 },
      { schema: {}, migrationsFolder, migrationsSchema: 'migrations', service: 'test', onWait },
    );

  await (await open()).close();
  expect(onWait).not.toHaveBeenCalled();

  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query(`select pg_advisory_lock(hashtext('latchkey-test'))`);
  const opening = open();
  await expect.poll(() => onWait.mock.calls.length).toBe(1);
  await other.end();
  await (await opening).close();
});
