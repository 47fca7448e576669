import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protocols } from '@latchkey/service/versions';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { loadConfig } from '../config.ts';
import { listen, type Server } from './server.ts';

const PROTOCOL = 'latchkey-runner.3';
const SPOKEN = `${PROTOCOL}, latchkey-runner.2`;
const TOKEN = 'a token of at least 32 characters';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const refused: string[] = [];
async function start(variables: Record<string, string>, isHealthy = true) {
  const server = await listen(loadConfig(variables), {
    isHealthy: () => isHealthy,
    onConnection: (socket) => socket.send('hello'),
    onRefused: (reason) => refused.push(reason),
  });
  servers.push(server);
  return server;
}
/** Resolves to the first message, or to the error. */
async function connectTo(
  url: string,
  authorization?: string,
  protocol: string[] = [PROTOCOL],
): Promise<string> {
  const headers = authorization === undefined ? {} : { authorization };
  const socket = new WebSocket(url, protocol, { headers });
  const outcome = await Promise.race([
    once(socket, 'message').then(([data]) => String(data)),
    once(socket, 'error').then(([error]) => String(error.message)),
  ]).catch((error: Error) => error.message);
  socket.terminate();
  return outcome;
}

test('a port takes only connections with the token', async () => {
  const { url } = await start({ RUNNER_LISTEN: '127.0.0.1:0', RUNNER_TOKEN: TOKEN });
  expect(await connectTo(url, `Bearer ${TOKEN}`)).toBe('hello');
  for (const wrong of [undefined, '', 'Bearer', `Bearer ${TOKEN}!`, TOKEN])
    expect(await connectTo(url, wrong)).toMatch(/401/);
});

test('a client that breaks its refused connection does not end the runner', async () => {
  const { url } = await start({ RUNNER_LISTEN: '127.0.0.1:0', RUNNER_TOKEN: TOKEN });
  const { port } = new URL(url);
  for (let attempt = 0; attempt < 20; attempt++) {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n', () =>
      socket.resetAndDestroy(),
    );
    await once(socket, 'close');
  }
  expect(await connectTo(url, `Bearer ${TOKEN}`)).toBe('hello');
});

test('a refused client that keeps its side open does not hold up a stop', async () => {
  const { url, close } = await start({ RUNNER_LISTEN: '127.0.0.1:0', RUNNER_TOKEN: TOKEN });
  servers.pop();
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nmore');
  expect(String(await once(socket, 'data'))).toContain('401');
  await close();
  socket.destroy();
});

test('leaves the rights of an existing directory as they are', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-shared-'));
  await chmod(directory, 0o755);
  await start({ RUNNER_LISTEN: join(directory, 'socket') });
  expect((await stat(directory)).mode & 0o777).toBe(0o755);
  await rm(directory, { recursive: true });
});

test('only its user can open a Unix socket, which replaces the socket of a killed runner', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-socket-'));
  const path = join(directory, 'socket');
  await start({ RUNNER_LISTEN: path });
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect(await connectTo(`ws+unix:${path}:/`)).toBe('hello');
  await expect(start({ RUNNER_LISTEN: path })).rejects.toThrow(/another runner listens/);
  await rm(directory, { recursive: true });
});

test.each([
  [true, 200],
  [false, 503],
])('/health when the runner is healthy: %s', async (isHealthy, status) => {
  const { url } = await start({ RUNNER_LISTEN: '127.0.0.1:0', RUNNER_TOKEN: TOKEN }, isHealthy);
  const http = url.replace('ws:', 'http:');
  expect((await fetch(`${http}/health`)).status).toBe(status);
  expect((await fetch(`${http}/other`)).status).toBe(404);
});

test('refuses a relayer of another version, and names it in the log and in /health', async () => {
  const { url } = await start({ RUNNER_LISTEN: '127.0.0.1:0', RUNNER_TOKEN: TOKEN });
  refused.length = 0;
  const other = ['latchkey-runner.5', 'latchkey-runner.4'];
  for (const protocol of [[], other, other])
    expect(await connectTo(url, `Bearer ${TOKEN}`, protocol)).toMatch(/426/);
  const detail = `a relayer speaks latchkey-runner.5,latchkey-runner.4, this runner ${SPOKEN}: update the older one`;
  expect(refused).toEqual([
    `a relayer speaks an earlier protocol, this runner ${SPOKEN}: update the older one`,
    detail,
  ]);
  const health = await fetch(`${url.replace('ws', 'http')}/health`);
  expect(await health.json()).toEqual({ status: 'ok', detail });
});

test.each([
  ['one version up', 1, ['latchkey-runner.2', 'latchkey-runner.1'], 'hello'],
  ['one version down', 2, ['latchkey-runner.1'], 'hello'],
  ['two versions up', 1, ['latchkey-runner.3', 'latchkey-runner.2'], /426/],
  ['two versions down', 3, ['latchkey-runner.1'], /426/],
])('a relayer %s', async (_, latest, offered, outcome) => {
  const { url } = await start({ RUNNER_LISTEN: '127.0.0.1:0', RUNNER_TOKEN: TOKEN });
  const before = protocols.runner.latest;
  protocols.runner.latest = latest;
  try {
    expect(await connectTo(url, `Bearer ${TOKEN}`, offered)).toMatch(outcome);
  } finally {
    protocols.runner.latest = before;
  }
});
