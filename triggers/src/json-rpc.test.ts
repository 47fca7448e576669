import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Chain, startChain } from '@latchkey/testing/chain';
import { until } from '@latchkey/testing/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProxy } from '../test/proxy.ts';
import { openJsonRpc } from './json-rpc.ts';
import { openChainRpc } from './sources/chain-failover.ts';

let chain: Chain;
beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

test('a websocket node that was away for three seconds is asked again when it is back', async () => {
  using proxy = await startProxy(chain.wsUrl);
  const rpc = openChainRpc([proxy.url]);
  let [heads, losses] = [0, 0];
  const subscribe = () =>
    rpc.onHead(
      () => heads++,
      () => losses++,
    );
  expect(await subscribe()).toBe(true);
  expect(await rpc.block('latest')).toBeDefined();
  proxy.stop();
  await until('the subscription ends', async () => losses === 1);
  for (let second = 0; second < 3; second++) {
    await expect(rpc.block('latest')).rejects.toThrow();
    expect(await subscribe()).toBe(false);
    await delay(1_000);
  }
  await proxy.start();
  expect(await rpc.block('latest')).toBeDefined();
  expect(await subscribe()).toBe(true);
  await chain.client.mine({ blocks: 1 });
  await until('a head', async () => heads === 1);
  rpc.close();
});

test('the first request after one that timed out uses another connection', async () => {
  using proxy = await startProxy(chain.wsUrl);
  const { request, onHead, close } = openJsonRpc(proxy.url, 2_000);
  expect(await request('eth_chainId', [])).toBe('0x7a69');
  proxy.silence();
  await expect(
    onHead(
      () => {},
      () => {},
    ),
  ).rejects.toThrow();
  await expect(request('eth_chainId', [])).rejects.toThrow('took too long');
  expect(await request('eth_chainId', [])).toBe('0x7a69');
  close();
});

test('rejects when the node does not answer the handshake in time', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as import('node:net').AddressInfo;
  const { request } = openJsonRpc(`ws://127.0.0.1:${port}`, 200);
  await expect(request('eth_chainId', [])).rejects.toThrow('failed to connect to the node');
  server.close();
});
