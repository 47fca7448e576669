/** Compressed bodies, PUT and HEAD, the key of a handshake, and the query, through HTTP. */
import { createHmac, randomUUID } from 'node:crypto';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { configured, startWebhooks } from '../../test/webhooks.ts';

const [open, github, asana, xero] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
const secret = 'a secret';
let accepted = 0;
const service = await startWebhooks([
  { id: open },
  configured(github, { verification: { scheme: 'github', secret } }),
  configured(asana, { verification: { scheme: 'asana' } }),
  configured(xero, { verification: { scheme: 'xero', secret } }),
]);
afterAll(async () => {
  expect(await service.stop()).toHaveLength(accepted);
});

const send = (id: string, init: RequestInit) =>
  fetch(`${service.url}/webhook/${id}`, { method: 'POST', ...init });
const hmacOf = (body: Uint8Array | string, key = secret) =>
  createHmac('sha256', key).update(body).digest('hex');
const signed = (body: Uint8Array | string) => ({ 'x-hub-signature-256': `sha256=${hmacOf(body)}` });
const fired = async (id: string, init: RequestInit & { headers?: Record<string, string> }) => {
  const requestId = randomUUID();
  const reply = await send(id, { ...init, headers: { ...init.headers, 'x-request-id': requestId } });
  expect(reply.status).toBe(202);
  accepted++;
  await expect.poll(() => service.ranFor(requestId)).toBeDefined();
  return service.ranFor(requestId);
};

const body = '{"text":"Grüße"}';
const codings: [string, (content: string) => Buffer][] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['X-GZIP', gzipSync],
];

describe.each(codings)('a body in %s', (coding, compress) => {
  const headers = { 'content-encoding': coding };

  test('reaches the action decompressed', async () => {
    expect(await fired(open, { body: compress(body), headers })).toMatchObject({
      event: { text: 'Grüße' },
      event_raw: body,
    });
  });

  test('can be signed before it is compressed, or as it is sent', async () => {
    const sent = compress(body);
    await fired(github, { body: sent, headers: { ...headers, ...signed(body) } });
    await fired(github, { body: sent, headers: { ...headers, ...signed(sent) } });
    const other = await send(github, { body: sent, headers: { ...headers, ...signed(`${body} `) } });
    expect(other.status).toBe(401);
  });

  test('is 413 over 256 KiB, 202 with 256 KiB', async () => {
    const limit = 256 * 1024;
    await fired(open, { body: compress('x'.repeat(limit)), headers });
    expect((await send(open, { body: compress('x'.repeat(limit + 1)), headers })).status).toBe(413);
  });

  test('is 400 when it is malformed', async () => {
    const sent = compress(body);
    for (const wrong of ['x', sent.subarray(0, -6), Buffer.concat([Buffer.of(1), sent])])
      expect((await send(open, { body: wrong, headers })).status).toBe(400);
  });
});

test.each([
  ['gzip', gzipSync('\0'.repeat(200_000_000), { level: 1 }).subarray(0, 256 * 1024)],
  ['br', brotliCompressSync('\0'.repeat(200_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
])('a bomb of 200 MB in %s is 413, and is not decompressed', async (coding, bomb) => {
  expect(bomb.length).toBeLessThanOrEqual(256 * 1024);
  const before = process.memoryUsage().rss;
  const startMs = performance.now();
  expect((await send(open, { body: bomb, headers: { 'content-encoding': coding } })).status).toBe(413);
  expect(performance.now() - startMs).toBeLessThan(1_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
});

test.each(['zstd', 'gzip, br', 'gzip,gzip', 'constructor', ''])(
  'Content-Encoding %j is 400',
  async (coding) => {
    const reply = await send(open, { body: gzipSync(body), headers: { 'content-encoding': coding } });
    expect(reply.status).toBe(400);
  },
);

test('PUT is a delivery like POST', async () => {
  expect(await fired(github, { method: 'PUT', body, headers: signed(body) })).toMatchObject({
    event_raw: body,
  });
  expect((await send(github, { method: 'PUT', body, headers: signed('') })).status).toBe(401);
});

test('HEAD is 200 for every active webhook, 404 for another id', async () => {
  for (const id of [open, github]) expect((await send(id, { method: 'HEAD' })).status).toBe(200);
  expect((await send(randomUUID(), { method: 'HEAD' })).status).toBe(404);
});

test('the handshake of Asana brings its key once, concurrently too', async () => {
  const shake = (value: string) => send(asana, { headers: { 'X-Hook-Secret': value } });
  const replies = await Promise.all(['one', 'two', 'three'].map(shake));
  const won = replies
    .filter(({ status }) => status === 200)
    .map((reply) => reply.headers.get('x-hook-secret'));
  expect(won).toHaveLength(1);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  const [key = ''] = won as string[];
  expect((await shake(key)).status).toBe(200);
  await fired(asana, { body, headers: { 'x-hook-signature': hmacOf(body, key) } });
  expect((await send(asana, { body, headers: { 'x-hook-signature': hmacOf(body, 'four') } })).status).toBe(
    401,
  );
});

test('a sender that expects 200 gets 200', async () => {
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const reply = await send(xero, { body, headers: { 'x-xero-signature': signature } });
  accepted++;
  expect([reply.status, await reply.json()]).toEqual([200, { run_id: expect.any(String), status: 'queued' }]);
});

test('the query reaches the action as it was sent, unless it has a secret', async () => {
  const queryOf = async (search: string) => {
    const requestId = randomUUID();
    const url = `${service.url}/webhook/${open}${search}`;
    await fetch(url, { method: 'POST', body: 'x', headers: { 'x-request-id': requestId } });
    accepted++;
    await expect.poll(() => service.ranFor(requestId)).toBeDefined();
    return service.ranFor(requestId)?.query_raw;
  };
  expect(await queryOf('?b=%E4&a=1+2&a')).toBe('b=%E4&a=1+2&a');
  expect(await queryOf('?a=1&token=t')).toBeUndefined();
  expect(await queryOf('')).toBeUndefined();
});
