import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { BaseError, createPublicClient } from 'viem';
import { describe, expect, test } from 'vitest';
import { openJsonRpc } from './json-rpc.ts';

/** Serves requests on a free loopback port. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const open = (url: string, retryCount = 0, timeoutMs = 2_000) =>
  openJsonRpc(url, { timeoutMs, retryCount, retryDelayMs: 1 });
const clientOf = (...options: Parameters<typeof open>) =>
  createPublicClient({ transport: open(...options).transport, cacheTime: 0 });

/** Returns the error that viem's callers see, and its cause. */
async function failureOf(call: Promise<unknown>): Promise<string[]> {
  const error = await call.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown as BaseError,
  );
  return [error, error.walk()].map((each) => (each as Error).name);
}

test('sends a request of JSON-RPC and returns its result', async () => {
  const seen: unknown[] = [];
  await using node = await serve(async (request, response) => {
    seen.push([request.method, request.headers['content-type'], JSON.parse(await text(request))]);
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x10"}');
  });
  expect(await clientOf(`http://127.0.0.1:${node.port}`).getBlockNumber()).toBe(16n);
  const body = { jsonrpc: '2.0', id: expect.any(Number), method: 'eth_blockNumber' };
  expect(seen).toEqual([['POST', 'application/json', body]]);
});

test('sends user and password of the URL as a header, and has them in no error', async () => {
  let authorization: string | undefined;
  await using node = await serve((request, response) => {
    authorization = request.headers.authorization;
    response.writeHead(401).end();
  });
  const call = clientOf(`http://us%3Aer:pass%20word@127.0.0.1:${node.port}/path`).getBlockNumber();
  await expect(call).rejects.toThrow(expect.not.stringMatching(/pass/));
  expect(authorization).toBe(`Basic ${Buffer.from('us:er:pass word').toString('base64')}`);
});

test.each([
  ['user:', 'user:'],
  ['user', 'user:'],
  [':secret', ':secret'],
])('sends "%s" of the URL as "%s"', async (ofUrl, sent) => {
  let authorization: string | undefined;
  await using node = await serve((request, response) => {
    authorization = request.headers.authorization;
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });
  await clientOf(`http://${ofUrl}@127.0.0.1:${node.port}`).getBlockNumber();
  expect(authorization).toBe(`Basic ${Buffer.from(sent).toString('base64')}`);
});

const REVERT = { code: 3, message: 'execution reverted', data: '0x1234' };
describe('an error of the node keeps code and data', () => {
  test.each([200, 500])('with status %i', async (status) => {
    await using node = await serve((_request, response) => {
      response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: REVERT }));
    });
    const error = await clientOf(`http://127.0.0.1:${node.port}`)
      .getBlockNumber()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BaseError);
    expect((error as BaseError).walk()).toMatchObject(REVERT);
  });
});

describe('a response that is not JSON-RPC', () => {
  test.each([
    ['text', 200, 'no JSON'],
    ['JSON that is not an object', 200, '1'],
    ['nothing', 200, ''],
    ['a refusal', 403, '{}'],
    ['a refusal with an error of another form', 429, '{"error":"too many requests"}'],
    ['larger than 10 MiB', 200, ' '.repeat(10 * 1024 * 1024 + 1)],
  ])('is an error: %s', async (_what, status, body) => {
    await using node = await serve((_request, response) => void response.writeHead(status).end(body));
    const call = clientOf(`http://127.0.0.1:${node.port}`).getBlockNumber();
    expect(await failureOf(call)).toContain('HttpRequestError');
  });
});

test('a node that does not answer in time is a timeout, also within its response', async () => {
  await using silent = await serve(() => {});
  await using slow = await serve((_request, response) => void response.write('{"jsonrpc"'));
  for (const { port } of [silent, slow])
    expect(await failureOf(clientOf(`http://127.0.0.1:${port}`, 0, 100).getBlockNumber())).toContain(
      'TimeoutError',
    );
});

test('a node that is away is an error, and a call is retried as often as told', async () => {
  let calls = 0;
  let port = 0;
  {
    await using node = await serve((request, response) => {
      calls++;
      if (calls === 1) request.destroy();
      else response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    });
    port = node.port;
    expect(await clientOf(`http://127.0.0.1:${port}`, 1).getBlockNumber()).toBe(1n);
    expect(calls).toBe(2);
    calls = 0;
    await expect(clientOf(`http://127.0.0.1:${port}`).getBlockNumber()).rejects.toThrow();
    expect(calls).toBe(1);
  }
  expect(await failureOf(clientOf(`http://127.0.0.1:${port}`).getBlockNumber())).toContain(
    'HttpRequestError',
  );
});

describe('calls in order', () => {
  const calls = ['a', 'b', 'c'].map((method) => ({ method }));
  type Call = { id: number; method: string };
  const answering = (answer: (calls: Call[]) => unknown) =>
    serve(async (request, response) => {
      response.end(JSON.stringify(answer(JSON.parse(await text(request)) as Call[])));
    });

  test('are one request, and each has its own error, whatever the order of the replies', async () => {
    const seen: string[][] = [];
    await using node = await answering((sent) => {
      seen.push(sent.map(({ method }) => method));
      const reply = ({ id, method }: Call) =>
        method === 'b' ? { id, error: { code: -32_000, message: 'nonce too low' } } : { id, result: '0x' };
      return sent.map(reply).reverse();
    });
    const errors = await open(`http://127.0.0.1:${node.port}`).sendInOrder(calls);
    expect(errors.map((error) => error?.message.split('\n')[0])).toEqual([
      undefined,
      'RPC Request failed.',
      undefined,
    ]);
    expect(errors[1]).toMatchObject({ code: -32_000, details: 'nonce too low' });
    expect(seen).toEqual([['a', 'b', 'c']]);
  });

  test('have an error without a reply', async () => {
    await using node = await answering(([first]) => [{ id: first?.id, result: '0x' }]);
    const errors = await open(`http://127.0.0.1:${node.port}`).sendInOrder(calls);
    expect(errors.map((error) => error instanceof Error)).toEqual([false, true, true]);
  });

  test('are sent one after another to a node that takes one call per request', async () => {
    await using node = await answering((sent) =>
      Array.isArray(sent) ? { error: { code: -32_600, message: 'no batches' } } : { id: 1, result: '0x' },
    );
    expect(await open(`http://127.0.0.1:${node.port}`).sendInOrder(calls)).toEqual(
      calls.map(() => undefined),
    );
  });

  test.each([1, 3])('are sent once, and are not refused, when the reply to %i is lost', async (count) => {
    let requests = 0;
    await using node = await serve((request) => {
      requests++;
      request.destroy();
    });
    const errors = await open(`http://127.0.0.1:${node.port}`, 1).sendInOrder(calls.slice(0, count));
    expect(errors).toMatchObject(Array.from({ length: count }, () => ({ name: 'HttpRequestError' })));
    expect(requests).toBe(1);
  });

  test('are not refused by a node that took them before a gateway lost its reply', async () => {
    await using node = await serve(async (request, response) => {
      const isBatch = Array.isArray(JSON.parse(await text(request)));
      const refusal = { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: 'nonce too low' } };
      response.writeHead(isBatch ? 504 : 200).end(isBatch ? 'timeout' : JSON.stringify(refusal));
    });
    const errors = await open(`http://127.0.0.1:${node.port}`).sendInOrder(calls);
    expect(errors).toMatchObject(calls.map(() => ({ details: 'status 504' })));
  });
});

describe('calls in batches', () => {
  type Call = { id: number; method: string };
  const client = (port: number) => {
    const { transport } = openJsonRpc(`http://127.0.0.1:${port}`, {
      timeoutMs: 2_000,
      retryCount: 0,
      retryDelayMs: 1,
      isBatching: true,
    });
    return createPublicClient({ transport, cacheTime: 0 });
  };
  const results = { eth_blockNumber: '0x10', eth_gasPrice: '0x20', eth_chainId: '0x1' };

  test('are one request per turn of the event loop; a single call is sent alone', async () => {
    const seen: unknown[] = [];
    await using node = await serve(async (request, response) => {
      const sent = JSON.parse(await text(request)) as Call | Call[];
      const answer = ({ id, method }: Call) => ({ id, result: results[method as keyof typeof results] });
      seen.push(Array.isArray(sent) ? sent.map(({ method }) => method) : sent.method);
      response.end(JSON.stringify(Array.isArray(sent) ? sent.map(answer).reverse() : answer(sent)));
    });
    const { getBlockNumber, getGasPrice, getChainId } = client(node.port);
    expect(await Promise.all([getBlockNumber(), getGasPrice(), getChainId()])).toEqual([16n, 32n, 1]);
    expect(await getGasPrice()).toBe(32n);
    expect(seen).toEqual([['eth_blockNumber', 'eth_gasPrice', 'eth_chainId'], 'eth_gasPrice']);
  });

  test('fail each for itself, and together without an answer', async () => {
    let isDown = false;
    await using node = await serve(async (request, response) => {
      if (isDown) return void response.writeHead(503).end();
      const answer = ({ id, method }: Call) =>
        method === 'eth_gasPrice' ? { id, error: REVERT } : { id, result: '0x10' };
      response.end(JSON.stringify((JSON.parse(await text(request)) as Call[]).map(answer)));
    });
    const { getBlockNumber, getGasPrice } = client(node.port);
    const ask = () => Promise.allSettled([getBlockNumber(), getGasPrice()]);
    expect(await ask()).toMatchObject([{ value: 16n }, { status: 'rejected' }]);
    isDown = true;
    expect(await ask()).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });
});
