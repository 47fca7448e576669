/** Serves a stand-in chain over a websocket, and announces its blocks. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { numberToHex } from 'viem';
import { type WebSocket, WebSocketServer } from 'ws';
import type { NewLog, StandInChain } from './stand-in-chain.ts';

export type AnnouncingNode = AsyncDisposable & {
  url: string;
  /** Adds a block, and announces it. */
  mine: (logs: readonly NewLog[]) => void;
};

const SUBSCRIPTION = '0x1';

export async function serveAnnounced(chain: StandInChain): Promise<AnnouncingNode> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const subscribed = new Set<WebSocket>();
  const headerOf = async () => {
    const block = await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    return { ...(block as object), timestamp: numberToHex(Math.floor(Date.now() / 1_000)) };
  };
  server.on('connection', (socket) => {
    socket.on('close', () => subscribed.delete(socket));
    socket.on('message', async (text) => {
      const { id, method, params } = JSON.parse(String(text));
      const reply = (answer: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      if (method === 'eth_subscribe') {
        subscribed.add(socket);
        return reply({ result: SUBSCRIPTION });
      }
      const isLatest = method === 'eth_getBlockByNumber' && params[0] === 'latest';
      const asked = isLatest ? headerOf() : chain.request({ method, params });
      await asked.then(
        (result) => reply({ result }),
        ({ message }: Error) => reply({ error: { code: -32_000, message } }),
      );
    });
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mine(logs) {
      chain.mine(logs);
      void headerOf().then((result) => {
        const params = { subscription: SUBSCRIPTION, result };
        const text = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params });
        for (const socket of subscribed) socket.send(text);
      });
    },
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
