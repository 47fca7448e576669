import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { signTransaction } from '@latchkey/service/secp256k1';
import { type Chain as Anvil, DEPLOYER_KEY, startChain } from '@latchkey/testing/chain';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import { freePort, until } from '@latchkey/testing/until';
import { hexToBytes, type Log, numberToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { connectChain, readAccount } from './chain.ts';
import { ChainUnavailableError } from './errors.ts';

const EMITTER = '0x00000000000000000000000000000000000000aa';
const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Emits a log of EMITTER, whose code is PUSH1 1, PUSH1 0, PUSH1 0, LOG1. */
async function emit({ client }: Anvil): Promise<void> {
  await client.setCode({ address: EMITTER, bytecode: '0x600160006000a1' });
  await client.sendTransaction({ account: SENDER, to: EMITTER, chain: null, gas: 100_000n });
}

const connect = ({ url, wsUrl }: Anvil, isPushed: boolean) =>
  connectChain({
    chainId: 31_337,
    name: 'test',
    token: 'ETH',
    rpcUrls: [url],
    privateRpcUrl: undefined,
    wsUrls: isPushed ? [wsUrl] : [],
    pollingIntervalMs: 50,
  });

describe.each([
  ['pushed', true],
  ['polled', false],
] as const)('logs, %s', (_how, isPushed) => {
  test('resumes after an outage of the node, and tells when logs can be missing and when no longer', async () => {
    const port = await freePort();
    const before = await startChain(port);
    const chain = connect(before, isPushed);
    const seen = { logs: 0, errors: 0, resumed: 0 };
    expect(chain.isPushing()).toBe(false);
    chain.watch(EMITTER, {
      onLogs: (logs) => {
        seen.logs += logs.length;
      },
      onError: () => {
        seen.errors++;
      },
      onResumed: () => {
        seen.resumed++;
      },
    });
    try {
      await until('log received', async () => {
        await emit(before);
        return seen.logs > 0;
      });
      expect(seen).toMatchObject({ errors: 0, resumed: 0 });
      expect(chain.isPushing()).toBe(isPushed);
      expect(chain.head()).toBeGreaterThan(0n);
      await before[Symbol.asyncDispose]();
      await until('outage reported', async () => seen.errors > 0);
      expect(chain.isPushing()).toBe(false);
      await using after = await startChain(port);
      const { resumed, logs } = seen;
      await until('resumption reported', async () => seen.resumed > resumed);
      await emit(after);
      await until('new log received', async () => seen.logs > logs);
    } finally {
      await chain.close();
      await before[Symbol.asyncDispose]();
    }
  });
});

test('waits for a block that arrives, and rejects for one far ahead', async () => {
  await using anvil = await startChain();
  const chain = connect(anvil, false);
  const reached = chain.reach(3n);
  await anvil.client.mine({ blocks: 3 });
  await reached;
  expect(chain.head()).toBe(3n);
  await expect(chain.reach(10n ** 6n)).rejects.toThrow(ChainUnavailableError);
});

test('a pushed log of a block of the far future is not believed while nodes do not have the block', async () => {
  await using anvil = await startChain();
  const wsPort = await freePort();
  const server = new WebSocketServer({ host: '127.0.0.1', port: wsPort });
  const log = {
    address: EMITTER,
    topics: [],
    data: '0x',
    blockNumber: '0xffffffff',
    logIndex: '0x0',
    ...{
      blockHash: `0x${'ab'.repeat(32)}`,
      transactionHash: `0x${'cd'.repeat(32)}`,
      transactionIndex: '0x0',
    },
  };
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const params = { subscription: '0x1', result: log };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(String(data)).id, result: '0x1' }));
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    }),
  );
  const chain = connectChain({
    chainId: 31_337,
    name: 'test',
    token: 'ETH',
    rpcUrls: [anvil.url, anvil.url],
    ...{ privateRpcUrl: undefined, wsUrls: [`ws://127.0.0.1:${wsPort}`], pollingIntervalMs: 50 },
  });
  try {
    let logs = 0;
    const onLogs = () => {
      logs++;
    };
    chain.watch(EMITTER, { onLogs, onError: () => {}, onResumed: () => {} });
    await anvil.client.mine({ blocks: 2 });
    await until('log received', async () => logs > 0);
    // A log only causes a look.
    await until('head read', async () => chain.head() === 2n);
  } finally {
    await chain.close();
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});

describe('transactions in order', () => {
  /** Transfers with the nonces, signed by the first account of anvil. */
  const transfersOf = (nonces: number[], gas = 100_000n) =>
    nonces.map((nonce) =>
      signTransaction(
        {
          type: 'eip1559',
          chainId: 31_337,
          nonce,
          to: EMITTER,
          gas,
          maxFeePerGas: 10_000_000_000n,
          maxPriorityFeePerGas: 1n,
        },
        hexToBytes(DEPLOYER_KEY),
      ),
    );

  test.each([
    ['takes batches', true],
    ['takes one call per request', false],
  ])('are accepted, and each refusal is told, by a node that %s', async (_what, takesBatches) => {
    await using anvil = await startChain();
    await using node = await rpcProxy(anvil.url);
    node.takesBatches = takesBatches;
    const chain = connect({ ...anvil, url: node.url }, false);
    const withoutGas = transfersOf([2], 1n);
    const transfers = [...transfersOf([0, 1]), ...withoutGas, ...transfersOf([2])];
    const errors = await chain.sendRawTransactions(transfers);
    expect(errors.map((error) => error === undefined)).toEqual([true, true, false, true]);
    await until(
      'all are mined',
      async () => (await chain.client.getTransactionCount({ address: SENDER })) === 3,
    );
    await chain.close();
  });

  test('are sent to another node when one is away', async () => {
    await using anvil = await startChain();
    const chain = connectChain({
      chainId: 31_337,
      name: 'test',
      token: 'ETH',
      rpcUrls: [`http://127.0.0.1:${await freePort()}`, anvil.url],
      privateRpcUrl: undefined,
      wsUrls: [],
      pollingIntervalMs: 50,
    });
    expect(await chain.sendRawTransactions(transfersOf([0, 1]))).toEqual([undefined, undefined]);
    await until(
      'both are mined',
      async () => (await chain.client.getTransactionCount({ address: SENDER })) === 2,
    );
    await chain.close();
  });

  test('are not a batch when there is one', async () => {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      bodies.push(await text(request));
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'ab'.repeat(32)}` }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const chain = connect({ url: `http://127.0.0.1:${port}`, wsUrl: '' } as Anvil, false);
    const [raw = '0x'] = transfersOf([0]);
    expect(await chain.sendRawTransactions([raw])).toEqual([undefined]);
    expect(bodies.map((body) => JSON.parse(body))).toMatchObject([
      { method: 'eth_sendRawTransaction', params: [raw] },
    ]);
    await chain.close();
    server.closeAllConnections();
    server.close();
  });

  test('are tried once when the node is away', async () => {
    const chain = connect({ url: `http://127.0.0.1:${await freePort()}`, wsUrl: '' } as Anvil, false);
    const errors = await chain.sendRawTransactions(transfersOf([0, 1]));
    expect(errors.map((error) => (error as Error).name)).toEqual(['HttpRequestError', 'HttpRequestError']);
    await chain.close();
  });
});

test('a silent node is left after four seconds when there is another one', async () => {
  await using anvil = await startChain();
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const chain = connectChain({
    chainId: 31_337,
    name: 'test',
    token: 'ETH',
    rpcUrls: [`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, anvil.url],
    privateRpcUrl: undefined,
    wsUrls: [],
    pollingIntervalMs: 50,
  });
  const startMs = performance.now();
  expect(await chain.client.getChainId()).toBe(31_337);
  expect(performance.now() - startMs).toBeLessThan(9_000);
  await chain.close();
  silent.closeAllConnections();
  silent.close();
});

test('the account of a log is its first indexed argument', () => {
  const topics = ['0xaa', numberToHex(7n, { size: 32 })];
  expect(readAccount({ topics } as unknown as Log)).toBe(7n);
  expect(readAccount({ topics: ['0xaa'] } as unknown as Log)).toBeUndefined();
});
