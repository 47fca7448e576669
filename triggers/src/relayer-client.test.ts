import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agree, protocols } from '@latchkey/service/versions';
import { expect, onTestFinished, test } from 'vitest';
import { createRelayerClient, RelayerUnavailableError } from './relayer-client.ts';

test('a relayer of another version is an outage that names both versions, and fails no run', async () => {
  const message = 'the client speaks a.1, Latchkey a.3, a.2: update the older one';
  const offers: unknown[] = [];
  const server = createServer((req, res) => {
    offers.push(req.headers['latchkey-protocol']);
    res.writeHead(426).end(JSON.stringify({ error: 'bad_request', message }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const relayer = createRelayerClient([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  await expect(relayer.ping()).rejects.toMatchObject({ errors: [{ message }] });
  await expect(relayer.getAdmin(`0x${'1'.repeat(64)}`)).rejects.toThrow(RelayerUnavailableError);
  const { signal } = new AbortController();
  const ids = { key: 'k', idempotencyKey: 'i', correlationId: 'c' };
  const run = { ...ids, body: { code: '' }, onStart() {}, onLog() {}, signal };
  expect(await relayer.run(run)).toMatchObject({ kind: 'unreachable', httpStatus: 426, message });
  expect(offers).toEqual(Array(3).fill('latchkey-relayer.2, latchkey-relayer.1'));
});

test('a run goes on with its approval only at a relayer that knows approvals', async () => {
  const before = { name: protocols.relayer.name, latest: 1 };
  const bodies: unknown[] = [];
  const server = createServer(async (req, res) => {
    const text = (await req.toArray()).join('');
    if (agree(before, String(req.headers['latchkey-protocol'])) === undefined)
      return res.writeHead(426).end('{}');
    bodies.push(JSON.parse(text));
    res.end(JSON.stringify({ response: null, logs: '', has_error: false }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const relayer = createRelayerClient([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const { signal } = new AbortController();
  const ids = { key: 'k', idempotencyKey: 'i', correlationId: 'c', onStart() {}, onLog() {}, signal };
  const code = 'code of the trigger';
  expect(await relayer.run({ ...ids, body: { code } })).toMatchObject({ kind: 'reply' });
  expect(await relayer.run({ ...ids, body: { code, approval_id: 'a' } })).toMatchObject({
    kind: 'unreachable',
    httpStatus: 426,
  });
  expect(bodies).toEqual([{ code }]);
});

test('the 403 of a proxy is an outage, not a refusal of the account', async () => {
  const proxy = createServer((_req, res) => res.writeHead(403).end('<h1>Forbidden</h1>')).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void proxy.close());
  await new Promise((resolve) => proxy.once('listening', resolve));
  const relayer = createRelayerClient([`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`]);
  await expect(relayer.getAdmin(`0x${'1'.repeat(64)}`)).rejects.toThrow(RelayerUnavailableError);
});
