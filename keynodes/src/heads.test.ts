import { startChain } from '@latchkey/testing/chain';
import { freePort } from '@latchkey/testing/until';
import { expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { followHeads } from './heads.ts';

test('knows each block that a chain announces', async () => {
  await using chain = await startChain();
  using heads = followHeads(chain.wsUrl, () => {});
  await expect.poll(() => heads.current()).toEqual({ number: 0n });
  const { client } = chain;
  await client.mine({ blocks: 1 });
  await expect.poll(() => heads.current()?.number).toBe(await client.getBlockNumber());
});

test('knows none while the connection is lost, and connects again', async () => {
  const port = await freePort();
  const sockets = new Set<WebSocket>();
  const lost: unknown[] = [];
  using heads = followHeads(`ws://127.0.0.1:${port}`, (error) => lost.push(error));
  await expect.poll(() => lost.length).toBe(1);
  expect(heads.current()).toBeUndefined();

  using server = Object.assign(new WebSocketServer({ host: '127.0.0.1', port }), {
    [Symbol.dispose]: () => server.close(),
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }));
    });
  });
  const announce = (result: unknown) => {
    for (const socket of sockets)
      socket.send(
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'eth_subscription',
          params: { subscription: '0x1', result },
        }),
      );
  };
  await expect.poll(() => heads.current()).toEqual({ number: 0n });
  announce({ number: '0x1f' });
  await expect.poll(() => heads.current()).toEqual({ number: 31n });
  const before = heads.current();
  announce({ number: '0x1f' });
  await expect.poll(() => heads.current() !== before).toBe(true);

  const known = lost.length;
  for (const socket of sockets) socket.terminate();
  sockets.clear();
  await expect.poll(() => lost.length).toBe(known + 1);
  await expect.poll(() => heads.current()).toEqual({ number: 0n });
  // Not an announcement.
  announce({ number: 'latest' });
  await expect.poll(() => lost.length).toBe(known + 2);
});
