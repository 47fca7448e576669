import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Forwards JSON-RPC to `target` until `broken` is set; then it closes every connection. Refuses batches unless `takesBatches`. A reply takes `delayMs`. `loses`
 * decides about each reply: the node has done what it was asked, and the reply is lost. `lie` changes the results of single calls.
 */
export async function rpcProxy(target: string) {
  const proxy = {
    url: '',
    broken: false,
    delayMs: 0,
    takesBatches: true,
    loses: () => false,
    lie: (_call: { method: string; params: unknown[] }, result: unknown): unknown => result,
  };
  const server = createServer((req, res) => {
    if (proxy.broken) {
      req.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const headers = { 'Content-Type': 'application/json' };
      const body = Buffer.concat(chunks);
      if (!proxy.takesBatches && body.toString().startsWith('[')) {
        res.writeHead(400, headers).end('{"error":"no batches"}');
        return;
      }
      fetch(target, { method: 'POST', headers, body })
        .then(async (response) => {
          const reply = JSON.parse(await response.text());
          if (proxy.delayMs > 0) await delay(proxy.delayMs);
          if (proxy.loses()) return req.socket.destroy();
          if ('result' in reply) reply.result = proxy.lie(JSON.parse(body.toString()), reply.result);
          return res.writeHead(response.status, headers).end(JSON.stringify(reply));
        })
        .catch(() => req.socket.destroy());
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(proxy, {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  });
}
