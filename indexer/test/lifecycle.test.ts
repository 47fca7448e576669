import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { type Indexer, startIndexer } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { expect, test, vi } from 'vitest';
import { bundlePonder } from '../service/bundle-ponder.ts';
import {
  actionNames,
  deepReorg,
  FINAL_DEPTH,
  freshChain,
  lostBlocks,
  restarts,
  setUp,
  untilNames,
} from './lifecycle.ts';

// Each test starts the indexer several times.
vi.setConfig({ testTimeout: 600_000 });

test('continues after a clean stop and after kill -9', async () => {
  await using setup = await setUp();
  await restarts(setup);
});

const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
test.runIf(hasBubblewrap)('starts on a read-only file system, as in its image', async () => {
  await using setup = await setUp();
  const block = await setup.add('first');
  await bundlePonder();
  const indexer = await setup.start({ isReadOnly: true });
  expect(await actionNames(indexer, block)).toEqual(['first']);
});

test('another one with its own database indexes from the start while the first replies', async () => {
  await using setup = await setUp();
  const first = await setup.start();
  await actionNames(first, await setup.add('before'));
  await setup.chain.client.mine({ blocks: 3 * FINAL_DEPTH });
  await using database = await createTestDatabase();
  const starting = startIndexer({ ...setup.settings, DATABASE_URL: database.url });
  for (let names: string[] = []; names.length < 5; names = await actionNames(first))
    await actionNames(first, await setup.add(`meanwhile ${names.length}`));
  await using second = await starting;
  expect(second.output()).toContain('indexing from the start');
  const block = await setup.add('after');
  expect(await actionNames(second, block)).toEqual(await actionNames(first, block));
  expect(await actionNames(first, block)).toHaveLength(6);
});

test('recovers from a fresh chain while it runs', async () => {
  await using setup = await setUp();
  await freshChain(setup, true);
});

test('recovers from a deep reorg while it is stopped', async () => {
  await using setup = await setUp();
  await deepReorg(setup, false);
});

test('recovers from a fresh chain while it is stopped', async () => {
  await using setup = await setUp();
  await freshChain(setup, false);
});

test('recovers from a deep reorg while it runs', async () => {
  await using setup = await setUp();
  await deepReorg(setup, true);
});

test('recovers from a chain that lost its last blocks while it was stopped', async () => {
  await using setup = await setUp();
  await lostBlocks(setup);
});

test.each([
  { source: 'a subscription', subscribed: true },
  { source: 'polling', subscribed: false },
])(
  'by $source: indexes the head at the start, and roll-backs without a next block',
  async ({ subscribed }) => {
    await using setup = await setUp(subscribed);
    const { client } = setup.chain;
    const block = await setup.add('first');
    const indexer = await setup.start();
    expect(await actionNames(indexer, block)).toEqual(['first']);

    const snapshot = await client.snapshot();
    await actionNames(indexer, await setup.add('taken back'));
    await client.revert({ id: snapshot });
    await untilNames(indexer, ['first']);

    await client.increaseTime({ seconds: 10 });
    await actionNames(indexer, await setup.add('second'));
    await client.mine({ blocks: 3 });
    await client.request({ method: 'anvil_reorg', params: [4, []] } as never);
    await untilNames(indexer, ['first']);
    expect(await actionNames(indexer, await setup.add('third'))).toEqual(['first', 'third']);
    expect(indexer.output()).not.toContain('starting again');
  },
);

test('restarts a killed part, or ends with it', async () => {
  await using setup = await setUp();
  const indexer = await setup.start();
  process.kill(ponderPid(indexer), 'SIGKILL');
  await until('the part is restarted', async () => indexer.output().includes('continuing'));
  await until('it is healthy', indexer.isHealthy);
  process.kill(indexer.pid, 'SIGKILL');
  await until('the port does not answer', () =>
    fetch(indexer.url).then(
      () => false,
      () => true,
    ),
  );
});

test('a standby takes over within seconds when the indexer is killed, again and again', async () => {
  await using setup = await setUp();
  let active = await setup.start();
  let standby = await setup.start({ isStandby: true });
  const names: string[] = [];
  for (const name of ['first', 'second']) {
    names.push(name);
    expect(await actionNames(active, await setup.add(name))).toEqual(names);
    expect(await standby.isHealthy()).toBe(false);
    await active.stop('SIGKILL');
    const killedAt = performance.now();
    names.push(`after the ${name} kill`);
    const block = await setup.add(`after the ${name} kill`);
    await until('the standby answers', () => actionNames(standby, block).then(() => true));
    expect(performance.now() - killedAt).toBeLessThan(5_000);
    expect(await actionNames(standby, block)).toEqual(names);
    expect(standby.output()).toContain('continuing');
    [active, standby] = [standby, await setup.start({ isStandby: true })];
  }
});

test('reports invalid settings immediately, without secrets', async () => {
  const settings = { RPC_URL: 'ftp://secret', PORT: '70000', CHAIN_ID: '31337', DEPLOYMENTS_DIR: '/nowhere' };
  const main = join(import.meta.dirname, '../src/main.ts');
  const { status, stdout } = spawnSync(process.execPath, [main], { env: settings, encoding: 'utf8' });
  expect(status).toBe(64);
  expect(stdout).toMatch(/RPC_URL.*PORT/s);
  expect(stdout).not.toContain('secret');
});

/** Returns the process id of Ponder, from its log lines. */
function ponderPid(indexer: Indexer): number {
  const lines = indexer.output().split('\n');
  const line = lines.findLast((text) => text.includes('indexing from the start')) ?? '{}';
  return JSON.parse(line).pid;
}
