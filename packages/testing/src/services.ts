/** Services as separate processes that a test can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, serviceOptions } from '@latchkey/bundle';
import { END_MS, end, hasEnded, start, temporaryDirectory, watch } from './processes.ts';
import { freePort, until } from './until.ts';

/** Longer than a service that answers takes on a busy machine. */
const ANSWER_MS = 5_000;

export type ServiceProcess = {
  url: string;
  metricsUrl: string;
  child: ChildProcess;
  output: () => string;
  /** Resolves when the service answers; rejects with its output when it ends first. */
  ready: () => Promise<void>;
  /** Resolves to the exit code, or null when the signal ended it. */
  stop: (signal: NodeJS.Signals) => Promise<number | null>;
};

/**
 * Starts a service with these settings only, without this process's environment.
 * @param program Returns the program of an entry; by default that of this tree.
 */
export async function spawnService(
  service: 'relayer' | 'triggers',
  settings: Record<string, string>,
  program: (entry: string) => Promise<string> = bundle,
): Promise<ServiceProcess> {
  const port = settings.PORT ?? String(await freePort());
  const metricsPort = String(await freePort());
  const child = spawn(process.execPath, [...serviceOptions, await program(`${service}/src/main.ts`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: process.env.HOME,
      ...settings,
      PORT: port,
      METRICS_PORT: metricsPort,
    },
  });
  const output = watch(child, () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    child,
    output,
    async ready() {
      const answers = async () =>
        hasEnded(child) || (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })).ok;
      await until(`${service} answers`, answers, 60_000);
      if (hasEnded(child)) throw new Error(output());
    },
    async stop(signal) {
      if (hasEnded(child)) return child.exitCode;
      const exited = once(child, 'exit', { signal: AbortSignal.timeout(END_MS) });
      child.kill(signal);
      try {
        return (await exited)[0] as number | null;
      } catch (cause) {
        child.kill('SIGKILL');
        throw new Error(`${service} did not end on ${signal}\n${output()}`, { cause });
      }
    },
  };
}

export type RunnerProcess = AsyncDisposable & {
  /** As in RUNNER_URLS. */
  url: string;
  child: ChildProcess;
  output: () => string;
};

/** Starts a runner on a Unix socket, or on the given socket of a killed runner, and waits until it listens. */
export async function startRunnerProcess(
  settings: Record<string, string> = {},
  url?: string,
  program: (entry: string) => Promise<string> = bundle,
): Promise<RunnerProcess> {
  const directory = temporaryDirectory(tmpdir());
  const socket = url?.replace('unix:', '') ?? join(directory.path, 'socket');
  const child = spawn(process.execPath, [...serviceOptions, await program('runner/src/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      RUNTIME_POOL_SIZE: '1',
      RUNNER_REQUIRE_WALLS: 'none',
      IMPORT_CACHE_DIR: join(directory.path, 'imports'),
      ...settings,
      RUNNER_LISTEN: socket,
    },
  });
  const output = watch(child, () => child.kill('SIGKILL'));
  await until(
    'the runner listens',
    async () => hasEnded(child) || output().includes('"msg":"ready"'),
    60_000,
  );
  if (hasEnded(child)) throw new Error(output());
  return {
    url: `unix:${socket}`,
    child,
    output,
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGTERM');
      directory[Symbol.dispose]();
    },
  };
}

export type Indexer = AsyncDisposable & {
  url: string;
  /** Process id of the indexer. */
  pid: number;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
  isHealthy(): Promise<boolean>;
};

/** Runs a command in which the file system is read-only but for /tmp, as in an image. */
const READ_ONLY = [
  'bwrap',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--tmpfs',
  '/tmp',
  '--die-with-parent',
  '--',
];

/**
 * Starts the indexer with this environment and waits until it is healthy, or with `isStandby` until it stands by. With `isReadOnly` on a
 * read-only file system, which needs bubblewrap.
 */
export async function startIndexer(
  env: Record<string, string>,
  { isStandby = false, isReadOnly = false } = {},
): Promise<Indexer> {
  const port = env.PORT ?? String(await freePort());
  const command = [...(isReadOnly ? READ_ONLY : []), process.execPath, await bundle('indexer/src/main.ts')];
  const { child, output } = start(command[0] as string, command.slice(1), { ...env, PORT: port });
  const url = `http://127.0.0.1:${port}`;
  const isHealthy = async () => (await fetch(`${url}/health`)).ok;
  try {
    if (isStandby) await until('the indexer stands by', async () => output().includes('standing by'), 60_000);
    else await until('the indexer is healthy', isHealthy, 60_000);
  } catch (error) {
    await end(child, 'SIGKILL');
    throw new Error(`${error}\n${output()}`);
  }
  return {
    url,
    pid: child.pid ?? 0,
    output,
    isHealthy,
    stop: (signal = 'SIGINT') => end(child, signal),
    [Symbol.asyncDispose]: () => end(child, 'SIGKILL'),
  };
}
