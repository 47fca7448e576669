import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFile,
  execFileSync,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseDeployment } from '@latchkey/protocol';
import { type Address, createTestClient, type Hex, http, publicActions, walletActions } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { foundry } from 'viem/chains';

const root = join(import.meta.dirname, '../..');
const bin = (name: string) => join(root, 'node_modules/.bin', name);

/** The first of the accounts that anvil funds. */
const DEPLOYER_KEY: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** Resolves to the first truthy value of `probe`; rejects after `timeoutMs`. Failures of `probe` count as not yet. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe().catch(() => undefined);
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await setTimeout(20);
  }
}

export async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return promise;
}

/** A directory that is gone after the test; relative to the root and where the deploy script may write by default. */
export function temporaryDirectory(parent?: string): Disposable & { path: string } {
  const absolute = parent ?? join(root, '.data');
  mkdirSync(absolute, { recursive: true });
  const made = mkdtempSync(join(absolute, 'indexer-test-'));
  const path = parent === undefined ? relative(root, made) : made;
  const remove = () => {
    rmSync(made, { recursive: true, force: true, maxRetries: 5 });
    directories.delete(remove);
  };
  directories.add(remove);
  return { path, [Symbol.dispose]: remove };
}

/** What a test that ran out of time leaves behind, and how it is ended. */
const running = new Map<ChildProcess, () => void>();
const directories = new Set<() => void>();
const cleanUp = () => {
  for (const kill of running.values()) kill();
  for (const remove of directories) remove();
};
// Programs beside the tests use this module too.
if (process.env.VITEST) (await import('vitest')).afterAll(cleanUp);
else process.once('exit', cleanUp);

/** Returns what it has printed. */
function watch(child: ChildProcessByStdio<null, Readable, Readable>, kill: () => void): () => string {
  running.set(child, kill);
  child.once('exit', () => running.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return () => output;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of the group ended before.
  }
}

/** In a process group of its own, so that what it starts ends with it. */
function start(
  file: string,
  args: string[],
  env: Record<string, string> = {},
  user: { uid?: number; gid?: number } = {},
) {
  const child = spawn(file, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...user,
  });
  return { child, output: watch(child, () => signalGroup(child, 'SIGKILL')) };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Ends the process group that `start` made. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = hasEnded(child) ? undefined : once(child, 'exit');
  signalGroup(child, signal);
  await exited;
}

export type ServiceProcess = {
  url: string;
  metricsUrl: string;
  child: ChildProcess;
  output: () => string;
  /** Resolves when it answers; rejects with its output when it ends before. */
  ready: () => Promise<void>;
  /** Resolves to its exit code, null when the signal ended it. */
  stop: (signal: NodeJS.Signals) => Promise<number | null>;
};

/** `node <service>/src/main.ts` with these settings and nothing else of this environment. */
export async function spawnService(
  service: 'relayer' | 'triggers',
  settings: Record<string, string>,
): Promise<ServiceProcess> {
  const port = settings.PORT ?? String(await freePort());
  const metricsPort = String(await freePort());
  const child = spawn(process.execPath, [join(root, service, 'src/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
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
      const answers = async () => hasEnded(child) || (await fetch(url)).ok;
      await until(`${service} answers`, answers, 60_000);
      if (hasEnded(child)) throw new Error(output());
    },
    async stop(signal) {
      if (hasEnded(child)) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      return (await exited)[0] as number | null;
    },
  };
}

export type Chain = AsyncDisposable & {
  port: number;
  url: string;
  wsUrl: string;
  client: ReturnType<typeof testClient>;
};

function testClient(url: string) {
  return createTestClient({ mode: 'anvil', chain: foundry, transport: http(url), pollingInterval: 5 })
    .extend(publicActions)
    .extend(walletActions);
}

/** An anvil that mines a block for every transaction, and none otherwise. */
export async function startChain(port?: number): Promise<Chain> {
  const chosen = port ?? (await freePort());
  const { child } = start(bin('anvil'), ['--port', String(chosen), '--silent']);
  const url = `http://127.0.0.1:${chosen}`;
  const client = testClient(url);
  await until('anvil answers', async () => (await client.getChainId()) === foundry.id);
  return {
    port: chosen,
    url,
    wsUrl: `ws://127.0.0.1:${chosen}`,
    client,
    [Symbol.asyncDispose]: () => end(child, 'SIGKILL'),
  };
}

/** Deploys the diamond by the deploy script; `payers` are its api payers. Resolves to its address. */
export async function deploy(
  chain: Chain,
  directory: string,
  payers: Address[] = [privateKeyToAddress(DEPLOYER_KEY)],
): Promise<Address> {
  await promisify(execFile)(
    bin('forge'),
    [
      'script',
      'script/Deploy.s.sol:Deploy',
      '--rpc-url',
      chain.url,
      '--broadcast',
      '--private-key',
      DEPLOYER_KEY,
    ],
    { cwd: root, env: { ...process.env, DEPLOYMENTS_DIR: directory, API_PAYERS: payers.join(',') } },
  );
  const file = join(root, directory, `${foundry.id}.json`);
  return parseDeployment(JSON.parse(readFileSync(file, 'utf8'))).address;
}

export type Indexer = AsyncDisposable & {
  url: string;
  /** Of the process that was started. */
  pid: number;
  /** How long it took until /health said 200. */
  startedInMs: number;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
  isHealthy(): Promise<boolean>;
};

/** `node indexer/src/main.ts` with this environment, healthy. */
export async function startIndexer(env: Record<string, string>): Promise<Indexer> {
  const port = env.PORT ?? String(await freePort());
  const startedAt = Date.now();
  const { child, output } = start(process.execPath, [join(root, 'indexer/src/main.ts')], {
    ...env,
    PORT: port,
  });
  const url = `http://127.0.0.1:${port}`;
  const isHealthy = async () => (await fetch(`${url}/health`)).ok;
  try {
    await until('the indexer is healthy', isHealthy, 60_000);
  } catch (error) {
    await end(child, 'SIGKILL');
    throw new Error(`${error}\n${output()}`);
  }
  return {
    url,
    pid: child.pid ?? 0,
    startedInMs: Date.now() - startedAt,
    output,
    isHealthy,
    stop: (signal = 'SIGINT') => end(child, signal),
    [Symbol.asyncDispose]: () => end(child, 'SIGKILL'),
  };
}

/** Where PostgreSQL keeps its programs on this machine, undefined when it has none. */
export const postgresBin = globSync('/usr/lib/postgresql/*/bin').find((path) =>
  existsSync(join(path, 'initdb')),
);

/** A private cluster. */
export async function startPostgres(): Promise<AsyncDisposable & { url: string }> {
  if (postgresBin === undefined) throw new Error('PostgreSQL is not on this machine.');
  const directory = temporaryDirectory(tmpdir());
  // PostgreSQL refuses to run as root.
  const user =
    userInfo().uid === 0
      ? {
          uid: Number(execFileSync('id', ['-u', 'postgres'])),
          gid: Number(execFileSync('id', ['-g', 'postgres'])),
        }
      : {};
  if (user.uid !== undefined) chownSync(directory.path, user.uid, user.gid);
  const data = join(directory.path, 'cluster');
  const setup = ['-D', data, '-U', 'latchkey', '--auth', 'trust', '--no-sync', '-E', 'UTF8'];
  await promisify(execFile)(join(postgresBin, 'initdb'), setup, { cwd: '/', ...user });
  const port = await freePort();
  const { child, output } = start(
    join(postgresBin, 'postgres'),
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory.path, '-F'],
    {},
    user,
  );
  await until('PostgreSQL is ready', async () => output().includes('ready to accept connections'));
  return {
    url: `postgres://latchkey@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGQUIT');
      directory[Symbol.dispose]();
    },
  };
}
