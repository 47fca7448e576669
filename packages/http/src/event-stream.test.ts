import { afterAll, expect, test } from 'vitest';
import { startService } from '../test/harness.ts';

const service = await startService();
afterAll(() => service.close());

const stream = { 'x-api-key': 'ann', accept: 'text/event-stream' };
const path = '/core/v1/count';

const step = (at: number) => `event: step\ndata: {"at":"${at}"}\n\n`;
const result = (status: number, headers: object, body: unknown) =>
  `event: result\ndata: ${JSON.stringify({ status, headers, body })}\n\n`;

test('sends the events of the handler, and last the reply with its status and headers', async () => {
  const { status, headers, text } = await service.post(path, { to: 2 }, stream);
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(headers['x-accel-buffering']).toBe('no');
  expect(headers['cache-control']).toBe('no-store');
  expect(text).toBe(step(1) + step(2) + result(200, { 'X-Counted': '2' }, { counted: 2 }));
});

test('a reply without events is an event too', async () => {
  const { text } = await service.post(path, { to: 2, isSilent: true }, stream);
  expect(text).toBe(result(200, { 'X-Counted': '2' }, { counted: 2 }));
});

test.each(['application/json', '*/*', 'application/json, text/event-stream'])(
  'Accept: %s is a plain reply',
  async (accept) => {
    const reply = await service.post(path, { to: 2 }, { ...stream, accept });
    expect([reply.json, reply.headers['x-counted']]).toEqual([{ counted: 2 }, '2']);
  },
);

test('a route without events sends a plain reply', async () => {
  const reply = await service.post('/core/v1/echo', { params: { a: 1 } }, stream);
  expect(reply.json).toEqual({ a: 1 });
});

test('an error before the first event is a plain reply with its status', async () => {
  const reply = await service.post(path, { to: -1 }, stream);
  expect([reply.status, reply.headers['retry-after']]).toEqual([429, '3']);
  expect(reply.json).toMatchObject({ error: 'too_many_requests' });
  expect((await service.post(path, { to: 'x' }, stream)).status).toBe(422);
  expect((await service.post(path, { to: 1 }, { accept: stream.accept })).status).toBe(401);
});

test('an error after an event is the result', async () => {
  const { status, headers, text } = await service.post(path, { to: 1, fails: true }, stream);
  const message = 'A service that this request depends on is unavailable.';
  const body = { error: 'service_unavailable', message, request_id: headers['x-request-id'] };
  expect(status).toBe(200);
  expect(text).toBe(step(1) + result(503, {}, body));
});

test('events arrive before the reply', async () => {
  let open = () => {};
  service.context.gate = new Promise((resolve) => {
    open = resolve;
  });
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { ...stream, 'content-type': 'application/json' },
    body: '{"to":1}',
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  expect(Buffer.from(value ?? []).toString()).toBe(step(1));
  open();
  service.context.gate = Promise.resolve();
  const { value: last } = await reader.read();
  expect(Buffer.from(last ?? []).toString()).toContain('event: result');
  expect((await reader.read()).done).toBe(true);
});

test('a repeated request gets the stored reply as its only event, and has one effect', async () => {
  service.context.effects.length = 0;
  const headers = { ...stream, 'idempotency-key': 'count once' };
  const first = await service.post(path, { to: 1 }, headers);
  const second = await service.post(path, { to: 1 }, headers);
  expect(first.text).toBe(step(1) + second.text);
  expect(second.text).toBe(result(200, { 'X-Counted': '1' }, { counted: 1 }));
  expect(service.context.effects).toEqual(['count']);
  const plain = await service.post(path, { to: 1 }, { ...headers, accept: 'application/json' });
  expect(plain.json).toEqual({ counted: 1 });
});
