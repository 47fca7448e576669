import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bytesToHex, type Hex, parseEther, walletActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { devAccount } from './accounts.ts';
import { type Chain, keepSnapshots, startChain } from './chain.ts';
import { openParts } from './parts.ts';
import { choosePorts } from './ports.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

const owner = privateKeyToAccount(devAccount(0).privateKey);
/** Its constructor emits one log without topics. */
const LOGGER = '0x60006000a060006000f3';

async function openChain() {
  const directory = await temporaryDataDir();
  const parts = await openParts(directory, () => {});
  onTestFinished(async () => {
    await parts[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  return {
    file: join(directory, 'state.json'),
    async start(): Promise<Chain> {
      const { chain: port } = await choosePorts({ chain: 0 });
      const chain = await startChain(parts, { directory, port, env: {}, isTemporary: false });
      await until(async () => (await chain.client.getBlockNumber().catch(() => undefined)) !== undefined);
      return chain;
    },
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
    await delay(20);
  }
}

async function sendLog({ client }: Chain): Promise<Hex> {
  const hash = await client
    .extend(walletActions)
    .sendTransaction({ account: owner, chain: null, data: LOGGER });
  await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  return hash;
}

async function readBlocks({ client }: Chain) {
  const head = await client.getBlockNumber();
  return Promise.all(
    Array.from({ length: Number(head) + 1 }, (_, number) => client.getBlock({ blockNumber: BigInt(number) })),
  );
}

test('blocks, logs, receipts, nonces and balances are the same after every restart', async () => {
  const { start } = await openChain();
  let chain = await start();
  const hashes = [await sendLog(chain)];
  const genesis = await chain.client.getBlock({ blockNumber: 0n });
  for (let restart = 0; restart < 5; restart++) {
    const before = await readBlocks(chain);
    await chain.stop();
    chain = await start();
    const blocks = await readBlocks(chain);
    expect(blocks.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(blocks[0]?.hash).toBe(genesis.hash);
    for (const [index, { parentHash }] of blocks.entries()) {
      if (index > 0) expect(parentHash).toBe(blocks[index - 1]?.hash);
    }
    const logs = await chain.client.getLogs({ fromBlock: 0n });
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual(hashes);
    for (const hash of hashes) {
      expect(await chain.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    }
    expect(await chain.client.getTransactionCount({ address: owner.address })).toBe(hashes.length);
    expect(await chain.client.getBalance({ address: owner.address })).toBeLessThan(parseEther('10000'));
    hashes.push(await sendLog(chain));
  }
  await chain.stop();
});

test('a killed node restarts with recent blocks', async () => {
  const { start, file } = await openChain();
  const chain = await start();
  const hash = await sendLog(chain);
  await until(async () => (await readFile(file, 'utf8').catch(() => '')).includes(hash));
  process.kill(chain.part.pid, 'SIGKILL');
  expect(await chain.part.exited).toBe('signal SIGKILL');
  await chain.stop();
  const again = await start();
  expect(await again.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  expect(await again.client.getLogs({ fromBlock: 0n })).toHaveLength(1);
  await again.stop();
});

test('a chain is written when it is quiet, and not between its blocks', async () => {
  const directory = await temporaryDataDir();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const stopping = new AbortController();
  let isQuiet = false;
  let block = 0n;
  let looks = 0;
  let dumps = 0;
  const dump = bytesToHex(gzipSync('{"accounts":{},"transactions":[],"blocks":[]}'));
  const client = {
    getBlockNumber: async () => {
      looks++;
      return isQuiet ? block : ++block;
    },
    dumpState: async () => {
      dumps++;
      return dump;
    },
  };
  const snapshots = keepSnapshots(client, join(directory, 'state.json'), stopping.signal);
  await until(async () => looks > 4);
  expect(dumps).toBe(1);
  isQuiet = true;
  await until(async () => dumps === 2);
  const looked = looks;
  await until(async () => looks > looked + 2);
  expect(dumps).toBe(2);
  stopping.abort();
  await snapshots;
});
