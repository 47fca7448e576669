/** Large and refused bodies: which bytes are read, which are kept, and the cost for other callers. */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startService } from '../test/harness.ts';

const MiB = 1024 * 1024;
const limits = {
  bytesInFlightPerAddress: 12 * MiB,
  bytesInFlight: 20 * MiB,
  anonymousBytesPerMinute: 24 * MiB,
};
const ann = { 'x-api-key': 'ann' };
const run = '/core/v1/run';

const service = await startService({ bodies: limits, trustProxy: 1 });
afterAll(() => service.close());
afterEach(() => {
  service.context.effects.length = 0;
  service.context.gate = Promise.resolve();
});

const jsonOfSize = (bytes: number) => `{"code":"${'a'.repeat(bytes - 11)}"}`;
const from = (ip: string) => ({ 'x-forwarded-for': ip });

/** Opens a request whose body the test sends. */
function open(path: string, headers: Record<string, string | number>) {
  const request: ClientRequest = httpRequest(service.url + path, { method: 'POST', headers, agent: false });
  request.on('error', () => {});
  const reply = once(request, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response?.statusCode,
    headers: response?.headers ?? {},
    json: (await json(response as IncomingMessage)) as { error?: string },
  }));
  reply.catch(() => {});
  return { request, reply };
}

const send = (path: string, bytes: number, headers: Record<string, string>) =>
  service.post(path, path === run ? jsonOfSize(bytes) : `"${'a'.repeat(bytes - 2)}"`, headers);

/** The connections of the service, by the port of the client. */
const connections = new Map<number | undefined, Socket>();
subscribe('http.server.request.start', (message) => {
  const { socket } = message as { socket: Socket };
  connections.set(socket.remotePort, socket);
});

/** Holds `bytes` of an unfinished body in flight. Resolves when the service has read them: the limits refuse whoever is over them first. */
async function hold(bytes: number, headers: Record<string, string>, path = run) {
  const held = open(path, { ...headers, 'content-length': 10 * MiB });
  held.request.write(Buffer.alloc(bytes, ' '));
  await expect
    .poll(() => connections.get(held.request.socket?.localPort)?.bytesRead ?? 0)
    .toBeGreaterThanOrEqual(bytes);
  return held;
}

describe('a refused body is not read', () => {
  test.each([
    ['401 without a key', run, {}, 10 * MiB, 401],
    ['413 over the limit of the route', run, ann, 10 * MiB + 1, 413],
    ['413 over the default limit', '/core/v1/add_group', ann, 10 * MiB, 413],
    ['400 in a compressed form', run, { ...ann, 'content-encoding': 'gzip' }, 10 * MiB, 400],
  ])('%s: replies after the headers and closes the connection', async (_, path, headers, length, status) => {
    const { request, reply } = open(path, { ...(headers as object), 'content-length': length });
    request.flushHeaders();
    const refused = await reply;
    expect(refused.status).toBe(status);
    expect(refused.headers.connection).toBe('close');
    expect(service.context.effects).toEqual([]);
    request.destroy();
  });

  test('refuses before 100 Continue', async () => {
    const { request, reply } = open(run, { expect: '100-continue', 'content-length': 10 * MiB });
    let continued = false;
    request.on('continue', () => {
      continued = true;
    });
    request.flushHeaders();
    expect((await reply).status).toBe(401);
    expect(continued).toBe(false);
    request.destroy();
  });

  test('closes the connection of a client that keeps sending', async () => {
    const socket = connect(service.server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST ${run} HTTP/1.1\r\nHost: a\r\nContent-Length: ${1_000 * MiB}\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 401 /);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const chunk = Buffer.alloc(64 * 1024);
    let sent = 0;
    const sending = async () => {
      while (!socket.destroyed && sent < 1_000 * MiB) {
        sent += chunk.length;
        if (!socket.write(chunk))
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
      }
    };
    await Promise.all([closed, sending()]);
    expect(sent).toBeLessThan(100 * MiB);
  });

  test('discards a short body and keeps the connection', async () => {
    const socket = connect(service.server.port, '127.0.0.1');
    const body = jsonOfSize(1_000);
    socket.write(`POST ${run} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
});

describe('an endpoint without a body', () => {
  const head = 'POST /core/v1/new_account HTTP/1.1\r\nHost: a\r\n';
  const exchange = (bytes: string): Promise<string> => {
    const socket = connect(service.server.port, '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  };

  test.each([
    ['a malformed chunk', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n`],
    ['a body over 64 KiB', `${head}Content-Length: 65537\r\n\r\n{}`],
    ['chunks over 64 KiB', `${head}Transfer-Encoding: chunked\r\n\r\n10001\r\n${'x'.repeat(65_537)}\r\n`],
  ])('answers 400 without an effect to %s', async (_what, bytes) => {
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 400 /);
    expect(service.context.effects).toEqual([]);
  });

  test('has no effect when the client leaves before the end of the body', async () => {
    const socket = connect(service.server.port, '127.0.0.1');
    socket.write(`${head}Content-Length: 10\r\n\r\n{`);
    await expect.poll(() => connections.get(socket.localPort)).toBeDefined();
    const served = connections.get(socket.localPort) as Socket;
    socket.destroy();
    await expect.poll(() => served.destroyed).toBe(true);
    expect((await send('/health', 2, {})).status).toBe(404);
    expect(service.context.effects).toEqual([]);
  });

  test('discards a short one, and keeps the connection', async () => {
    const socket = connect(service.server.port, '127.0.0.1');
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200/);
    expect(service.context.effects).toEqual(['account']);
  });
});

test('sends 100 Continue for an accepted body', async () => {
  const body = jsonOfSize(1_000);
  const { request, reply } = open(run, { ...ann, expect: '100-continue', 'content-length': body.length });
  request.flushHeaders();
  await once(request, 'continue');
  request.end(body);
  expect(await reply).toMatchObject({ status: 200, json: 989 });
});

describe('bytes in flight', () => {
  test('returns 429 with Retry-After over the limit per address; other addresses and small bodies are not limited', async () => {
    const held = await hold(10 * MiB - 1, { ...ann, ...from('192.0.2.1') });
    await expect
      .poll(async () => (await send(run, 3 * MiB, { ...ann, ...from('192.0.2.1') })).status)
      .toBe(429);
    const refused = await send(run, 3 * MiB, { ...ann, ...from('192.0.2.1') });
    expect(refused.json).toMatchObject({ error: 'too_many_requests' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

    expect((await send(run, 3 * MiB, { ...ann, ...from('192.0.2.2') })).status).toBe(200);
    const group = { group_name: 'g', cid_hashes_permitted: [] };
    expect((await service.post('/core/v1/add_group', group, { ...ann, ...from('192.0.2.1') })).status).toBe(
      200,
    );
    held.request.destroy();
    await expect
      .poll(async () => (await send(run, 3 * MiB, { ...ann, ...from('192.0.2.1') })).status)
      .toBe(200);
  });

  test('counts the addresses of one /64 as one address', async () => {
    const held = await hold(10 * MiB - 1, { ...ann, ...from('2001:db8:0:1::1') });
    const status = async (ip: string) => (await send(run, 3 * MiB, { ...ann, ...from(ip) })).status;
    await expect.poll(() => status('2001:db8::1:ffff:0:0:2')).toBe(429);
    expect(await status('2001:db8:0:2::1')).toBe(200);
    held.request.destroy();
    await expect.poll(() => status('2001:db8:0:1::1')).toBe(200);
  });

  test('returns 503 with Retry-After over the total; anonymous callers are refused at half of it', async () => {
    const first = await hold(10 * MiB - 1, { ...ann, ...from('192.0.2.11') });
    const stranger = () => send('/core/v1/code_length', MiB, from('192.0.2.19'));
    await expect.poll(async () => (await stranger()).status).toBe(503);
    const known = () => send(run, 3 * MiB, { ...ann, ...from('192.0.2.13') });
    expect((await known()).status).toBe(200);
    const second = await hold(9 * MiB, { ...ann, ...from('192.0.2.12') });
    await expect.poll(async () => (await known()).status).toBe(503);
    expect(Number((await known()).headers['retry-after'])).toBeGreaterThan(0);
    first.request.destroy();
    second.request.destroy();
    await expect.poll(async () => [(await known()).status, (await stranger()).status]).toEqual([200, 200]);
  });

  test('stops counting a body once it is decoded, while its handler runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    service.context.gate = promise;
    const running: ReturnType<typeof send>[] = [];
    for (let i = 1; i <= 3; i++) {
      running.push(send(run, 9 * MiB, { ...ann, ...from('192.0.2.21') }));
      await expect.poll(() => service.context.effects.length).toBe(i);
    }
    resolve();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

test('returns 429 over the anonymous bytes per minute, before the body is read', async () => {
  const path = '/core/v1/code_length';
  const stranger = from('192.0.2.31');
  expect((await send(path, 10 * MiB, stranger)).status).toBe(200);
  expect((await send(path, 10 * MiB, stranger)).status).toBe(200);
  const { request, reply } = open(path, { ...stranger, 'content-length': 10 * MiB });
  request.flushHeaders();
  const refused = await reply;
  expect(refused).toMatchObject({ status: 429, json: { error: 'too_many_requests' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  request.destroy();
  // A body without a Content-Length counts as the limit of its route.
  const chunked = { ...from('192.0.2.32'), 'transfer-encoding': 'chunked' };
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await send(path, 100, chunked)).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test('releases the body while its handler runs', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / MiB;
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  service.context.gate = promise;
  const before = used();
  // Most of the body is dropped by the schema. The sender runs in the same process and keeps one chunk.
  const parts = [
    Buffer.from('{"code":"x","more":"'),
    ...Array(128).fill(Buffer.alloc(64 * 1024, 'a')),
    Buffer.from('"}'),
  ];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const pending: ReturnType<typeof open>['reply'][] = [];
  for (let i = 1; i <= 10; i++) {
    const key: Record<string, string> = i % 2 ? { 'idempotency-key': crypto.randomUUID() } : {};
    const { request, reply } = open(run, { ...ann, ...key, ...from('192.0.2.41'), 'content-length': length });
    for (const part of parts) request.write(part);
    request.end();
    pending.push(reply);
    await expect.poll(() => service.context.effects.length).toBe(i);
  }
  await expect.poll(() => used() - before).toBeLessThan(20);
  resolve();
  for (const { status } of await Promise.all(pending)) expect(status).toBe(200);
});

test('a client that disconnects in the middle of its body is not a failure of the service', async () => {
  const held = await hold(MiB, { ...ann, ...from('192.0.2.51') });
  held.request.destroy();
  const line = () => service.lines.filter((entry) => entry.includes(run)).at(-1);
  await expect.poll(line).toContain('"status":"aborted"');
  expect(line()).not.toContain('internal_error');
  expect(service.lines.filter((entry) => JSON.parse(entry).level >= 50)).toEqual([]);
});
