/** A proxy of the relayer that can drop a reply after the relayer has sent it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Reply = 'pass' | 'lose';

export async function createProxy(target: string, decide: () => Reply) {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
    const reply = await fetch(target + url, {
      method,
      headers: rest as Record<string, string>,
      ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = await reply.text();
    if (decide() === 'lose') return void request.socket.destroy();
    const {
      'content-encoding': _encoding,
      'content-length': _size,
      ...own
    } = Object.fromEntries(reply.headers);
    response.writeHead(reply.status, own).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
