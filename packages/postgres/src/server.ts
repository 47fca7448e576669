/** Creates a PostgreSQL cluster in a directory and returns the command that runs it. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, findBinaries } from './binaries.ts';
import { PostgresError } from './errors.ts';
import { chooseLauncher, type Launcher } from './unprivileged.ts';

const USER = 'latchkey';
/** Enough for three services and their tests: every process has its own pool. */
const MAX_CONNECTIONS = 300;

export type ServerOptions = {
  /** Directory of the cluster and the password. Created when missing. */
  directory: string;
  port: number;
  /** False makes commits faster and not durable, for tests (default true). */
  isDurable?: boolean;
  launcher?: Launcher;
};

export type PostgresServer = {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Returns the URL of a database on this server, with the password. */
  url: (database: string) => string;
};

const NOT_DURABLE = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  // Tests have a database per file: an autovacuum process would visit each of them every minute.
  'autovacuum=off',
  // Small, because the files can be in memory.
  'max_wal_size=128MB',
];

/**
 * Creates the cluster on the first call. Returns the command that runs the server in the foreground; SIGINT stops it.
 */
export async function prepareServer(options: ServerOptions): Promise<PostgresServer> {
  const { port, isDurable = true, launcher = chooseLauncher() } = options;
  const directory = resolve(options.directory);
  const binaries = findBinaries();
  const data = join(directory, 'data');
  const passwordFile = join(directory, 'password');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const isInitialized = await stat(data).then(
    () => true,
    () => false,
  );
  if (!isInitialized) await initialize({ directory, data, passwordFile, binaries, launcher, isDurable });
  const password = await readFile(passwordFile, 'utf8');
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    // A socket path has at most 107 bytes, and the path of a clone can be longer.
    'unix_socket_directories=',
    `max_connections=${MAX_CONNECTIONS}`,
    ...(isDurable ? [] : NOT_DURABLE),
  ];
  const [command = binaries.postgres, ...args] = [
    ...launcher.prefix,
    binaries.postgres,
    '-D',
    data,
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  return {
    command,
    args,
    env: binaries.env,
    url: (database) => `postgresql://${USER}:${password}@127.0.0.1:${port}/${database}`,
  };
}

/**
 * Creates the cluster under a temporary name and renames it, so that an interrupted start leaves no partial cluster.
 */
async function initialize(at: {
  directory: string;
  data: string;
  passwordFile: string;
  binaries: Binaries;
  launcher: Launcher;
  isDurable: boolean;
}): Promise<void> {
  const { directory, data, passwordFile, binaries, launcher, isDurable } = at;
  const unfinished = join(directory, 'data.new');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (launcher.owner !== undefined) await chown(unfinished, launcher.owner, launcher.owner);
  const [command = binaries.initdb, ...args] = [
    ...launcher.prefix,
    binaries.initdb,
    `--pgdata=${unfinished}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...(isDurable ? [] : ['--no-sync']),
  ];
  try {
    await promisify(execFile)(command, args, { cwd: '/', env: { ...process.env, ...binaries.env } });
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: string };
    throw new PostgresError(`initdb failed: ${stderr.trim() || (cause as Error).message}`, { cause });
  }
  await rename(unfinished, data);
}
