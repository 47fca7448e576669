/** Services as processes of their own, which a test can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { end, hasEnded, root, start, watch } from './processes.ts';
import { freePort, until } from './until.ts';

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
