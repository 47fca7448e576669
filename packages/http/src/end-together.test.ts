import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { endTogether } from './end-together.ts';

test('ends all replies of a turn, also beside one whose client is gone', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = async () => {
    const client = get({ port, agent: false });
    client.on('error', () => {});
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    return { client, res };
  };
  const [first, gone, last] = [await connect(), await connect(), await connect()];
  gone.client.destroy();
  await once(gone.res, 'close');
  const replies = [first, last].map(async ({ client }) => {
    const [reply] = await once(client, 'response');
    return text(reply);
  });

  endTogether(first.res, Buffer.from('first'));
  endTogether(gone.res, Buffer.from('gone'));
  endTogether(last.res, Buffer.from('last'));
  expect([first, last].map(({ res }) => res.writableEnded)).toEqual([false, false]);
  await turn();
  expect([first, last].map(({ res }) => res.writableEnded)).toEqual([true, true]);
  expect(await Promise.all(replies)).toEqual(['first', 'last']);
});
