import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@latchkey/testing/until';
import { expect, onTestFinished, test } from 'vitest';
import { createIndexerClient, IndexerUnavailableError } from './indexer-client.ts';

const answer =
  (name: string): RequestListener =>
  (_request, response) => {
    const headers = { 'X-Total-Count': '1', 'X-Block-Number': '7' };
    response.writeHead(200, headers).end(JSON.stringify([name]));
  };
const standby: RequestListener = (_request, response) => response.writeHead(503).end('{}');
const other: RequestListener = (_request, response) =>
  response.writeHead(426, { 'Latchkey-Protocol': 'latchkey-indexer.4, latchkey-indexer.3' }).end('{}');

async function listen(listener: RequestListener, port = 0): Promise<{ url: string; server: Server }> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  onTestFinished(() => end(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}
const page = { page_number: 0, page_size: 10 };
const clientOf = (urls: string[], timeoutMs = 5_000) => {
  const client = createIndexerClient({ urls, timeoutMs });
  return { ...client, names: async () => (await client.list(1n, 'groups', page, 0n)).items };
};

test('asks the standby once the indexer is dead, and stays with it', async () => {
  let asked = 0;
  const first = await listen((request, response) => {
    asked++;
    answer('first')(request, response);
  });
  const second = await listen(answer('second'));
  const client = clientOf([first.url, second.url]);
  expect(await client.names()).toEqual(['first']);
  end(first.server);
  expect(await client.names()).toEqual(['second']);
  await listen(answer('first again'), Number(new URL(first.url).port));
  expect(await client.names()).toEqual(['second']);
  expect(asked).toBe(1);
});

test('passes a standby over, in lists and in the ping', async () => {
  const client = clientOf([(await listen(standby)).url, (await listen(answer('active'))).url]);
  await client.ping();
  expect(await client.names()).toEqual(['active']);
});

test('a list waits for the takeover', async () => {
  const port = await freePort();
  let asked = 0;
  const { url } = await listen((request, response) => {
    asked += 1;
    standby(request, response);
  });
  const names = clientOf([`http://127.0.0.1:${port}`, url]).names();
  await expect.poll(() => asked).toBeGreaterThan(1);
  await listen(answer('late'), port);
  expect(await names).toEqual(['late']);
});

test('an indexer that does not answer leaves time for the next one', async () => {
  const hung = (await listen(() => {})).url;
  const client = clientOf([hung, (await listen(answer('second'))).url], 1_000);
  expect(await client.names()).toEqual(['second']);
});

test('fails when none answers in time, and immediately without a standby', async () => {
  const dead = [`http://127.0.0.1:${await freePort()}`, (await listen(standby)).url];
  await expect(clientOf(dead, 400).names()).rejects.toThrow(IndexerUnavailableError);
  const startedAt = performance.now();
  for (const url of dead) await expect(clientOf([url]).names()).rejects.toThrow(IndexerUnavailableError);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('an indexer of another version is unavailable, and the error names both versions', async () => {
  const { url } = await listen(other);
  await expect(clientOf([url]).names()).rejects.toThrow(
    'the indexer speaks latchkey-indexer.4, latchkey-indexer.3, this relayer latchkey-indexer.1: update the older one',
  );
});
