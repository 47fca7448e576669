import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createIdentity } from '@latchkey/key-protocol';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createKeyReleases } from './key-releases.ts';

/** Starts a node that answers so. Resolves to its URL. */
async function startNode(answer: object): Promise<string> {
  const server = createServer((_, response) => response.end(JSON.stringify(answer)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a node whose entries or head are malformed hides nothing of the others', async () => {
  const honest = {
    head: JSON.stringify({ node: 'aa' }),
    signature: '00',
    entries: [JSON.stringify({ sequence: 7 })],
  };
  const urls = await Promise.all([
    startNode({ ...honest, entries: ['not JSON'] }),
    startNode(honest),
    startNode({ ...honest, head: '{}' }),
  ]);
  const identity = createIdentity('02'.repeat(32));
  const { list } = createKeyReleases({ urls, identity, log: pino({ level: 'silent' }) });
  const page = await list({ path: 5n, nonce: '00'.repeat(16), before: undefined, limit: 1 });
  expect(page).toEqual({ nodes: [honest], before: { aa: 7 } });
});

test('a further page asks only the nodes that it names, before their last entry', async () => {
  const asked: unknown[] = [];
  const entry = JSON.stringify({ sequence: 3 });
  /** Starts a node with this identity, which keeps the queries that it gets. */
  const start = async (node: string): Promise<string> => {
    const server = createServer(async (request, response) => {
      if (request.method === 'POST') asked.push([node, await json(request)]);
      const head = JSON.stringify({ node });
      response.end(JSON.stringify({ public_key: node, head, signature: '00', entries: [entry] }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const urls = [await start('aa'), await start('bb')];
  const identity = createIdentity('02'.repeat(32));
  const { list } = createKeyReleases({ urls, identity, log: pino({ level: 'silent' }) });
  const page = await list({ path: 5n, nonce: '00'.repeat(16), before: { bb: 7 }, limit: 1 });
  expect(page).toMatchObject({ nodes: [{ head: '{"node":"bb"}' }], before: { bb: 3 } });
  expect(asked).toMatchObject([['bb', { query: { before: 7 } }]]);
});
