/** Sends a message to each public address of this machine, and prints the errors. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { ownPublicAddresses } from '@latchkey/testing/public-network';
import { createPost, newSecret } from '../src/post.ts';

let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.destroy();
}).listen(0, '::');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo;
const resolve = async (name: string) => {
  const address = ownPublicAddresses[Number(/\d/.exec(name))] ?? '';
  return [{ address, family: address.includes(':') ? (6 as const) : (4 as const) }];
};
const post = createPost({ allowedAddresses: [], resolve });
const message = { type: 'trigger.failing', timestamp: new Date().toISOString(), data: {} };
const errors: string[] = [];
for (const [index, address] of ownPublicAddresses.entries())
  for (const host of [`own${index}.example`, address.includes(':') ? `[${address}]` : address])
    errors.push(
      await post({ url: `https://${host}:${port}/`, secret: newSecret(), id: 'id', message }).then(
        () => 'sent',
        (error) => error.message,
      ),
    );
process.stdout.write(JSON.stringify({ errors, connections }));
server.close();
