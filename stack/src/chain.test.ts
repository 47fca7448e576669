import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bytesToHex, type Hex, parseEther, walletActions, zeroAddress } from 'viem';
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
    if (Date.now() > deadline) throw new Error('the condition was not met in time');
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

test('a killed node restarts with the blocks after a nonce that an authorization raised', async () => {
  const { start, file } = await openChain();
  const chain = await start();
  const wallet = chain.client.extend(walletActions);
  const authorization = await wallet.signAuthorization({
    account: owner,
    contractAddress: zeroAddress,
    executor: 'self',
  });
  const hash = await wallet.sendTransaction({
    account: owner,
    chain: null,
    to: owner.address,
    authorizationList: [authorization],
  });
  await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  expect(await chain.client.getTransactionCount({ address: owner.address })).toBe(2);
  await until(async () => (await readFile(file, 'utf8').catch(() => '')).includes(hash));
  process.kill(chain.part.pid, 'SIGKILL');
  await chain.part.exited;
  await chain.stop();
  const again = await start();
  expect(await again.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  await again.stop();
});

/** A chain that makes a block per check until `quiet` is called. Its dumps contain `state`. */
async function fakeChain(state: object) {
  const directory = await temporaryDataDir();
  const stopping = new AbortController();
  let isQuiet = false;
  let block = 0n;
  const counts = { looks: 0, dumps: 0 };
  const dump = bytesToHex(gzipSync(JSON.stringify(state)));
  const client = {
    getBlockNumber: async () => {
      counts.looks++;
      return isQuiet ? block : ++block;
    },
    dumpState: async () => {
      counts.dumps++;
      return dump;
    },
  };
  const file = join(directory, 'state.json');
  const snapshots = keepSnapshots(client, file, stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await snapshots;
    await rm(directory, { recursive: true, force: true });
  });
  const looksLater = async (count: number) => {
    const looked = counts.looks;
    await until(async () => counts.looks > looked + count);
  };
  return {
    counts,
    looksLater,
    quiet: () => {
      isQuiet = true;
    },
    isWritten: () => existsSync(file),
  };
}

test('a chain is written when it is quiet, and not between its blocks', async () => {
  const { counts, looksLater, quiet } = await fakeChain({ accounts: {}, transactions: [], blocks: [] });
  await looksLater(4);
  expect(counts.dumps).toBe(1);
  quiet();
  await until(async () => counts.dumps === 2);
  await looksLater(2);
  expect(counts.dumps).toBe(2);
});

test('a state that may be ahead of its blocks is dumped once, and written when no block follows', async () => {
  const { counts, looksLater, quiet, isWritten } = await fakeChain({
    accounts: { '0xa': { nonce: 2 } },
    transactions: [{ info: { from: '0xa' } }],
    blocks: [],
  });
  await looksLater(4);
  expect(counts.dumps).toBe(1);
  expect(isWritten()).toBe(false);
  quiet();
  await until(async () => isWritten());
  await looksLater(2);
  expect(counts.dumps).toBe(2);
});
