import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Connection,
  type ConnectionLimits,
  DEFAULT_CONNECTION_LIMITS,
  overUnsent,
  toReplace,
} from './connections.ts';
import { listen } from './listen.ts';

type Kind = 'idle' | 'half-sent' | 'answered' | number;
/** A connection with this state; a number means its unsent bytes. */
function connection(kind: Kind): Connection & { kind: Kind } {
  const request = kind === 'idle' ? undefined : { complete: kind !== 'half-sent' };
  const writableLength = typeof kind === 'number' ? kind : 0;
  return { kind, request, socket: { writableLength, destroy: () => ({}) as Socket } };
}
const network = (...kinds: Kind[]) => new Set(kinds.map(connection));

describe('toReplace', () => {
  test.each<[string, Set<ReturnType<typeof connection>>[], Kind | undefined]>([
    ['the longest waiting of a network', [network('answered', 'half-sent', 'idle')], 'half-sent'],
    ['one that does not take its reply', [network('answered', 100, 'idle')], 100],
    ['one of the network with the most', [network('half-sent'), network('answered', 'idle')], 'idle'],
    [
      'one of a smaller network when the largest is being answered',
      [network('answered', 'answered'), network('idle')],
      'idle',
    ],
    ['none that is being answered', [network('answered'), network('answered', 'answered')], undefined],
  ])('returns %s', (_, networks, kind) => {
    expect(toReplace(networks)?.kind).toBe(kind);
  });
});

describe('overUnsent', () => {
  test.each<[number, Kind[]]>([
    [60, []],
    [59, [30]],
    [30, [30]],
    [29, [30, 20]],
    [0, [30, 20, 10]],
  ])('at most %i bytes', (maxBytes, closed) => {
    const all = [10, 'idle', 30, 'answered', 20].map((kind) => connection(kind as Kind));
    expect(overUnsent(all, maxBytes).map(({ kind }) => kind)).toEqual(closed);
  });
});

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const BIG = 'GET /big HTTP/1.1\r\nHost: a\r\n\r\n';
const BIG_LAST = 'GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const HALF = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx';
const REPLY_BYTES = 4 * 1024 * 1024;

/** A server whose `/big` has a long reply, and which answers other requests when `release` is called. */
async function start(limits: Partial<ConnectionLimits> = {}) {
  const waiting: ServerResponse[] = [];
  const requests: string[] = [];
  const served: Socket[] = [];
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    requests.push(`${req.method} ${req.url}`);
    served.push(req.socket);
    if (req.url === '/big') res.end(Buffer.alloc(REPLY_BYTES));
    else waiting.push(res);
  };
  const server = await listen(answer, 0, '127.0.0.1', { ...DEFAULT_CONNECTION_LIMITS, ...limits });
  onTestFinished(() => server.close(0));
  return {
    requests,
    /** The server's side of the connections, by request. */
    served,
    release: () => {
      for (const res of waiting.splice(0)) res.end('done');
    },
    /** Opens a connection from 127.0.0.`from` and sends these bytes. */
    async open(bytes = '', from = 1) {
      const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: `127.0.0.${from}` });
      socket.on('error', () => {}); // `close` follows
      await once(socket, 'connect');
      socket.write(bytes);
      return socket;
    },
  };
}

/** Resolves when the other side has closed the connection. */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
}

describe('a client that does not wait for the reply', () => {
  test('gets the first reply; its other requests are ignored and the connection is closed', async () => {
    const { open, requests, release } = await start();
    const socket = await open(GET.repeat(3));
    const received = text(socket);
    await expect.poll(() => requests).toEqual(['GET /']);
    release();
    expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
    expect(requests).toEqual(['GET /']);
  });

  test('is closed immediately after eight more requests, and none of 1,400 is answered', async () => {
    const { open, requests } = await start();
    const socket = await open(GET.repeat(1_400));
    await closed(socket);
    expect(requests).toEqual(['GET /']);
    expect(socket.bytesRead).toBe(0);
  });

  test('can open no connection after 10,000 of these, while other addresses can', async () => {
    const { open, requests } = await start();
    for (let i = 0; i < 10; i++) await closed(await open(GET.repeat(1_200)));
    const before = requests.length;
    await closed(await open(GET));
    expect(requests).toHaveLength(before);
    await open(GET, 2);
    await expect.poll(() => requests).toHaveLength(before + 1);
  });

  test('can open other connections after few of these', async () => {
    const { open, requests } = await start();
    for (let i = 0; i < 20; i++) await closed(await open(GET.repeat(20)));
    await open(GET);
    await expect.poll(() => requests).toHaveLength(21);
  });

  test('reads the whole first reply, although it sent a long second request', async () => {
    const { open } = await start();
    const body = 'x'.repeat(300_000);
    const socket = await open(
      `${BIG}POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect((await text(socket)).length).toBeGreaterThan(REPLY_BYTES);
  });

  test('is served when each request follows a reply', async () => {
    const { open, requests, release } = await start();
    const socket = await open(GET);
    for (let i = 1; i <= 20; i++) {
      await expect.poll(() => requests).toHaveLength(i);
      release();
      await once(socket, 'data');
      socket.write(GET);
    }
  });
});

describe('more connections than allowed', () => {
  test('of one address replace its longest waiting one, and none of another', async () => {
    const { open } = await start({ total: 10, perAddress: 2 });
    const other = await open(HALF, 2);
    const first = await open();
    const second = await open(HALF);
    const third = await open();
    await closed(first);
    const fourth = await open();
    await closed(second);
    expect([other, third, fourth].map(({ closed }) => closed)).toEqual([false, false, false]);
  });

  test('of one address are refused while all of its requests are being answered', async () => {
    const { open, requests, release } = await start({ total: 10, perAddress: 2 });
    const answered = await Promise.all([open(GET), open(GET)]);
    await expect.poll(() => requests).toHaveLength(2);
    await closed(await open(GET));
    const neighbour = await open(GET, 2);
    await expect.poll(() => requests).toHaveLength(3);
    release();
    for (const socket of [...answered, neighbour])
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
  });

  test('in total replace one of the address with the most', async () => {
    const { open, requests } = await start({ total: 4, perAddress: 4 });
    const honest = await open('', 2);
    const many = [await open(HALF), await open(), await open()];
    const next = await open(GET, 3);
    await closed(many[0] as Socket);
    await expect.poll(() => requests).toContain('GET /');
    expect([honest, many[1], many[2], next].map((socket) => socket?.closed)).toEqual(Array(4).fill(false));
  });

  test('count no longer when they are closed', async () => {
    const { open, requests } = await start({ total: 2, perAddress: 2 });
    for (let i = 1; i <= 5; i++) {
      const socket = await open(GET);
      await expect.poll(() => requests).toHaveLength(i);
      socket.resetAndDestroy();
      await closed(socket);
    }
  });
});

describe('a client that does not take its reply', () => {
  test('is closed after the time for it', async () => {
    const { open, served } = await start({ takeTimeoutMs: 100 });
    await open(BIG);
    await expect.poll(() => served.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test('is closed when it and others of its address leave more bytes than allowed', async () => {
    const { open, served } = await start({ total: 8, perAddress: 4, unsentBytes: 3 * REPLY_BYTES });
    for (let i = 0; i < 4; i++) await open(BIG);
    // The share of an address is half: one and a half replies, of which the kernel takes a part.
    const unsent = () => served.reduce((sum, { writableLength }) => sum + writableLength, 0);
    await expect.poll(() => served.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0);
    await expect.poll(unsent).toBeLessThanOrEqual(1.5 * REPLY_BYTES);
    expect((await text(await open(BIG_LAST, 2))).length).toBeGreaterThan(REPLY_BYTES);
  });

  test('has as much time as it needs while it takes some', async () => {
    const { open } = await start({ takeTimeoutMs: 1_500 });
    const socket = await open(BIG_LAST);
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 50);
    });
    socket.resume();
    await once(socket, 'close');
    expect(bytes).toBeGreaterThan(REPLY_BYTES);
  });
});

test('500 clients that close their side after a request get their replies', async () => {
  const { open, requests, release } = await start();
  const replies: Promise<string>[] = [];
  for (let i = 0; i < 500; i++) {
    const socket = await open(GET);
    socket.end();
    replies.push(text(socket));
  }
  await expect.poll(() => requests).toHaveLength(500);
  release();
  for (const reply of await Promise.all(replies)) expect(reply).toMatch(/^HTTP\/1\.1 200 OK.*done$/s);
});

test.each([
  ['two Host headers', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['the same Host twice', 'GET / HTTP/1.1\r\nHost: a\r\nHOST: a\r\n\r\n'],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
])('%s is a 400 that reaches no route', async (_, bytes) => {
  const { open, requests } = await start();
  expect(await text(await open(bytes))).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(requests).toEqual([]);
});
