// Forked process: receives the body of its replies as a message, answers with its port.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [body] = await once(process, 'message');
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json; charset=utf-8').end(body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
process.once('disconnect', () => process.exit());
