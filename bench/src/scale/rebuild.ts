/** The index of many logs, built from nothing: by the indexer, and by `ponder start` with the same handlers. */
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startForked } from '@latchkey/testing/forked';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { end, root, start, temporaryDirectory } from '@latchkey/testing/processes';
import { freePort, until } from '@latchkey/testing/until';
import { atLeast } from '../rows.ts';
import { LOGS_PER_BLOCK, type LogChainOptions } from './log-chain.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

const CHAIN_ID = 424_242;
const ADDRESS = '0x00000000000000000000000000000000000c0de0';
const DEADLINE_MS = 6 * 3_600_000;
const command = fileURLToPath(new URL('./bin/ponder.js', import.meta.resolve('ponder')));

/** A Ponder app with the handlers of the indexer. Its config is that of `bench/bare-ponder`. */
function copyHandlers(to: string): void {
  const bare = join(root, 'bench/bare-ponder');
  const isHandler = (path: string) =>
    !path.startsWith(join(root, 'indexer/src/api')) && !path.endsWith('main.ts');
  cpSync(join(root, 'indexer/src'), join(to, 'src'), { recursive: true, filter: isHandler });
  cpSync(join(bare, 'src/api'), join(to, 'src/api'), { recursive: true });
  cpSync(join(root, 'indexer/ponder.schema.ts'), join(to, 'ponder.schema.ts'));
  cpSync(join(bare, 'ponder.config.ts'), join(to, 'ponder.config.ts'));
}

/** Starts a program. Resolves to the seconds until `path` is answered with 200. */
async function timeToReady(args: string[], env: Record<string, string>, url: string): Promise<number> {
  const startedMs = performance.now();
  const { child, output } = start(process.execPath, args, { ...env, PONDER_TELEMETRY_DISABLED: 'true' });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the program ended\n${output()}`);
  });
  try {
    await Promise.race([until('the index is built', async () => (await fetch(url)).ok, DEADLINE_MS), ended]);
  } finally {
    ended.catch(() => {});
    await end(child, 'SIGKILL');
  }
  return (performance.now() - startedMs) / 1_000;
}

export async function measure({ rows, progress }: ScaleOptions): Promise<ScaleRow[]> {
  const blocks = Math.ceil(rows / LOGS_PER_BLOCK);
  using directory = temporaryDirectory();
  const deployment = { address: ADDRESS, chainId: CHAIN_ID, facets: {}, startBlock: 0 };
  writeFileSync(join(root, directory.path, `${CHAIN_ID}.json`), JSON.stringify(deployment));
  using chain = startForked(new URL('./log-chain.ts', import.meta.url));
  const options: LogChainOptions = { blocks, chainId: CHAIN_ID, address: ADDRESS };
  const rpcUrl = await chain.ask<string>(options);

  const build = async (program: (port: number) => [args: string[], path: string]): Promise<number> => {
    await using database = await createTestDatabase();
    const port = await freePort();
    const [args, path] = program(port);
    const settings = {
      RPC_URL: rpcUrl,
      CHAIN_ID: String(CHAIN_ID),
      CONTRACT_ADDRESS: ADDRESS,
      START_BLOCK: '0',
      DEPLOYMENTS_DIR: directory.path,
      DATABASE_URL: database.url,
      PORT: String(port),
    };
    return await timeToReady(args, settings, `http://127.0.0.1:${port}${path}`);
  };
  const app = join(root, directory.path, 'app');
  copyHandlers(app);
  const bareOptions = ['--root', app, '--log-level', 'warn', '--log-format', 'json'];
  const bare = await build((port) => [
    [command, ...bareOptions, 'start', '--schema', 'bare', '--port', String(port), '--hostname', '127.0.0.1'],
    '/ready',
  ]);
  progress('indexes', 1, 2);
  const own = await build(() => [[join(root, 'indexer/src/main.ts')], '/health']);
  progress('indexes', 2, 2);
  const logs = blocks * LOGS_PER_BLOCK;
  return [
    {
      what: `index rebuilt from ${logs} logs`,
      value: bare / own,
      unit: 'x',
      goal: atLeast(0.8),
      figures: `${Math.round(logs / own)} logs a second, bare Ponder ${Math.round(logs / bare)}`,
    },
  ];
}
