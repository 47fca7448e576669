import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@latchkey/testing/until';
import { createPublicClient, ExecutionRevertedError, numberToHex } from 'viem';
import { foundry } from 'viem/chains';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { headOf } from './node-pool.ts';
import { type NodeFault, openNodes } from './nodes.ts';

const TIMEOUT_MS = 1_000;
/** Between the limit of a slow answer, half of the timeout, and the timeout. */
const SLOW_MS = 700;

/** A node whose answers the test chooses. */
async function serveNode() {
  const calls: string[] = [];
  const node = {
    url: '',
    calls,
    chainId: foundry.id,
    head: 100,
    /** Of other methods. */
    result: '0x1' as unknown,
    error: undefined as { code: number; message: string; data?: string } | undefined,
    status: 200,
    isSilent: false,
    delayMs: 0,
  };
  const server = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string };
    calls.push(method);
    if (node.isSilent) return;
    if (node.delayMs > 0) await delay(node.delayMs);
    const results: Record<string, unknown> = {
      eth_chainId: numberToHex(node.chainId),
      eth_blockNumber: numberToHex(node.head),
    };
    const isRefused = node.error && !(method in results);
    const outcome = isRefused ? { error: node.error } : { result: results[method] ?? node.result };
    response.writeHead(node.status);
    response.end(node.status === 200 ? JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) : 'unavailable');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-key`;
  return Object.assign(node, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
type Served = Awaited<ReturnType<typeof serveNode>>;

/** Moves the clock of this process by `laterMs`. */
const laterClock = () => {
  const clock = { laterMs: 0 };
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + clock.laterMs);
  return clock;
};

function open(served: Served[], seen = 100n) {
  const faults: NodeFault[] = [];
  const nodes = openNodes(
    served.map(({ url }) => url),
    {
      chain: foundry,
      onFault: (fault) => faults.push(fault),
      timeoutMs: TIMEOUT_MS,
      retryCount: 0,
      retryDelayMs: 1,
    },
  );
  nodes.saw(seen);
  const client = createPublicClient({ chain: foundry, transport: nodes.transport, cacheTime: 0 });
  return { nodes, client, faults, gas: () => client.getGasPrice() };
}

const gasCalls = ({ calls }: Served) => calls.filter((method) => method === 'eth_gasPrice').length;
const used = ({ nodes }: ReturnType<typeof open>) => nodes.status().find(({ isUsed }) => isUsed)?.node;
const RATE_LIMIT = { code: -32_005, message: 'limit exceeded' };
const REVERT = { code: 3, message: 'execution reverted', data: '0x1234' };

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a request', () => {
  test('goes to the first node while that answers', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    const { gas, faults } = open([a, b]);
    expect(await gas()).toBe(1n);
    expect(await gas()).toBe(1n);
    expect([a.calls, b.calls, faults]).toEqual([['eth_chainId', 'eth_gasPrice', 'eth_gasPrice'], [], []]);
  });

  test.each([
    ['is away', async (node: Served) => node[Symbol.asyncDispose]()],
    ['answers 503', (node: Served) => Object.assign(node, { status: 503 })],
    ['is silent', (node: Served) => Object.assign(node, { isSilent: true })],
    ['limits requests', (node: Served) => Object.assign(node, { error: RATE_LIMIT })],
  ])('goes to the next node when one %s, and stays there', async (_how, fail) => {
    await using a = await serveNode();
    await using b = await serveNode();
    const opened = open([a, b]);
    await opened.gas();
    await fail(a);
    expect(await opened.gas()).toBe(1n);
    expect(await opened.gas()).toBe(1n);
    expect([gasCalls(b), used(opened)]).toEqual([2, 2]);
    expect(opened.faults).toMatchObject([{ node: 1, host: new URL(a.url).host }]);
    expect(JSON.stringify([opened.faults, opened.nodes.status()])).not.toContain('a-key');
  });

  test('is answered by a slow node, which then rests', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    a.delayMs = SLOW_MS;
    b.result = '0x2';
    const opened = open([a, b]);
    expect(await opened.gas()).toBe(1n);
    expect(opened.faults).toMatchObject([{ node: 1, fault: 'the node answers slowly' }]);
    expect(await opened.gas()).toBe(2n);
  });

  test('that the node refuses is not sent to another one', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    a.error = REVERT;
    const { client, faults } = open([a, b]);
    const call = client.call({ to: `0x${'00'.repeat(20)}` });
    await expect(call).rejects.toMatchObject({ cause: expect.any(ExecutionRevertedError) });
    expect([b.calls, faults]).toEqual([[], []]);
  });

  test('waits for a node that is a block behind, and is not answered by one that stays behind or is of another chain', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    await using c = await serveNode();
    await using d = await serveNode();
    Object.assign(a, { status: 503 });
    Object.assign(b, { chainId: 1 });
    Object.assign(c, { head: 40 });
    Object.assign(d, { head: 99, result: '0x7' });
    const opened = open([a, b, c, d]);
    const answer = opened.gas();
    await until('the fourth node is asked', async () => d.calls.includes('eth_blockNumber'));
    d.head = 100;
    expect(await answer).toBe(7n);
    expect([gasCalls(b), gasCalls(c)]).toEqual([0, 0]);
    expect(opened.faults.map(({ fault }) => fault)).toEqual([
      expect.stringContaining('HttpRequestError'),
      'the node serves chain 1, not 31337',
      'the node is at block 40, behind block 100',
    ]);
  });

  test('fails when every node fails', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    Object.assign(a, { status: 503 });
    Object.assign(b, { status: 503 });
    await expect(open([a, b]).gas()).rejects.toThrow('503');
  });

  test('has one node only: nothing else is asked, and no fault is kept', async () => {
    await using a = await serveNode();
    const { nodes, gas } = open([a]);
    await gas();
    expect(await nodes.head()).toBe(100n);
    expect(await nodes.agreed((client) => client.getGasPrice(), String)).toBe(1n);
    expect(a.calls).toEqual(['eth_gasPrice', 'eth_blockNumber', 'eth_gasPrice']);
    a.status = 503;
    await expect(gas()).rejects.toThrow();
    expect(nodes.status()).toMatchObject([{ isUsed: true, fault: undefined }]);
  });
});

describe('the head', () => {
  test('of a node that fell far behind another one is not used', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    const opened = open([a, b]);
    expect(await opened.nodes.head()).toBe(100n);
    Object.assign(a, { head: 30 });
    Object.assign(b, { head: 101 });
    expect(await opened.nodes.head()).toBe(101n);
    expect([used(opened), opened.faults]).toMatchObject([
      2,
      [{ node: 1, fault: expect.stringContaining('its head fell') }],
    ]);
  });

  test('of a node that stands still while another one rises is not used after 30 seconds', async () => {
    const clock = laterClock();
    await using a = await serveNode();
    await using b = await serveNode();
    const opened = open([a, b]);
    await opened.nodes.head();
    b.head = 101;
    clock.laterMs = 29_000;
    await opened.nodes.head();
    expect(opened.faults).toEqual([]);
    clock.laterMs = 31_000;
    expect(await opened.nodes.head()).toBe(101n);
    expect(opened.faults).toMatchObject([{ node: 1, fault: 'its head stands still' }]);
  });

  test('of a node that is behind and rises is used', async () => {
    const clock = laterClock();
    await using a = await serveNode();
    await using b = await serveNode();
    const opened = open([a, b]);
    await opened.nodes.head();
    for (clock.laterMs = 31_000; clock.laterMs < 100_000; clock.laterMs += 31_000) {
      a.head++;
      b.head = a.head + 1;
      await opened.nodes.head();
    }
    expect(opened.faults).toEqual([]);
  });

  test('is not asked of a node that rests, and is unknown when all fail', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    const opened = open([a, b]);
    await opened.nodes.head();
    a.status = 503;
    await opened.nodes.head();
    const asked = a.calls.length;
    expect(await opened.nodes.head()).toBe(100n);
    expect(a.calls).toHaveLength(asked);
    b.status = 503;
    await expect(opened.nodes.head()).rejects.toThrow('503');
  });

  test('of the only node is known unless it falls by up to 64 blocks', async () => {
    await using a = await serveNode();
    const { nodes } = open([a]);
    for (const [head, known] of [
      [36, 100n],
      [35, 35n],
      [36, 36n],
    ] as const) {
      a.head = head;
      expect(await nodes.head()).toBe(BigInt(head));
      expect(nodes.known()).toBe(known);
    }
  });

  test.each(['a0x10', '0x10a ', '0x', '0x11111111111111111', 16, undefined])(
    'is not a number: %j',
    async (answer) => {
      const request = async () => answer;
      await expect(headOf({ host: 'a', request })).rejects.toThrow('malformed head');
    },
  );

  test('that fell on every node is the head', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    const opened = open([a, b]);
    await opened.nodes.head();
    Object.assign(a, { head: 30 });
    Object.assign(b, { head: 30 });
    expect(await opened.nodes.head()).toBe(30n);
    expect(used(opened)).toBe(1);
  });
});

describe('a head of the far future', () => {
  const FUTURE = 10 ** 15;

  test.each([
    ['one of three nodes', [FUTURE, 101, 101]],
    ['one of two nodes', [FUTURE, 101]],
    ['the last of three nodes', [101, 101, FUTURE]],
  ])('told by %s is not the head, and keeps no other node out when it fails', async (_who, heads) => {
    await using resources = new AsyncDisposableStack();
    const served: Served[] = [];
    for (const head of heads) {
      const node = resources.use(await serveNode());
      served.push(Object.assign(node, { head }));
    }
    const opened = open(served);
    expect(await opened.nodes.head()).toBe(101n);
    expect(opened.nodes.known()).toBe(101n);
    if (heads.length > 2)
      expect(opened.faults).toMatchObject([{ fault: expect.stringContaining('blocks ahead of that of') }]);
    for (const node of served) if (node.head === FUTURE) node.status = 503;
    expect(await opened.gas()).toBe(1n);
  });

  test('told by a node that was alone is forgotten when it has failed', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    Object.assign(a, { head: FUTURE });
    Object.assign(b, { status: 503 });
    const opened = open([a, b]);
    expect(await opened.nodes.head()).toBe(BigInt(FUTURE));
    Object.assign(a, { status: 503 });
    Object.assign(b, { status: 200, head: 101 });
    await expect(opened.gas()).rejects.toThrow();
    await expect.poll(() => opened.nodes.known()).toBe(101n);
    expect(await opened.gas()).toBe(1n);
  });

  test('is not believed of the only one of three nodes that answers', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    await using c = await serveNode();
    Object.assign(a, { head: FUTURE });
    Object.assign(b, { status: 503 });
    Object.assign(c, { status: 503 });
    await expect(open([a, b, c]).nodes.head()).rejects.toThrow('only one of 3 RPC nodes');
  });
});

describe('a transaction', () => {
  const TOO_LOW = { code: -32_000, message: 'nonce too low' };
  const send = ({ nodes }: ReturnType<typeof open>) =>
    nodes.sendInOrder([{ method: 'eth_sendRawTransaction', params: ['0x'] }]);
  const sends = ({ calls }: Served) => calls.filter((method) => method === 'eth_sendRawTransaction').length;

  test('is refused by the node that is asked first, and is not sent to another one', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    a.error = TOO_LOW;
    expect(await send(open([a, b]))).toMatchObject([{ details: 'nonce too low' }]);
    expect(sends(b)).toBe(0);
  });

  test.each([
    ['is silent', { isSilent: true }, 'TimeoutError'],
    ['answers 502', { status: 502 }, 'HttpRequestError'],
    ['limits requests', { error: RATE_LIMIT }, 'RpcRequestError'],
  ])(
    'that a node can have taken, which then %s, is not refused by the next one',
    async (_how, fault, name) => {
      await using a = await serveNode();
      await using b = await serveNode();
      const opened = open([a, b]);
      await opened.gas();
      Object.assign(a, fault);
      b.error = TOO_LOW;
      expect(await send(opened)).toMatchObject([{ name, details: expect.not.stringContaining('nonce') }]);
      expect([a, b].map(sends)).toEqual([1, 1]);
    },
  );

  test('is accepted by the next node, and has the error of the first one when all fail', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    a.status = 502;
    expect(await send(open([a, b]))).toEqual([undefined]);
    b.status = 503;
    expect(await send(open([a, b]))).toMatchObject([{ details: 'status 502' }]);
  });
});

describe('agreement', () => {
  const agree = ({ nodes }: ReturnType<typeof open>) =>
    nodes.agreed((client) => client.getGasPrice(), String);

  test('asks two nodes, and the third one only when they differ', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    await using c = await serveNode();
    const opened = open([a, b, c]);
    expect(await agree(opened)).toBe(1n);
    expect([a, b, c].map(gasCalls)).toEqual([1, 1, 0]);
    a.result = '0x9';
    expect(await agree(opened)).toBe(1n);
    expect([a, b, c].map(gasCalls)).toEqual([2, 2, 1]);
  });

  test('does not wait for a slow node, which rests', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    await using c = await serveNode();
    a.isSilent = true;
    const opened = open([a, b, c]);
    const startMs = performance.now();
    expect(await agree(opened)).toBe(1n);
    expect(performance.now() - startMs).toBeLessThan(TIMEOUT_MS);
    expect(opened.faults).toMatchObject([{ node: 1, fault: 'the node answers slowly' }]);
  });

  test('is not there when one of three nodes answers, nor with a node of another chain', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    await using c = await serveNode();
    Object.assign(b, { status: 503 });
    Object.assign(c, { chainId: 1 });
    await expect(agree(open([a, b, c]))).rejects.toThrow('only RPC node 1 of 3 answers');
    expect(gasCalls(c)).toBe(0);
  });

  test('is awaited while a node is a block behind', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    b.result = '0x2';
    const answer = open([a, b]).nodes.agreed((client) => client.getGasPrice(), String, 3_000);
    await until('the nodes are asked again', async () => gasCalls(b) > 1);
    b.result = '0x1';
    expect(await answer).toBe(1n);
  });

  test('is that of two nodes, and the third one, which lies, is named', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    await using c = await serveNode();
    a.result = '0x9';
    const opened = open([a, b, c]);
    for (let i = 0; i < 10 && opened.faults.length === 0; i++) expect(await agree(opened)).toBe(1n);
    expect(opened.faults).toMatchObject([{ node: 1, fault: expect.stringContaining('two other nodes') }]);
  });

  test('is the answer of the only node that answers', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    a.status = 503;
    expect(await agree(open([a, b]))).toBe(1n);
  });

  test('does not wait again for a node that was silent', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    a.isSilent = true;
    const opened = open([a, b]);
    expect(await agree(opened)).toBe(1n);
    expect(await agree(opened)).toBe(1n);
    expect([a.calls.length, gasCalls(b)]).toEqual([1, 2]);
  });

  test('is not there when two nodes contradict each other', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    b.result = '0x2';
    const opened = open([a, b]);
    await expect(agree(opened)).rejects.toThrow('RPC nodes contradict each other: ');
    expect(opened.faults).toEqual([]);
  });

  test('of two refusals is the refusal', async () => {
    await using a = await serveNode();
    await using b = await serveNode();
    await using c = await serveNode();
    Object.assign(b, { error: REVERT });
    Object.assign(c, { error: REVERT });
    const call = open([a, b, c]).nodes.agreed(
      (client) => client.call({ to: `0x${'00'.repeat(20)}` }),
      String,
    );
    await expect(call).rejects.toMatchObject({ cause: expect.any(ExecutionRevertedError) });
  });
});
