import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { describe, expect, test } from 'vitest';
import { listen } from './listen.ts';

/** An application whose `/slow` answers when `release` is called. `sockets`: of the requests, in their order. */
function slowApp() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  const app = express();
  app.use((req, _res, next) => {
    sockets.push(req.socket);
    next();
  });
  app.get('/slow', async (_req, res) => {
    enter();
    await promise;
    res.send('done');
  });
  app.all('/fast', (_req, res) => {
    res.send('fast');
  });
  return { app, entered, release, sockets };
}

function get(url: string, agent: Agent | false, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    request(url, { agent, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    })
      .on('error', reject)
      .end();
  });
}

/** Returns the bytes that the server sends on a connection after exactly these bytes. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('close', () => {
  test('completes an open request, also on a kept connection, and accepts no new one', async () => {
    const { app, entered, release } = slowApp();
    const server = await listen(app, 0);
    const agent = new Agent({ keepAlive: true });
    const slow = get(`${server.url}/slow`, agent);
    await entered;
    const closed = server.close();
    await expect(get(`${server.url}/fast`, false)).rejects.toThrow('ECONNREFUSED');
    release();
    expect(await slow).toEqual({ status: 200, body: 'done' });
    await closed;
    agent.destroy();
  });

  test('closes idle connections immediately; a second call is allowed', async () => {
    const { app } = slowApp();
    const agent = new Agent({ keepAlive: true });
    {
      await using server = await listen(app, 0);
      expect(await get(`${server.url}/fast`, agent)).toEqual({ status: 200, body: 'fast' });
      await server.close();
    }
    agent.destroy();
  });

  test('closes open connections at the deadline', async () => {
    const { app, entered, release } = slowApp();
    const server = await listen(app, 0);
    const slow = get(`${server.url}/slow`, false).catch((error: Error) => error);
    await entered;
    await server.close(10);
    expect(await slow).toBeInstanceOf(Error);
    release();
  });
});

test('rejects when the port is in use', async () => {
  await using first = await listen(slowApp().app, 0);
  await expect(listen(slowApp().app, first.port)).rejects.toThrow('EADDRINUSE');
});

describe('a malformed HTTP request', () => {
  test.each([
    ['another protocol', 'SSH-2.0-x\r\n\r\n'],
    ['an unknown method', 'STEAL / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two lengths', 'POST /fast HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'Content-Length with chunked encoding',
      'POST /fast HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['unterminated headers', `GET /fast HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`],
  ])('%s gets the error body', async (_, bytes) => {
    await using server = await listen(slowApp().app, 0);
    const [head = '', body = ''] = (await raw(server.port, bytes)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    const id = /X-Request-Id: (\S+)/.exec(head)?.[1];
    expect(JSON.parse(body)).toEqual({ error: 'bad_request', message: expect.any(String), request_id: id });
  });

  test('closes the connection without a second reply', async () => {
    await using server = await listen(slowApp().app, 0);
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /fast HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    expect(await text(socket)).toBe('');
  });
});

test('headers of 24 KiB and an unknown Expect reach the application', async () => {
  await using server = await listen(slowApp().app, 0);
  const reply = await get(`${server.url}/fast`, false, {
    'x-wallet-auth': 'a'.repeat(24_000),
    expect: 'other',
  });
  expect(reply).toEqual({ status: 200, body: 'fast' });
});

test('an idle connection outlives the time that it announces by ten seconds; a busy one has no limit', async () => {
  const { app, entered, release, sockets } = slowApp();
  await using server = await listen(app, 0);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { headers } = await fetch(`${server.url}/fast`);
  expect(headers.get('keep-alive')).toBe('timeout=65');
  await expect.poll(() => sockets[0]?.timeout).toBe(75_000);
  await get(`${server.url}/fast`, agent);
  const slow = get(`${server.url}/slow`, agent);
  await entered;
  expect(sockets[2]).toBe(sockets[1]);
  expect(sockets[2]?.timeout).toBe(0);
  release();
  await slow;
  await expect.poll(() => sockets[2]?.timeout).toBe(75_000);
  agent.destroy();
});
