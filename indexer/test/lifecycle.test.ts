import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Indexer } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { expect, test, vi } from 'vitest';
import { actionNames, deepReorg, freshChain, lostBlocks, restarts, setUp, untilNames } from './lifecycle.ts';

// Each starts the indexer several times.
vi.setConfig({ testTimeout: 120_000 });

test('a restart continues, after a clean stop and after kill -9', async () => {
  await using world = await setUp();
  await restarts(world);
});

test('a fresh chain under the running indexer', async () => {
  await using world = await setUp();
  await freshChain(world, true);
});

test('a deep reorg while the indexer is stopped', async () => {
  await using world = await setUp();
  await deepReorg(world, false);
});

test('a fresh chain while the indexer is stopped', async () => {
  await using world = await setUp();
  await freshChain(world, false);
});

test('a deep reorg under the running indexer', async () => {
  await using world = await setUp();
  await deepReorg(world, true);
});

test('a chain that lost its last blocks while the indexer was stopped', async () => {
  await using world = await setUp();
  await lostBlocks(world);
});

test.each([
  { source: 'a subscription', subscribed: true },
  { source: 'polling', subscribed: false },
])(
  'by $source: the head is there at the start, and roll-backs without a next block',
  async ({ subscribed }) => {
    await using world = await setUp(subscribed);
    const { client } = world.chain;
    const block = await world.add('first');
    const indexer = await world.start();
    expect(await actionNames(indexer, block)).toEqual(['first']);

    const snapshot = await client.snapshot();
    await actionNames(indexer, await world.add('taken back'));
    await client.revert({ id: snapshot });
    await untilNames(indexer, ['first']);

    await client.increaseTime({ seconds: 10 });
    await actionNames(indexer, await world.add('second'));
    await client.mine({ blocks: 3 });
    await client.request({ method: 'anvil_reorg', params: [4, []] } as never);
    await untilNames(indexer, ['first']);
    expect(await actionNames(indexer, await world.add('third'))).toEqual(['first', 'third']);
    expect(indexer.output()).not.toContain('starting again');
  },
);

test('a part that is killed is started again, or takes the rest with it', async () => {
  await using world = await setUp();
  const indexer = await world.start();
  process.kill(ponderPid(indexer), 'SIGKILL');
  await until('it is started again', async () => indexer.output().includes('continuing'));
  await until('it is healthy', indexer.isHealthy);
  process.kill(indexer.pid, 'SIGKILL');
  await until('nobody answers', () =>
    fetch(indexer.url).then(
      () => false,
      () => true,
    ),
  );
});

test('what is wrong with the settings is told at once, without secrets', async () => {
  const settings = { RPC_URL: 'ftp://secret', PORT: '70000', CHAIN_ID: '31337', DEPLOYMENTS_DIR: '/nowhere' };
  const main = join(import.meta.dirname, '../src/main.ts');
  const { status, stdout } = spawnSync(process.execPath, [main], { env: settings, encoding: 'utf8' });
  expect(status).toBe(64);
  expect(stdout).toMatch(/RPC_URL.*PORT/s);
  expect(stdout).not.toContain('secret');
});

/** Of the process with Ponder in it, by its own log lines. */
function ponderPid(indexer: Indexer): number {
  const lines = indexer.output().split('\n');
  const line = lines.findLast((text) => text.includes('indexing from the start')) ?? '{}';
  return JSON.parse(line).pid;
}
