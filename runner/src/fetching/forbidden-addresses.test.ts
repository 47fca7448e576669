import diagnostics from 'node:diagnostics_channel';
import { BlockList, createServer, type Server, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '@latchkey/http/public-address';
import { ActionError } from '@latchkey/runner-protocol';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { serve, serveNames } from '../testing.ts';
import { createActionNames } from './action-names.ts';
import { createGuardedAgent, defaultFetchOptions } from './guarded-agent.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** Addresses of each class that is not public. */
const V4: Record<string, string[]> = {
  loopback: ['127.0.0.1', '127.255.255.254', '127.1.2.3'],
  'this network': ['0.0.0.0', '0.1.2.3'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'link-local': ['169.254.0.1', '169.254.255.254'],
  'cloud metadata': ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'protocol assignments': ['192.0.0.1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  benchmark: ['198.18.0.1', '198.19.255.255'],
  '6to4 relay': ['192.88.99.1'],
  multicast: ['224.0.0.1', '239.255.255.255'],
  reserved: ['240.0.0.1', '255.255.255.254'],
  broadcast: ['255.255.255.255'],
};
const V6: Record<string, string[]> = {
  loopback: ['::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '0::1'],
  unspecified: ['::', '0::0', '0:0:0:0:0:0:0:0'],
  'unique local': ['fc00::1', 'fd00::1', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'FD12:3456::1'],
  'cloud metadata': ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
  'link-local': ['fe80::1', 'febf::1', 'FE80::A9FE:A9FE'],
  'site-local': ['fec0::1', 'feff::1'],
  multicast: ['ff02::1', 'ff00::', 'ff0e::1'],
  documentation: ['2001:db8::1', '3fff::1'],
  discard: ['100::1'],
  benchmark: ['2001:2::1'],
  ORCHID: ['2001:10::1', '2001:20::1'],
  Teredo: ['2001::1', '2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  'segment routing': ['5f00::1'],
  unassigned: ['4000::1', 'e000::1', '1::1'],
};

const numberOf = (v4: string) => v4.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const parts = (v4: string) => v4.split('.').map(Number) as [number, number, number, number];
const hex = (value: number, digits = 0) => value.toString(16).padStart(digits, '0');
const groups = (v4: string) => {
  const [a, b, c, d] = parts(v4);
  return `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
};
const shifted = (text: string, zero: number, dot = '.') =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))).replaceAll('.', dot);
const enclosed = (text: string) =>
  text.replace(/\d/g, (digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x2460 + Number(digit) - 1)));

/** Ways to write an IPv4 address in a URL. */
const V4_FORMS: Record<string, (v4: string) => string> = {
  dotted: (v4) => v4,
  'one decimal number': (v4) => String(numberOf(v4)),
  'one hexadecimal number': (v4) => `0x${hex(numberOf(v4), 8)}`,
  'one octal number': (v4) => `0${numberOf(v4).toString(8)}`,
  'octal parts': (v4) =>
    parts(v4)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  'octal parts with many zeros': (v4) =>
    parts(v4)
      .map((part) => part.toString(8).padStart(9, '0'))
      .join('.'),
  'hexadecimal parts': (v4) =>
    parts(v4)
      .map((part) => `0X${hex(part)}`)
      .join('.'),
  'mixed parts': (v4) => {
    const [a, b, c, d] = parts(v4);
    return `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`;
  },
  'two parts': (v4) => `${parts(v4)[0]}.${numberOf(v4) % 2 ** 24}`,
  'three parts': (v4) => `${parts(v4).slice(0, 2).join('.')}.${numberOf(v4) % 2 ** 16}`,
  'trailing dot': (v4) => `${v4}.`,
  'full-width digits': (v4) => shifted(v4, 0xff10),
  'full-width dots': (v4) => v4.replaceAll('.', '．'),
  'ideographic dots': (v4) => v4.replaceAll('.', '。'),
  'half-width ideographic dots': (v4) => v4.replaceAll('.', '｡'),
  'enclosed digits': enclosed,
  'mathematical digits': (v4) => shifted(v4, 0x1d7ce),
  'superscript first digit': (v4) =>
    v4.replace(/^[123]/, (digit) => ({ 1: '¹', 2: '²', 3: '³' })[digit] ?? digit),
  'percent-encoded digits': (v4) => v4.replace(/\d/g, (digit) => `%3${digit}`),
  'percent-encoded dots': (v4) => v4.replaceAll('.', '%2e'),
  'percent-encoded full-width': (v4) => encodeURIComponent(shifted(v4, 0xff10, '．')),
  'tabs and newlines': (v4) => v4.replaceAll('.', '.\t\n\r'),
  'soft hyphens': (v4) => v4.replaceAll('.', '­.'),
  'zero-width spaces': (v4) => `​${v4}`,
  'IPv4-mapped': (v4) => `[::ffff:${v4}]`,
  'IPv4-mapped in groups': (v4) => `[0:0:0:0:0:FFFF:${groups(v4)}]`,
  'IPv4-compatible': (v4) => `[::${v4}]`,
  'IPv4-translated': (v4) => `[::ffff:0:${v4}]`,
  NAT64: (v4) => `[64:ff9b::${v4}]`,
  'local-use NAT64': (v4) => `[64:ff9b:1::${groups(v4)}]`,
  '6to4': (v4) => `[2002:${groups(v4)}::1]`,
  Teredo: (v4) => `[2001:0:${groups(v4)}::1]`,
  'ISATAP, link-local': (v4) => `[fe80::5efe:${v4}]`,
};

/** Ways to write a URL around a host and its port. */
const URL_FORMS: Record<string, (host: string) => string> = {
  https: (host) => `https://${host}/`,
  'upper-case scheme': (host) => `HTTP://${host}/`,
  'no slashes': (host) => `http:${host}/`,
  'one slash': (host) => `http:/${host}/`,
  'many slashes': (host) => `http:////${host}/`,
  backslashes: (host) => `http:\\\\${host}\\`,
  'tabs in the scheme': (host) => `ht\ttp:/\n/${host}/`,
  'leading spaces': (host) => `  \u0000 http://${host}/`,
  'empty userinfo': (host) => `http://@${host}/`,
  'a public host as the user': (host) => `http://example.com@${host}/`,
  'a public host as user and password': (host) => `http://example.com:80@${host}/`,
  'a public host as the user, encoded': (host) => `http://example.com%2f@${host}/`,
  'two users': (host) => `http://a@example.com@${host}/`,
  'a backslash before a public host': (host) => `http://${host}\\@example.com/`,
  'a query before a public host': (host) => `http://${host}?@example.com/`,
  'a fragment before a public host': (host) => `http://${host}#@example.com/`,
  'a public host in the path': (host) => `http://${host}//example.com/`,
};

/** Zone identifiers, which a URL cannot have. */
const ZONES = ['%25eth0', '%eth0', '%251', '%1', '%25lo', '%lo', '%25', '%'].map(
  (zone) => `[fe80::1${zone}]`,
);

const LOCAL_NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
  'ｌｏｃａｌｈｏｓｔ',
  'loc%61lhost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'metadata.google.internal',
  'metadata',
  'instance-data',
  'host.docker.internal',
  'kubernetes.default.svc',
];

/** Names and what their servers say, A and AAAA. */
const PUBLIC = '93.184.215.14';
const PUBLIC_V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
const NAMES: Record<string, [a: string[], aaaa: string[]]> = {
  'public.example': [[PUBLIC], []],
  'a-private.example': [['10.0.0.1'], []],
  'a-loopback.example': [['127.0.0.1'], []],
  'a-metadata.example': [['169.254.169.254'], []],
  'a-zero.example': [['0.0.0.0'], []],
  'a-cgnat.example': [['100.64.0.1'], []],
  'a-multicast.example': [['224.0.0.1'], []],
  'a-broadcast.example': [['255.255.255.255'], []],
  'aaaa-loopback.example': [[], ['::1']],
  'aaaa-mapped.example': [[], ['::ffff:127.0.0.1']],
  'aaaa-nat64.example': [[], ['64:ff9b::7f00:1']],
  'aaaa-6to4.example': [[], ['2002:7f00:1::1']],
  'aaaa-unique-local.example': [[], ['fd00::1']],
  'aaaa-link-local.example': [[], ['fe80::1']],
  'a-public-aaaa-private.example': [[PUBLIC], ['fd00::1']],
  'a-private-aaaa-public.example': [['10.0.0.1'], [PUBLIC_V6]],
  'first-of-several.example': [['127.0.0.1', PUBLIC, '1.1.1.1'], []],
  'last-of-several.example': [[PUBLIC, '1.1.1.1', '192.168.0.1'], []],
  'last-of-several-v6.example': [[PUBLIC], [PUBLIC_V6, '::1']],
};

type Target = [kind: string, url: (port: number) => string];
const table = (): Target[] => {
  const classes4 = Object.entries(V4).flatMap(([kind, all]) => all.map((v4) => [kind, v4] as const));
  const classes6 = Object.entries(V6).flatMap(([kind, all]) => all.map((v6) => [kind, v6] as const));
  const firsts = Object.entries(V4).map(([kind, [v4 = '']]) => [kind, v4] as const);
  return [
    ...classes4.map(([kind, v4]): Target => [`${kind}: ${v4}`, (port) => `http://${v4}:${port}/`]),
    ...classes6.map(([kind, v6]): Target => [`${kind}: ${v6}`, (port) => `http://[${v6}]:${port}/`]),
    ...firsts.flatMap(([kind, v4]) =>
      Object.entries(V4_FORMS).map(
        ([form, write]): Target => [`${kind}, ${form}`, (port) => `http://${write(v4)}:${port}/`],
      ),
    ),
    ...Object.entries(URL_FORMS).flatMap(([form, write]) =>
      ['127.0.0.1', '[::1]', '2130706433'].map(
        (host): Target => [`${form}: ${host}`, (port) => write(`${host}:${port}`)],
      ),
    ),
    ...ZONES.map((host): Target => [`a zone: ${host}`, (port) => `http://${host}:${port}/`]),
    ...LOCAL_NAMES.map((name): Target => [`a local name: ${name}`, (port) => `http://${name}:${port}/`]),
    ...Object.keys(NAMES)
      .filter((name) => name !== 'public.example')
      .map((name): Target => [`a name: ${name}`, (port) => `http://${name}:${port}/`]),
  ];
};

/** A listener per local address. They count connections, as far as any comes. */
let listeners: Server[] = [];
let port = 0;
let connections = 0;
let redirector: Awaited<ReturnType<typeof serve>>;
let dns: Awaited<ReturnType<typeof serveNames>>;
/** Every address to which a socket of this process began to connect. */
let attempts: string[] = [];

const listen = async (host: string, at: number): Promise<Server | undefined> => {
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(at, host, () => resolve(server));
  });
};

const connect = Socket.prototype.connect;
beforeAll(async () => {
  redirector = await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    // Some forms are relative to the URL that redirects.
    if (!searchParams.has('to')) return request.socket.destroy();
    const location = Buffer.from(searchParams.get('to') ?? '').toString('latin1');
    response.writeHead(Number(searchParams.get('status')), { location }).end();
  });
  dns = await serveNames((name, family) => {
    const known = NAMES[name.toLowerCase()];
    if (known) return known[family === 4 ? 0 : 1];
    // A resolver that answers local names with local addresses, as some do.
    return family === 4 ? ['127.0.0.1'] : ['::1'];
  });
  const first = (await listen('127.0.0.1', 0)) as Server;
  ({ port } = first.address() as { port: number });
  const local = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  const others = await Promise.all(
    [...new Set([...local, '127.1.2.3', '::1'])]
      .filter((host) => host !== '127.0.0.1')
      .map((host) => listen(host, port)),
  );
  listeners = [first, ...others.filter((server) => server !== undefined)];
  // Node calls it with the address, after the look-up of a name.
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    this.on('connectionAttempt', (ip: string, at: number) => attempts.push(`${ip} ${at}`));
    return Reflect.apply(connect, this, args);
  } as typeof connect);
});
afterAll(async () => {
  vi.restoreAllMocks();
  for (const server of listeners) server.close();
  await redirector[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});
afterEach(() => {
  attempts = [];
});

/** Fetches with a new connection each. Only the redirector is allowed. */
const outcome = async (
  url: string,
  allowedAddresses: string[] = [],
  forbiddenAddresses = new BlockList(),
): Promise<ActionError> => {
  const options = { ...defaultFetchOptions, allowedAddresses, forbiddenAddresses, timeoutMs: 5_000 };
  const names = createActionNames([dns.server]).forRun(1n);
  const agent = createGuardedAgent(options, names, () => {});
  try {
    const message = { type: 'fetch', id: 1, url, method: 'GET', headers: [] } as const;
    await guardedFetch(
      agent,
      options,
      { ...message, headers: [], redirect: 'follow', body: 'none' },
      null,
      new AbortController().signal,
      { onRequest() {}, onBytes() {} },
    );
  } catch (error) {
    return error as ActionError;
  } finally {
    names.close();
    await agent.destroy();
  }
  throw new Error(`${url} was fetched`);
};

const expectNoConnection = () => {
  expect(attempts.filter((attempt) => !attempt.endsWith(` ${redirector.port}`))).toEqual([]);
  expect(connections).toBe(0);
};

const TARGETS = table();

test('the table names forbidden addresses in at least 250 distinct ways', () => {
  expect(new Set(TARGETS.map(([, url]) => url(1))).size).toBeGreaterThanOrEqual(250);
});

describe('never connects to', () => {
  test.each(TARGETS)('%s', async (_kind, url) => {
    const error = await outcome(url(port));
    expect(error).toBeInstanceOf(ActionError);
    expect(error.message).toMatch(/is a private address|^fetch failed/);
    expectNoConnection();
  });

  test.each([301, 302, 303, 307, 308])('any of them behind a redirect with status %i', async (status) => {
    for (const [, url] of TARGETS) {
      const to = url(port);
      if (/\p{Cc}/u.test(to)) continue; // a header cannot have it
      const from = `${redirector.url}/?status=${status}&to=${encodeURIComponent(to)}`;
      expect(await outcome(from, [`127.0.0.1:${redirector.port}`])).toBeInstanceOf(ActionError);
      expectNoConnection();
    }
  });

  test('the port of the service itself, or another one of an allowed host', async () => {
    const allowed = [`127.0.0.1:${redirector.port}`, `localhost:${redirector.port}`];
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1'])
      expect((await outcome(`http://${host}:${port}/`, allowed)).name).toBe('FetchBlockedError');
    expectNoConnection();
  });

  test('an address that a name has only at the second look-up', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    await using changing = await serveNames((_name, family) => (family === 4 ? (answers.shift() ?? []) : []));
    const resolve = createActionNames([changing.server]).forRun(1n).resolve;
    expect(await resolve('rebinding.example')).toEqual([{ address: PUBLIC, family: 4 }]);
    const names = createActionNames([changing.server]).forRun(1n);
    const agent = createGuardedAgent(defaultFetchOptions, names, () => {});
    const message = { type: 'fetch', id: 1, method: 'GET', redirect: 'follow', body: 'none' } as const;
    const url = `http://rebinding.example:${port}/`;
    const meter = { onRequest() {}, onBytes() {} };
    const { signal } = new AbortController();
    await expect(
      guardedFetch(agent, defaultFetchOptions, { ...message, url, headers: [] }, null, signal, meter),
    ).rejects.toThrow('is a private address');
    await agent.destroy();
    expectNoConnection();
  });
});

test('a public address that the operator forbids is refused, as a URL, as a name and behind a redirect', async () => {
  const forbidden = new BlockList();
  forbidden.addSubnet('93.184.0.0', 16, 'ipv4');
  const allowed = [`127.0.0.1:${redirector.port}`];
  for (const url of [`http://${PUBLIC}/`, 'http://public.example/', 'http://1572394766/'])
    for (const from of [url, `${redirector.url}/?status=302&to=${encodeURIComponent(url)}`])
      expect((await outcome(from, allowed, forbidden)).name).toBe('FetchBlockedError');
  expectNoConnection();
});

test('a connection of the redirector is observed', async () => {
  const seen: unknown[] = [];
  const note = (message: unknown) => seen.push(message);
  diagnostics.subscribe('undici:client:connected', note);
  await outcome(`${redirector.url}/?status=302&to=${encodeURIComponent('http://10.0.0.1/')}`, [
    `127.0.0.1:${redirector.port}`,
  ]);
  diagnostics.unsubscribe('undici:client:connected', note);
  expect(seen).toHaveLength(1);
  expect(attempts).toEqual([`127.0.0.1 ${redirector.port}`]);
});

test.each(['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);
