import { createActivity } from '@latchkey/service/turns';
import { HttpRequestError, RpcRequestError } from 'viem';
import { describe, expect, test } from 'vitest';
import { createNodeCalls } from './node-calls.ts';

const body = { method: 'eth_call' };

/** Calls nodes of chain 7 that answer with `request`. */
function nodeCalls(request: (call: { method: string; params: unknown[] }) => unknown = () => '0x1') {
  const asked: unknown[] = [];
  const client = {
    request: async (call: never) => {
      asked.push(call);
      return request(call);
    },
  };
  const call = createNodeCalls({
    activity: createActivity(),
    clientOf: (id) => (id === 7 ? (client as never) : undefined),
  });
  const ask = (method: string, params: unknown = [], chainId = 7) =>
    call(1n, { chainId, method, params: typeof params === 'string' ? params : JSON.stringify(params) });
  return { ask, asked };
}

test('returns the result of the node', async () => {
  const { ask, asked } = nodeCalls(() => ({ number: '0x1' }));
  expect(await ask('eth_getBlockByNumber', ['latest', false])).toBe('{"result":{"number":"0x1"}}');
  expect(asked).toEqual([{ method: 'eth_getBlockByNumber', params: ['latest', false] }]);
});

test('returns the error of the node with its data', async () => {
  const error = { code: 3, message: 'execution reverted', data: '0x1234' };
  const { ask } = nodeCalls(() => {
    throw new Error('wrapped', { cause: new RpcRequestError({ body, error, url: 'http://secret' }) });
  });
  expect(JSON.parse(await ask('eth_call', [{}]))).toEqual({ error });
});

test('names no URL when the node does not answer', async () => {
  const { ask } = nodeCalls(() => {
    throw new HttpRequestError({ body, url: 'http://secret', details: 'http://secret' });
  });
  await expect(ask('eth_blockNumber')).rejects.toMatchObject({
    name: 'RpcError',
    message: 'the node of the chain 7 does not answer',
  });
});

describe('refuses', () => {
  const block = (number: number) => `0x${number.toString(16)}`;
  test.each<[string, unknown, RegExp]>([
    ['eth_sendRawTransaction', ['0x'], /does not call eth_sendRawTransaction/],
    ['eth_sendTransaction', [{}], /does not call/],
    ['anvil_setBalance', [], /does not call/],
    ['debug_traceTransaction', [], /does not call/],
    ['constructor', [], /does not call/],
    ['__proto__', [], /does not call/],
    ['eth_blockNumber', '{}', /not a JSON array/],
    ['eth_blockNumber', '[', /not a JSON array/],
    ['eth_getLogs', [{ fromBlock: block(1), toBlock: block(1_001) }], /at most 1000 blocks/],
    ['eth_getLogs', [{ fromBlock: block(1) }], /at most 1000 blocks/],
    ['eth_getLogs', [{ fromBlock: block(1), toBlock: 'latest' }], /at most 1000 blocks/],
    ['eth_getLogs', [{ blockHash: null, fromBlock: block(1), toBlock: 'latest' }], /at most 1000 blocks/],
    ['eth_getLogs', [{ blockHash: block(1), fromBlock: block(1), toBlock: block(2) }], /at most 1000 blocks/],
    ['eth_getLogs', [{ FROMBLOCK: block(1), TOBLOCK: 'latest' }], /eth_getLogs takes address/],
    ['eth_feeHistory', [block(1_025), 'latest', []], /at most 1024 blocks/],
    ['eth_feeHistory', [1, 'latest', []], /at most 1024 blocks/],
  ])('%s of %j', async (method, params, message) => {
    const { ask, asked } = nodeCalls();
    await expect(ask(method, params)).rejects.toMatchObject({
      name: 'RpcError',
      message: expect.stringMatching(message),
    });
    expect(asked).toEqual([]);
  });

  test('a chain that the service does not have', async () => {
    await expect(nodeCalls().ask('eth_blockNumber', [], 8)).rejects.toThrow('this service has no chain 8');
  });

  test('a long reply', async () => {
    const { ask } = nodeCalls(() => 'x'.repeat(1024 * 1024));
    await expect(ask('eth_getCode', [])).rejects.toThrow('ask for less');
  });
});

test.each<[string, unknown]>([
  ['eth_getLogs', [{ address: '0x', topics: [] }]],
  ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3e8' }]],
  ['eth_getLogs', [{ blockHash: '0x12' }]],
  ['eth_feeHistory', ['0x400', 'latest', []]],
])('calls %s of %j', async (method, params) => {
  expect(await nodeCalls().ask(method, params)).toBe('{"result":"0x1"}');
});

test('an account has a limited number of calls in progress', async () => {
  let running = 0;
  let most = 0;
  const { ask } = nodeCalls(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((done) => setTimeout(done, 5));
    running -= 1;
  });
  await Promise.all(Array.from({ length: 200 }, () => ask('eth_chainId')));
  expect(most).toBe(64);
  const many = await Promise.allSettled(Array.from({ length: 700 }, () => ask('eth_chainId')));
  const refused = many.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ name: 'RpcError', message: expect.stringContaining('too many calls') });
});
