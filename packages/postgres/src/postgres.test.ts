import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createDatabase,
  dropDatabase,
  ensureDatabase,
  PostgresError,
  startPostgres,
  withClient,
  withLock,
} from './index.ts';
import { launchers } from './unprivileged.ts';

let parent: string;
let directory: string;
let port: number;
beforeEach(async () => {
  // Like a clone in root's home directory: no other user can enter.
  parent = await mkdtemp(join(tmpdir(), 'postgres-test-'));
  directory = join(parent, 'postgres');
  port = await freePort();
});
afterEach(() => rm(parent, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('keeps its databases across restarts', async () => {
  const first = await startPostgres({ directory, port });
  await createDatabase(first.url('postgres'), 'a');
  await query(first.url('a'), 'create table kept as select 1 as one');
  await first.stop();
  await using second = await startPostgres({ directory, port });
  expect(await query(second.url('a'), 'select * from kept')).toEqual([{ one: 1 }]);
});

test('work on a connection rejects when the server ends the connection', async () => {
  await using server = await startPostgres({ directory, port });
  const url = server.url('postgres');
  const idle = withClient(url, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    await withClient(url, (other) => other.query('select pg_terminate_backend($1)', [rows[0].pid]));
    return new Promise(() => {});
  });
  await expect(idle).rejects.toThrow('terminating connection');
});

test('writes commits to disk unless isDurable is false', async () => {
  const settings =
    'select name, setting from pg_settings where name in ($$fsync$$, $$synchronous_commit$$) order by 1';
  const durable = await startPostgres({ directory, port });
  expect(await query(durable.url('postgres'), settings)).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);
  await durable.stop();
  await using fast = await startPostgres({ directory, port, isDurable: false });
  expect(await query(fast.url('postgres'), settings)).toEqual([
    { name: 'fsync', setting: 'off' },
    { name: 'synchronous_commit', setting: 'off' },
  ]);
});

test('refuses a client without the password, which only its user can read', async () => {
  await using server = await startPostgres({ directory, port, isDurable: false });
  const wrong = Object.assign(new URL(server.url('postgres')), { password: 'wrong' }).href;
  await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed');
  expect((await stat(join(directory, 'password'))).mode & 0o077).toBe(0);
  expect(server.url('postgres')).toContain(await readFile(join(directory, 'password'), 'utf8'));
});

test('completes an interrupted initialization', async () => {
  await mkdir(join(directory, 'data.new'), { recursive: true });
  await writeFile(join(directory, 'data.new', 'PG_VERSION'), '18\n');
  await using server = await startPostgres({ directory, port, isDurable: false });
  expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
  expect((await readdir(directory)).sort()).toEqual(['data', 'password']);
});

test('rejects with the message of PostgreSQL when it cannot start', async () => {
  await using first = await startPostgres({ directory, port, isDurable: false });
  const second = startPostgres({ directory: `${directory}-2`, port, isDurable: false });
  await expect(second).rejects.toThrow(PostgresError);
  await expect(second).rejects.toThrow(/could not bind IPv4 address "127.0.0.1"/);
  expect(await query(first.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('creates, copies and drops databases; creating an existing one changes nothing', async () => {
  await using server = await startPostgres({ directory, port, isDurable: false });
  const url = server.url('postgres');
  expect(await ensureDatabase(url, 'the "a"')).toBe(true);
  await query(server.url('the%20%22a%22'), 'create table kept as select 1 as one');
  expect(await ensureDatabase(url, 'the "a"')).toBe(false);
  await createDatabase(url, 'copy', 'the "a"');
  expect(await query(server.url('copy'), 'select * from kept')).toEqual([{ one: 1 }]);
  await dropDatabase(url, 'copy');
  await expect(query(server.url('copy'), 'select 1')).rejects.toThrow('does not exist');
});

test('one caller at a time holds a lock', async () => {
  await using server = await startPostgres({ directory, port, isDurable: false });
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside--;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(server.url('postgres'), 'name', work)));
  expect(most).toBe(1);
});

test('the server ends with the process that started it, even by SIGKILL', async () => {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
    const { pid } = await startPostgres(${JSON.stringify({ directory, port, isDurable: false })});
    console.log(pid);
    setInterval(() => {}, 1_000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(starter.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(process.kill(pid, 0)).toBe(true);
  starter.kill('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
});

describe.runIf(process.getuid?.() === 0 && existsSync('/usr/bin/setpriv'))('as root', () => {
  test.each(Object.entries(launchers))(
    'runs below a directory that only root can enter, %s',
    async (_name, launcher) => {
      await using server = await startPostgres({ directory, port, isDurable: false, launcher });
      expect((await stat(parent)).mode & 0o077).toBe(0);
      expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
      expect(status).toContain('postgres');
    },
  );
});
