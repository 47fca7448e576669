import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { startProxy } from '@latchkey/testing/socket-proxy';
import { expect, test } from 'vitest';
import { followHeads } from './heads.ts';
import { openNode, openSocket } from './socket.ts';

const chain = disposeAfterAll(await startChain());

test('a node that was away for three seconds is asked again when it is back, and announces blocks again', async () => {
  using proxy = await startProxy(chain.wsUrl);
  const node = openNode(proxy.url, 2_000);
  let [announced, losses] = [0, 0];
  using heads = followHeads([proxy.url], { onHead: () => announced++, onLost: () => losses++ });
  const askForChain = () => node.request({ method: 'eth_chainId' });
  await expect.poll(() => heads.current()).toBeDefined();
  expect(await askForChain()).toBe('0x7a69');
  proxy.stop();
  await expect.poll(() => losses).toBe(1);
  for (let second = 0; second < 3; second++) {
    await expect(askForChain()).rejects.toThrow();
    expect(heads.current()).toBeUndefined();
    await delay(1_000);
  }
  await proxy.start();
  expect(await askForChain()).toBe('0x7a69');
  await expect.poll(() => heads.current()).toBeDefined();
  const before = announced;
  await chain.client.mine({ blocks: 1 });
  await expect.poll(() => announced).toBe(before + 1);
  node.close();
});

test('blocks are announced by the next endpoint when one is lost, and by the first again when that is lost', async () => {
  using first = await startProxy(chain.wsUrl);
  using second = await startProxy(chain.wsUrl);
  let losses = 0;
  using heads = followHeads([first.url, second.url], { onLost: () => losses++ });
  await expect.poll(() => heads.current()).toBeDefined();
  for (const used of [first, second, first]) {
    const { number: before = 0n } = heads.current() ?? {};
    await chain.client.mine({ blocks: 1 });
    await expect.poll(() => heads.current()?.number).toBe(before + 1n);
    used.stop();
    await expect.poll(() => heads.current()).toBeUndefined();
    await expect.poll(() => heads.current()).toBeDefined();
    await used.start();
  }
  expect(losses).toBe(3);
});

test('the first request after one that timed out uses another connection', async () => {
  using proxy = await startProxy(chain.wsUrl);
  const { request, close } = openSocket(proxy.url, 2_000);
  const askForChain = () => request({ method: 'eth_chainId' });
  expect(await askForChain()).toBe('0x7a69');
  proxy.silence();
  await expect(askForChain()).rejects.toThrow('took too long');
  expect(await askForChain()).toBe('0x7a69');
  close();
});

test('a subscription that is not confirmed in time leaves its connection', async () => {
  using proxy = await startProxy(chain.wsUrl);
  const { request, subscribe, close } = openSocket(proxy.url, 2_000);
  expect(await request({ method: 'eth_chainId' })).toBe('0x7a69');
  proxy.silence();
  const unused = () => {};
  await expect(subscribe(['newHeads'], unused, unused)).rejects.toThrow();
  await subscribe(['newHeads'], unused, unused);
  close();
});

test('a refused subscription is told, and leaves the connection to other requests', async () => {
  using proxy = await startProxy(chain.wsUrl);
  const { request, subscribe, close } = openSocket(proxy.url, 2_000);
  let isLost = false;
  const refused = subscribe(
    ['nothing'],
    () => {},
    () => {
      isLost = true;
    },
  );
  await expect(refused).rejects.toMatchObject({ code: expect.any(Number) });
  expect(isLost).toBe(true);
  expect(await request({ method: 'eth_chainId' })).toBe('0x7a69');
  expect(proxy.connections()).toBe(1);
  close();
});

test('rejects when the node does not answer the handshake in time', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as import('node:net').AddressInfo;
  const { request } = openNode(`ws://127.0.0.1:${port}`, 200);
  await expect(request({ method: 'eth_chainId' })).rejects.toThrow('failed to connect to the node');
  server.close();
});
