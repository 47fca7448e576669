import { setTimeout as delay } from 'node:timers/promises';
import { startChain } from '@latchkey/testing/chain';
import { freePort } from '@latchkey/testing/until';
import { expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { followHeads } from './heads.ts';

const anvil = { chainId: 31_337 };

test('knows each block that a chain announces', async () => {
  await using chain = await startChain();
  using heads = followHeads([chain.wsUrl], { ...anvil, onLost: () => {} });
  const { client } = chain;
  const { number, hash, timestamp } = await client.getBlock();
  await expect.poll(() => heads.current()).toEqual({ number, hash, timestampSec: Number(timestamp) });
  await client.mine({ blocks: 1 });
  await expect.poll(() => heads.current()?.number).toBe(await client.getBlockNumber());
});

/** A block of this number, as endpoints describe it. */
const blockAt = (number: string) => ({ number, hash: `0xab${number.slice(2)}`, timestamp: '0x0' });

/** An endpoint that answers every question with `latest` and announces nothing by itself. */
function startEndpoint(port: number) {
  const sockets = new Set<WebSocket>();
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  const endpoint = {
    latest: '0x1',
    chainId: '0x7a69',
    /** Questions for the latest block. */
    asked: 0,
    isSilent: false,
    sockets,
    announce(result: unknown) {
      const params = { subscription: '0x1', result };
      for (const socket of sockets)
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.terminate();
      server.close();
    },
  };
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data));
      if (endpoint.isSilent) return;
      if (method === 'eth_getBlockByNumber') endpoint.asked += 1;
      const results: Record<string, unknown> = { eth_subscribe: '0x1', eth_chainId: endpoint.chainId };
      const result = results[method] ?? blockAt(endpoint.latest);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  return endpoint;
}

test('knows no block while the connection is lost, and connects again', async () => {
  const port = await freePort();
  const lost: unknown[] = [];
  using heads = followHeads([`ws://127.0.0.1:${port}`], { ...anvil, onLost: (error) => lost.push(error) });
  await expect.poll(() => lost.length).toBe(1);
  expect(heads.current()).toBeUndefined();

  using endpoint = startEndpoint(port);
  const { sockets } = endpoint;
  await expect.poll(() => heads.current()).toMatchObject({ number: 1n });
  endpoint.announce(blockAt('0x1f'));
  await expect.poll(() => heads.current()).toMatchObject({ number: 31n });
  const before = heads.current();
  endpoint.announce(blockAt('0x1f'));
  await expect.poll(() => heads.current() !== before).toBe(true);

  const known = lost.length;
  for (const socket of sockets) socket.terminate();
  sockets.clear();
  await expect.poll(() => lost.length).toBe(known + 1);
  expect(heads.confirmed()).toBeUndefined();
  await expect.poll(() => heads.current()).toMatchObject({ number: 1n });
  // Not an announcement.
  endpoint.announce({ ...blockAt('0x1f'), number: 'latest' });
  await expect.poll(() => lost.length).toBe(known + 2);
  await expect.poll(() => heads.current()).toMatchObject({ number: 1n });
  endpoint.announce({ ...blockAt('0x1f'), number: '0x1f blocks' });
  await expect.poll(() => lost.length).toBe(known + 3);
});

test('confirms its last block for a second, again while it is used, and asks nothing while it is not', async () => {
  const port = await freePort();
  using endpoint = startEndpoint(port);
  using heads = followHeads([`ws://127.0.0.1:${port}`], { ...anvil, onLost: () => {} });
  await expect.poll(() => heads.current()).toMatchObject({ number: 1n });
  const head = heads.current();
  await delay(1_200);
  expect(endpoint.asked).toBe(1);
  expect(heads.confirmed()).toBeUndefined();
  await expect.poll(() => heads.confirmed()).toBe(head);
  await delay(1_200);
  await expect.poll(() => heads.confirmed()).toBe(head);
  expect(endpoint.asked).toBeGreaterThan(2);

  // A block that the endpoint did not announce.
  endpoint.latest = '0x2';
  await expect.poll(() => heads.confirmed(), { timeout: 2_000 }).toBeUndefined();
  expect(heads.current()).toBe(head);
  endpoint.announce(blockAt('0x2'));
  await expect.poll(() => heads.confirmed()).toMatchObject({ number: 2n });
});

test('confirms nothing of an endpoint that has become silent, and connects again', async () => {
  const port = await freePort();
  const lost: unknown[] = [];
  using endpoint = startEndpoint(port);
  using heads = followHeads([`ws://127.0.0.1:${port}`], { ...anvil, onLost: (error) => lost.push(error) });
  await expect.poll(() => heads.confirmed()).toMatchObject({ number: 1n });
  endpoint.isSilent = true;
  await expect.poll(() => heads.confirmed(), { timeout: 2_000 }).toBeUndefined();
  await expect.poll(() => lost.length, { timeout: 5_000 }).toBe(1);
  endpoint.isSilent = false;
  await expect.poll(() => heads.confirmed(), { timeout: 5_000 }).toMatchObject({ number: 1n });
}, 20_000);

test('knows no block of another chain, also when a new connection leads to one', async () => {
  const port = await freePort();
  const lost: unknown[] = [];
  using endpoint = startEndpoint(port);
  using heads = followHeads([`ws://127.0.0.1:${port}`], { ...anvil, onLost: (error) => lost.push(error) });
  await expect.poll(() => heads.current()).toMatchObject({ number: 1n });
  endpoint.chainId = '0x5';
  for (const socket of endpoint.sockets) socket.terminate();
  await expect.poll(() => lost).toContainEqual(new Error('the endpoint of blocks is of chain 5, not 31337'));
  expect(heads.current()).toBeUndefined();
});
