/** The relayer as a process of its own, which a test may kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort, until } from '../../indexer/test/processes.ts';

export const root = join(import.meta.dirname, '../..');

export type RelayerProcess = {
  url: string;
  child: ChildProcess;
  output: () => string;
  /** Resolves to its exit code, null when the signal ended it. */
  stop: (signal: NodeJS.Signals) => Promise<number | null>;
};

/** Resolves when it answers; rejects with its output when it ends before. */
export async function startRelayerProcess(settings: Record<string, string>): Promise<RelayerProcess> {
  const port = settings.PORT ?? String(await freePort());
  const child = spawn(process.execPath, [join(root, 'relayer/src/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      INDEXER_URL: 'http://127.0.0.1:9',
      ROOT_SECRET_PASSPHRASE: 'test',
      RUNTIME_POOL_SIZE: '1',
      ...settings,
      PORT: port,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const url = `http://127.0.0.1:${port}`;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await until('the relayer answers', async () => hasEnded() || (await fetch(`${url}/version`)).ok, 60_000);
  if (hasEnded()) throw new Error(output);
  return {
    url,
    child,
    output: () => output,
    async stop(signal) {
      if (hasEnded()) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      return (await exited)[0] as number | null;
    },
  };
}
