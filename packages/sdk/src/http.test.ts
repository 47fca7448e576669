/** Requests to a server that drops, refuses and truncates its replies. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient, HttpError, LatchkeyError } from './index.ts';

const apiKey = Buffer.alloc(32, 7).toString('base64');

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Received = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  atMs: number;
};

/** Sends the first answer to the first request and so on; repeats the last one. */
async function serve(...answers: Answer[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const atMs = performance.now();
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ method, url, headers, body, atMs });
    (answers[received.length - 1] ?? answers.at(-1))?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
};
const drop: Answer = (request) => void request.socket.destroy();
const cut: Answer = (request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
  response.write('{"success":');
  setTimeout(() => request.socket.destroy(), 20);
};
const never: Answer = () => {};
const done = json(200, { success: true, group_id: '7' }, { 'X-Block-Number': '12' });
const busy = json(503, { error: 'service_unavailable', message: 'busy', request_id: 'r' });

const group = { name: 'g', description: '' };

test('retries after dropped, truncated and unavailable replies, with one Idempotency-Key', async () => {
  const { url, received } = await serve(drop, cut, busy, done);
  const client = createClient({ url, apiKey });
  expect(await client.addGroup(group)).toEqual({ groupId: 7n, blockNumber: 12n });
  expect(received).toHaveLength(4);
  const keys = new Set(received.map(({ headers }) => headers['idempotency-key']));
  expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  await client.addGroup(group);
  expect(received[4]?.headers['idempotency-key']).not.toBe(received[0]?.headers['idempotency-key']);
});

test('sends the Idempotency-Key of the caller', async () => {
  const { url, received } = await serve(drop, done);
  await createClient({ url, apiKey }).addGroup(group, { idempotencyKey: 'mine' });
  expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
});

test('opens an account with the solution of the challenge that a 429 asks for', async () => {
  const salt = 'salt?expires=1';
  const challenge = createHash('sha256').update(`${salt}4321`).digest('hex');
  const asked = { algorithm: 'SHA-256', challenge, maxnumber: 200_000, salt, signature: 'signed' };
  const limited = json(
    429,
    { error: 'too_many_requests', message: 'too many new accounts' },
    { 'Retry-After': '50' },
  );
  const opened = json(200, { api_key: apiKey, wallet_address: `0x${'1'.repeat(40)}` });
  const { url, received } = await serve(limited, json(200, asked), opened);
  const account = { name: 'a', description: '' };
  expect(await createClient({ url, retries: 0 }).newAccount(account)).toMatchObject({ apiKey });
  const [first, , again] = received;
  expect(received.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
  expect(again?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  const solution = Buffer.from(String(again?.headers['x-challenge-solution']), 'base64').toString();
  const { maxnumber: _, ...signed } = asked;
  expect(JSON.parse(solution)).toEqual({ ...signed, number: 4_321 });
});

test('keeps the 429 of a relayer that uses no challenges', async () => {
  const limited = json(429, { error: 'too_many_requests', message: 'too many new accounts' });
  const { url, received } = await serve(limited, json(404, { error: 'not_found', message: 'no challenges' }));
  const opening = createClient({ url, retries: 0 }).newAccount({ name: 'a', description: '' });
  await expect(opening).rejects.toMatchObject({ status: 429 });
  expect(received).toHaveLength(2);
});

test.each([
  ['half of their length', 0, 125],
  ['their length', 1, 250],
])('doubles the pauses between retries, with jitter %s', async (_what, random, firstMs) => {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  onTestFinished(() => void vi.restoreAllMocks());
  const { url, received } = await serve(busy, busy, busy, done);
  await createClient({ url, apiKey }).addGroup(group);
  const pauses = received.slice(1).map(({ atMs }, index) => atMs - (received[index]?.atMs ?? 0));
  expect(pauses).toHaveLength(3);
  for (const [index, pauseMs] of pauses.entries())
    expect(pauseMs).toBeGreaterThanOrEqual(firstMs * 2 ** index - 5);
});

test('retries a 429 with Retry-After', async () => {
  const limited = json(
    429,
    { error: 'too_many_requests', message: 'slow', request_id: 'r' },
    { 'Retry-After': '1' },
  );
  const { url, received } = await serve(limited, done);
  await createClient({ url, apiKey }).addGroup(group);
  const [first, second] = received;
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
});

test('does not wait for a Retry-After beyond the timeout', async () => {
  const limited = json(
    429,
    { error: 'too_many_requests', message: 'slow', request_id: 'r' },
    { 'Retry-After': '30' },
  );
  const { url, received } = await serve(limited);
  const error = await createClient({ url, apiKey })
    .addGroup(group, { timeoutMs: 5_000 })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ code: 'too_many_requests', status: 429, retryAfterSec: 30 });
  expect(received).toHaveLength(1);
});

test('throws the error of the last attempt', async () => {
  const { url, received } = await serve(drop, busy);
  const client = createClient({ url, apiKey, retries: 1 });
  await expect(client.addGroup(group)).rejects.toMatchObject({ code: 'service_unavailable', status: 503 });
  expect(received).toHaveLength(2);
  await expect(createClient({ url: 'http://127.0.0.1:9', retries: 0 }).getVersion()).rejects.toMatchObject({
    code: 'network',
  });
});

test.each([
  [400, 'bad_request'],
  [402, 'payment_required'],
  [409, 'conflict'],
  [500, 'internal_error'],
])('does not retry %i', async (status, code) => {
  const { url, received } = await serve(
    json(status, { error: code, message: 'm', fix: 'f', request_id: 'id' }),
  );
  const client = createClient({ url, apiKey });
  await expect(client.addGroup(group)).rejects.toMatchObject({
    name: 'HttpError',
    status,
    code,
    message: 'm',
    fix: 'f',
    requestId: 'id',
  });
  expect(received).toHaveLength(1);
});

test('does not retry 402, even with Retry-After', async () => {
  const { url, received } = await serve(
    json(402, { error: 'payment_required', message: 'cap', request_id: 'r' }, { 'Retry-After': '1' }),
  );
  await expect(createClient({ url, apiKey }).addGroup(group)).rejects.toMatchObject({
    name: 'HttpError',
    code: 'payment_required',
    retryAfterSec: 1,
  });
  expect(received).toHaveLength(1);
});

test("does not accept a proxy's page as a reply", async () => {
  const html: Answer = (_request, response) => void response.end('<html>');
  const { url } = await serve(html);
  await expect(createClient({ url }).getVersion()).rejects.toMatchObject({
    code: 'invalid_reply',
    status: 200,
  });
});

test('does not follow a redirect, which would disclose the key', async () => {
  const other = await serve(done);
  const redirect: Answer = (_request, response) =>
    void response.writeHead(307, { Location: other.url }).end();
  const { url } = await serve(redirect);
  await expect(createClient({ url, apiKey, retries: 0 }).addGroup(group)).rejects.toMatchObject({
    code: 'network',
  });
  expect(other.received).toEqual([]);
});

test('sends the key in a header and nowhere else', async () => {
  const { url, received } = await serve(json(200, [], { 'X-Total-Count': '0' }));
  const client = createClient({ url, apiKey });
  await client.listGroups({ pageNumber: 2, pageSize: 5 });
  expect(received[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  expect(received[0]?.url).toBe('/core/v1/list_groups?page_number=2&page_size=5');
  expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(apiKey);
  expect(JSON.stringify(client.mode)).not.toContain(apiKey);
});

test('names a usage key by its hash in requests and previews', async () => {
  const { url, received } = await serve(json(200, { success: true }, { 'X-Block-Number': '1' }));
  const usageKey = Buffer.alloc(32, 9).toString('base64');
  const client = createClient({ url, apiKey });
  const prepared = await client.prepare.removeUsageApiKey({ usageKey });
  expect(
    JSON.stringify(prepared, (_name, value) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain(usageKey);
  await prepared.send();
  expect(JSON.parse(received[0]?.body ?? '')).toEqual({
    usage_api_key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
});

test('no error contains the key', async () => {
  const { url } = await serve(
    drop,
    json(401, { error: 'unauthorized', message: 'no', request_id: 'r' }),
    cut,
  );
  const client = createClient({ url, apiKey, retries: 0 });
  const errors = [];
  for (let call = 0; call < 3; call++)
    errors.push(await client.addGroup(group).catch((thrown: unknown) => thrown));
  errors.push(await client.removeUsageApiKey({ usageKey: `${apiKey} ` }).catch((thrown: unknown) => thrown));
  expect(errors.map((error) => (error as LatchkeyError).code)).toEqual([
    'network',
    'unauthorized',
    'network',
    'configuration',
  ]);
  for (const error of errors) expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
});

test('a read after a write asks for its block', async () => {
  const { url, received } = await serve(done, json(200, []));
  const client = createClient({ url, apiKey });
  await client.addGroup(group);
  await client.listGroups();
  await client.accountExists();
  await client.listLedger();
  await client.createPaymentIntent({ amountCents: 500 });
  await client.confirmPayment({ paymentIntentId: 'pi_1' });
  await client.getVersion();
  const blocks = received.map(({ headers }) => headers['x-min-block']);
  expect(blocks).toEqual([undefined, '12', '12', '12', '12', '12', undefined]);
});

test('an aborted call ends immediately, also before it begins and during a pause', async () => {
  const controller = new AbortController();
  const { url, received } = await serve(() => controller.abort(new Error('enough')));
  const client = createClient({ url, apiKey });
  const call = client.addGroup(group, { signal: controller.signal });
  await expect(call).rejects.toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
  await expect(client.addGroup(group, { signal: controller.signal })).rejects.toMatchObject({
    code: 'aborted',
  });
  expect(received).toHaveLength(1);

  const pausing = await serve(json(503, {}, { 'Retry-After': '20' }));
  const startedAt = performance.now();
  const waiting = createClient({ url: pausing.url, apiKey }).addGroup(group, {
    signal: AbortSignal.timeout(200),
  });
  await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('ends a call at its timeout, including all attempts', async () => {
  const { url } = await serve(never);
  await expect(createClient({ url, timeoutMs: 100 }).getVersion()).rejects.toMatchObject({ code: 'timeout' });
  await expect(createClient({ url }).getVersion({ timeoutMs: 100 })).rejects.toBeInstanceOf(LatchkeyError);
  const { signal } = new AbortController();
  await expect(createClient({ url }).getVersion({ timeoutMs: 100, signal })).rejects.toMatchObject({
    code: 'timeout',
  });
  await expect(createClient({ url }).getVersion({ timeoutMs: 0 })).rejects.toMatchObject({
    code: 'configuration',
  });
});

test('accepts a base URL with a trailing slash or a path', async () => {
  const { url, received } = await serve(json(200, { name: 'n', version: 'v', commit: 'c' }));
  for (const base of [url, `${url}/`, `${url}/behind/`, `${url}/behind`])
    await createClient({ url: base }).getVersion();
  expect(received.map((request) => request.url)).toEqual([
    '/core/v1/version',
    '/core/v1/version',
    '/behind/core/v1/version',
    '/behind/core/v1/version',
  ]);
});

test.each([
  'not a url',
  'ftp://host',
  'http://user:secret@host',
  'http://host/?key=secret',
  'http://host/#secret',
  'http://host/core/v1',
  'http://host/core/v1/',
])('refuses %s as a base URL', (url) => {
  let error: unknown;
  try {
    createClient({ url });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'configuration', message: expect.stringMatching(/^url: /) });
  expect(inspect(error)).not.toContain('secret@');
  expect((error as Error).message).not.toContain('secret');
});
