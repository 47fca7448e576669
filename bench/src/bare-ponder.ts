/** Ponder without the indexer's code, as a process: the app in bench/bare-ponder. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@latchkey/postgres';
import type { Stack } from '@latchkey/stack';
import { end, start } from '@latchkey/testing/processes';
import { freePort, until } from '@latchkey/testing/until';

const START_DEADLINE_MS = 60_000;
const root = join(import.meta.dirname, '../bare-ponder');
const command = fileURLToPath(new URL('./bin/ponder.js', import.meta.resolve('ponder')));

/** Starts the app on the chain of the stack, with its own database on the same server. */
export async function startBarePonder(stack: Stack): Promise<AsyncDisposable & { url: string }> {
  const name = `bench_${randomUUID()}`;
  const database = (path: string) =>
    Object.assign(new URL(stack.databaseUrls.indexer), { pathname: `/${path}` }).href;
  await createDatabase(database('postgres'), name);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = ['--root', root, '--log-level', 'warn', '--log-format', 'json'];
  const { child, output } = start(
    process.execPath,
    [command, ...options, 'start', '--schema', 'bare', '--port', String(port), '--hostname', '127.0.0.1'],
    {
      DATABASE_URL: database(name),
      PONDER_TELEMETRY_DISABLED: 'true',
      RPC_URL: stack.rpcUrl,
      WS_RPC_URL: stack.wsUrl,
      CHAIN_ID: String(stack.chainId),
      CONTRACT_ADDRESS: stack.contractAddress,
      START_BLOCK: String(stack.deployment.startBlock),
    },
  );
  try {
    await until('Ponder answers', async () => (await fetch(`${url}/ready`)).ok, START_DEADLINE_MS);
  } catch (error) {
    await end(child, 'SIGKILL');
    throw new Error(`${error}\n${output()}`);
  }
  return { url, [Symbol.asyncDispose]: () => end(child, 'SIGKILL') };
}
