import { type Chain, deploy, startChain } from '@latchkey/testing/chain';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { type Indexer, startIndexer } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { type Address, keccak256, numberToHex, stringToHex } from 'viem';
import { expect } from 'vitest';
import { createWriter, type Writer } from './writes.ts';

const hashText = (text: string) => BigInt(keccak256(stringToHex(text)));
const MASTER = hashText('account');

/** Depth at which Ponder considers blocks final. */
export const FINAL_DEPTH = 30;

export async function actionNames(indexer: Indexer, minBlock = 0n): Promise<string[]> {
  const path = `/accounts/${numberToHex(MASTER, { size: 32 })}/actions?min_block=${minBlock}`;
  const response = await fetch(indexer.url + path);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { name: string }[]).map(({ name }) => name);
}

export const untilNames = (indexer: Indexer, names: string[], timeoutMs?: number) =>
  until(
    `the actions are ${names}`,
    async () => JSON.stringify(await actionNames(indexer)) === JSON.stringify(names),
    timeoutMs,
  );

/** Starts a chain with the diamond and an account; `settings` point an indexer to it. */
export async function setUp(subscribed = true) {
  const cleanUp = new AsyncDisposableStack();
  const directory = cleanUp.use(temporaryDirectory()).path;
  let chain: Chain = cleanUp.use(await startChain());
  const payer = (await chain.client.getAddresses())[0] as Address;
  const settings: Record<string, string> = {
    RPC_URL: chain.url,
    ...(subscribed ? { WS_RPC_URL: chain.wsUrl } : {}),
    DEPLOYMENTS_DIR: directory,
    DATABASE_URL: cleanUp.use(await createTestDatabase()).url,
  };
  let writer: Writer;
  const add = (name: string) => writer.write(payer, 'addAction', [MASTER, name, '', hashText(name)]);
  async function open() {
    writer = createWriter(chain, await deploy(chain, directory, [payer]));
    await writer.write(payer, 'newAccount', [MASTER, true, '', '', payer]);
  }
  await open();
  return {
    settings,
    add,
    get chain() {
      return chain;
    },
    start: async (options?: Parameters<typeof startIndexer>[1]) =>
      cleanUp.use(await startIndexer(settings, options)),
    /** Starts another chain at the same URL, with the diamond at the same address. */
    async replaceChain() {
      await chain[Symbol.asyncDispose]();
      chain = cleanUp.use(await startChain(chain.port));
      await open();
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

type Setup = Awaited<ReturnType<typeof setUp>>;

/** Tests that a restart continues, after a clean stop and after kill -9. */
export async function restarts(setup: Setup): Promise<void> {
  const first = await setup.start();
  expect(first.output()).toContain('indexing from the start');
  expect(await actionNames(first, await setup.add('before'))).toEqual(['before']);
  await first.stop('SIGINT');
  await setup.add('while stopped');

  const second = await setup.start();
  expect(second.output()).toContain('continuing');
  expect(await actionNames(second)).toEqual(['before', 'while stopped']);
  // Ponder resumes from its final block, so one must be above the start.
  await setup.chain.client.mine({ blocks: 3 * FINAL_DEPTH });
  expect(await actionNames(second, await setup.add('after'))).toEqual(['before', 'while stopped', 'after']);
  await second.stop('SIGKILL');
  await setup.add('after the kill');

  const third = await setup.start();
  expect(third.output()).toContain('continuing');
  expect(await actionNames(third)).toEqual(['before', 'while stopped', 'after', 'after the kill']);
}

/** Runs `change` on the chain while the indexer runs or is stopped. Resolves to the indexer after it. */
async function meanwhile(setup: Setup, indexer: Indexer, isRunning: boolean, change: () => Promise<void>) {
  if (isRunning) {
    await change();
    return indexer;
  }
  await indexer.stop();
  await change();
  return setup.start();
}

/** Tests a fresh chain with the kept database: the tables must show the fresh chain. */
export async function freshChain(setup: Setup, isRunning: boolean): Promise<void> {
  const first = await setup.start();
  await setup.chain.client.mine({ blocks: 2 * FINAL_DEPTH + 5 });
  await actionNames(first, await setup.add('of the first chain'));
  const second = await meanwhile(setup, first, isRunning, async () => {
    await setup.replaceChain();
    await setup.add('of the second chain');
  });
  await untilNames(second, ['of the second chain']);
  expect(await actionNames(second, await setup.add('more'))).toEqual(['of the second chain', 'more']);
}

/** Starts an indexer with two actions in final blocks. Resolves with a snapshot of the chain before the second. */
async function keptAndLost({ start, add, chain: { client } }: Setup) {
  const first = await start();
  await add('kept');
  const snapshot = await client.snapshot();
  await add('lost');
  await client.mine({ blocks: 3 * FINAL_DEPTH });
  expect(await actionNames(first, await client.getBlockNumber())).toEqual(['kept', 'lost']);
  return { first, snapshot };
}

/** Tests a reorg deeper than Ponder can follow: the tables must show the new chain. */
export async function deepReorg(setup: Setup, isRunning: boolean): Promise<void> {
  const { client } = setup.chain;
  const { first, snapshot } = await keptAndLost(setup);
  const second = await meanwhile(setup, first, isRunning, async () => {
    await client.revert({ id: snapshot });
    await client.increaseTime({ seconds: 10 });
    // The chain is longer than before: only the hashes differ.
    await client.mine({ blocks: 4 * FINAL_DEPTH });
    await setup.add('instead');
  });
  await untilNames(second, ['kept', 'instead']);
  expect(second.output().split('indexing from the start')).toHaveLength(isRunning ? 3 : 2);
  expect(await actionNames(second, await setup.add('more'))).toEqual(['kept', 'instead', 'more']);
}

/** Tests a chain that lost its last blocks while the indexer was stopped, as after a late crash of the node. */
export async function lostBlocks(setup: Setup): Promise<void> {
  const { client } = setup.chain;
  const { first, snapshot } = await keptAndLost(setup);
  await first.stop('SIGKILL');
  await client.revert({ id: snapshot });
  const second = await setup.start();
  expect(second.output()).toContain('indexing from the start');
  expect(await actionNames(second)).toEqual(['kept']);
}
