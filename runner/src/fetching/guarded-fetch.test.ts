import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { gzipSync } from 'node:zlib';
import { eventually } from '@latchkey/fork-server/testing';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import type { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { createRuntime } from '../runtime.ts';
import { runner, serve, serveNames } from '../testing.ts';
import { createActionNames } from './action-names.ts';
import { createGuardedAgent, defaultFetchOptions, type FetchOptions } from './guarded-agent.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** Made before, because it takes longer than a fetch may wait on a busy machine. */
const bomb = gzipSync(Buffer.alloc(50_000_000));

/** Responds to every request. `allowed` is the one that actions can reach. */
let forbiddenConnections = 0;
let aborted = 0;
/** Requests that the server leaves unanswered. */
let unanswered = 0;
let seen: { method?: string; url?: string; headers: Record<string, unknown>; body: string };

const names: Record<string, string[]> = {
  localhost: ['127.0.0.1'],
  'loopback.example': ['127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mixed-families.example': ['93.184.215.14', 'fd00::1'],
  'allowed.example': ['127.0.0.1'],
};

const forbidden = await serve((_request, response) => {
  forbiddenConnections += 1;
  response.end('secret');
});
const allowed = await serve(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  seen = {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  };
  switch (pathname) {
    case '/redirect':
      return response.writeHead(302, { location: searchParams.get('to') ?? '' }).end();
    case '/loop':
      return response.writeHead(302, { location: '/loop' }).end();
    case '/large':
      return response.end(Buffer.alloc(2_000_000));
    case '/bomb':
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    case '/never':
      unanswered += 1;
      return response.once('close', () => {
        aborted += 1;
      });
    case '/late':
      return setTimeout(() => response.end(), 2_000);
    case '/empty':
      return response.writeHead(204).end();
    case '/rpc': {
      const { id, method } = JSON.parse(seen.body);
      const result = method === 'eth_chainId' ? '0x1' : '0x10';
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    default:
      return response
        .writeHead(201, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'], 'x-a': 'b' })
        .end('{"ok":true}');
  }
});
const dns = await serveNames((name, family) => {
  const addresses = names[name];
  return addresses?.filter((address) => address.includes(':') === (family === 6)) ?? 'unknown';
});
disposeAfterAll(forbidden);
disposeAfterAll(allowed);
disposeAfterAll(dns);
const run = await startRuntime({
  fetch: {
    // Names that the operator allows are resolved by the system.
    allowedAddresses: [`127.0.0.1:${allowed.port}`, `localhost:${allowed.port}`],
    dnsServers: [dns.server],
    maxRequestBodyBytes: 100_000,
    maxResponseBodyBytes: 1_000_000,
    timeoutMs: 1_500,
  },
});
const fetching = (args: string, then = 'response.text()') =>
  run(`const main = async () => { const response = await fetch(${args}); return await (${then}) }`);

describe('refuses to connect to', () => {
  test.each([
    () => `http://127.0.0.1:${forbidden.port}/`,
    () => `http://2130706433:${forbidden.port}/`,
    () => `http://0x7f.1:${forbidden.port}/`,
    () => `http://0177.0.0.1:${forbidden.port}/`,
    () => `http://127.1:${forbidden.port}/`,
    () => `http://[::1]:${forbidden.port}/`,
    () => `http://[::ffff:127.0.0.1]:${forbidden.port}/`,
    () => `http://[::ffff:7f00:1]:${forbidden.port}/`,
    () => `http://[64:ff9b::7f00:1]:${forbidden.port}/`,
    () => `http://0.0.0.0:${forbidden.port}/`,
    () => `http://loopback.example:${forbidden.port}/`,
    () => `http://mapped.example:${forbidden.port}/`,
    () => `http://mixed.example:${forbidden.port}/`,
    () => `http://mixed-families.example:${forbidden.port}/`,
    () => 'http://metadata.example/latest/meta-data/',
    () => 'http://169.254.169.254/latest/meta-data/',
    () => 'http://[fd00:ec2::254]/latest/meta-data/',
    () => 'https://10.0.0.1/',
    () => `http://allowed.example:${forbidden.port}/`,
    () => `http://localhost:${forbidden.port}/`,
  ])('%s', async (url) => {
    const result = await fetching(JSON.stringify(url()));
    expect(result).toMatchObject({ response: null, hasError: true, error: { name: 'FetchBlockedError' } });
    const host = new URL(url()).hostname.replace(/^\[|\]$/g, '');
    expect(result.error?.message).toContain(`${host} is a private address, or belongs to this service`);
    expect(result.error?.message).toContain('ACTION_ALLOWED_ADDRESSES');
    expect(forbiddenConnections).toBe(0);
  });

  test('a private address behind a redirect', async () => {
    for (const to of [`http://127.0.0.1:${forbidden.port}/`, `http://loopback.example:${forbidden.port}/`]) {
      const result = await fetching(JSON.stringify(`${allowed.url}/redirect?to=${encodeURIComponent(to)}`));
      expect(result.error?.message).toMatch(/is a private address/);
    }
    expect(forbiddenConnections).toBe(0);
  });

  test.each([
    ['a name that does not resolve', () => `http://unknown.example:${forbidden.port}/`],
    ['a URL with credentials', () => `http://127.0.0.1:${allowed.port}@127.0.0.1:${forbidden.port}/`],
  ])('%s', async (_kind, url) => {
    expect((await fetching(JSON.stringify(url()))).error?.name).toBe('TypeError');
    expect(forbiddenConnections).toBe(0);
  });

  test('with an error that the action can catch', async () => {
    const result = await run(`const main = () => fetch('http://127.0.0.1:${forbidden.port}/').catch((error) =>
      [error.name, error instanceof TypeError, error.message.split(',')[0]])`);
    expect(result.response).toEqual(['FetchBlockedError', true, '127.0.0.1 is a private address']);
  });

  describe('and ethers passes the error on from', () => {
    const PROVIDER = (kind: string, rest = '') =>
      `new ethers.providers.${kind}('http://127.0.0.1:${forbidden.port}'${rest})`;
    test.each([
      ['a read', () => `${PROVIDER('JsonRpcProvider')}.getBlockNumber()`],
      [
        'a read of a known network',
        () => `${PROVIDER('StaticJsonRpcProvider', ', 1')}.getBalance('0x${'0'.repeat(40)}')`,
      ],
      ['a call', () => `${PROVIDER('StaticJsonRpcProvider', ', 1')}.call({ to: '0x${'0'.repeat(40)}' })`],
      [
        'a call of a contract',
        () => `new ethers.Contract('0x${'0'.repeat(40)}', ['function f() view returns (uint256)'],
        ${PROVIDER('JsonRpcProvider')}).f()`,
      ],
      [
        'a transaction',
        () => `new ethers.Wallet(ethers.utils.id('x'), ${PROVIDER('StaticJsonRpcProvider', ', 1')})
        .sendTransaction({ to: '0x${'0'.repeat(40)}', type: 0, gasPrice: 1, nonce: 1 })`,
      ],
      ['a request', () => `ethers.utils.fetchJson('http://127.0.0.1:${forbidden.port}')`],
    ])('%s', async (_kind, expression) => {
      const result = await run(`const main = async () => await (${expression()})`);
      expect(result.error?.name).toBe('FetchBlockedError');
      expect(result.error?.message).toMatch(/^127\.0\.0\.1 is a private address/);
      expect(forbiddenConnections).toBe(0);
    });

    test('no earlier fetch, when a later one got a reply', async () => {
      const result = await run(`const main = async () => {
        await fetch('http://127.0.0.1:${forbidden.port}').catch(() => {});
        return new ethers.providers.JsonRpcProvider('${allowed.url}').getBlockNumber().catch(({ code }) => code);
      }`);
      expect(result.response).toBe('NETWORK_ERROR');
    });
  });

  test.each(['file:///etc/passwd', 'data:text/plain,x', 'ftp://example.com/', 'blob:null/x', 'about:blank'])(
    'another scheme: %s',
    async (url) => {
      expect((await fetching(JSON.stringify(url))).error?.message).toMatch(/use an http or https URL/);
    },
  );
});

describe('reaches an allowed address', () => {
  test('with method, headers and body, and returns status, headers and body', async () => {
    const result = await fetching(
      `${JSON.stringify(`${allowed.url}/a?b=1`)}, { method: 'PUT', headers: { 'X-Test': 'ü1'.slice(1) }, body: 'text ü' }`,
      `(async () => [response.status, response.ok, response.url, response.redirected, response.headers.get('x-a'),
        response.headers.getSetCookie(), await response.json()])()`,
    );
    expect(result.response).toEqual([
      201,
      true,
      `${allowed.url}/a?b=1`,
      false,
      'b',
      ['a=1', 'b=2'],
      { ok: true },
    ]);
    expect(seen).toMatchObject({ method: 'PUT', url: '/a?b=1', body: 'text ü', headers: { 'x-test': '1' } });
  });

  test('from a provider of ethers', async () => {
    const { response, error } = await run(`const main = () =>
      new ethers.providers.JsonRpcProvider('${allowed.url}/rpc').getBalance('0x${'0'.repeat(40)}').then(String)`);
    expect({ response, error }).toEqual({ response: 16 });
  });

  test.each([
    ['blob', 'response.blob().then((blob) => blob.text())'],
    ['bytes', 'response.arrayBuffer().then((bytes) => new TextDecoder().decode(bytes))'],
    [
      'stream',
      '(async () => { let n = 0; for await (const chunk of response.body) n += chunk.length; return { ok: n === 11 } })()',
    ],
    ['clone', 'response.clone().text()'],
  ])('and reads the body as %s', async (_name, then) => {
    expect((await fetching(JSON.stringify(allowed.url), then)).response).toEqual({ ok: true });
  });

  test('by name, after DNS', async () => {
    const result = await fetching(`'http://localhost:${allowed.port}/'`);
    expect(result.response).toEqual({ ok: true });
  });

  test('through a redirect', async () => {
    const url = `${allowed.url}/redirect?to=${encodeURIComponent(`http://localhost:${allowed.port}/end`)}`;
    const result = await fetching(JSON.stringify(url), '[response.url, response.redirected]');
    expect(result.response).toEqual([`http://localhost:${allowed.port}/end`, true]);
  });

  test('with a response without a body', async () => {
    const result = await fetching(
      `'${allowed.url}/empty'`,
      '(async () => [response.status, await response.text()])()',
    );
    expect(result.response).toEqual([204, '']);
  });

  test('and does not pass on connection and host headers', async () => {
    const headers = {
      host: 'internal',
      connection: 'upgrade',
      'transfer-encoding': 'chunked',
      'proxy-a': '1',
      te: 'x',
    };
    const result = await fetching(`'${allowed.url}/', { headers: ${JSON.stringify(headers)} }`);
    expect(result.hasError).toBe(false);
    expect(seen.headers.host).toBe(`127.0.0.1:${allowed.port}`);
    expect(Object.keys(seen.headers)).not.toContain('proxy-a');
    expect(seen.headers.connection).not.toBe('upgrade');
  });
});

describe('limits', () => {
  test.each(['/large', '/bomb'])('the response body: %s', async (path) => {
    const result = await fetching(`'${allowed.url}${path}'`);
    expect(result.error?.message).toBe('fetch failed: the response is larger than 1000000 bytes');
  });

  test('the request body', async () => {
    const result = await fetching(`'${allowed.url}/', { method: 'POST', body: 'x'.repeat(100001) }`);
    expect(result.error?.message).toMatch(/request body is larger than 100000 bytes/);
  });

  test('the duration', async () => {
    const result = await fetching(`'${allowed.url}/never'`);
    expect(result.error).toMatchObject({
      name: 'TypeError',
      message: 'fetch failed: no response in 1500 ms: allow more time with fetch(url, { timeoutMs: 6000 })',
    });
  });

  test('the duration that the request allows', async () => {
    const slow = `{ timeoutMs: 200 }`;
    const { error, durationMs } = await fetching(`'${allowed.url}/never', ${slow}`);
    expect(error?.message).toMatch('no response in 200 ms');
    expect(durationMs).toBeLessThan(1_400);
    const patient = await fetching(`'${allowed.url}/late', { timeoutMs: 10_000 }`);
    expect(patient.error).toBeUndefined();
    const unlimited = await run(
      `const main = () => fetch('${allowed.url}/never', { timeoutMs: 3_600_000 })`,
      { limits: { timeoutMs: 2_000 } },
    );
    expect(unlimited.error?.name).toBe('TimeLimitError');
  });

  test.each(['0', '-1', '1.5', 'NaN', '3_600_001', '"x"', '{}', 'null'])(
    'a timeoutMs of %s is refused',
    async (timeoutMs) => {
      const { error } = await fetching(`'${allowed.url}/', { timeoutMs: ${timeoutMs} }`);
      expect(error).toMatchObject({
        name: 'TypeError',
        message: 'fetch failed: timeoutMs is not an integer of 1 to 3600000',
      });
    },
  );

  test('redirects, each of which counts as a fetch', async () => {
    const limits = { maxFetches: 5 };
    const result = await run(`const main = () => fetch('${allowed.url}/loop')`, { limits });
    expect(result.error?.name).toBe('FetchLimitError');
  });
});

const fetchWith = async (agent: Agent, options: FetchOptions, url: string) => {
  const [, body] = await guardedFetch(
    agent,
    options,
    { type: 'fetch', id: 1, url, method: 'GET', headers: [], redirect: 'follow', body: 'none' },
    null,
    new AbortController().signal,
    { onRequest() {}, onBytes() {} },
  );
  for await (const _chunk of body ?? []);
};

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
test.skipIf(!hasIPv6)(
  'reaches a private IPv6 address that the operator allows, on its port only',
  async () => {
    await using server = await serve((_request, response) => response.end('reached'), '[::1]');
    const { host } = new URL(server.url);
    const fetchFrom = async (allowedAddresses: string[]) => {
      const options = { ...defaultFetchOptions, allowedAddresses };
      const agent = createGuardedAgent(options, createActionNames([dns.server]).forRun(1n), () => {});
      await using _ = { [Symbol.asyncDispose]: () => agent.destroy() };
      await fetchWith(agent, options, server.url);
    };
    await fetchFrom([host]);
    for (const other of ['[::1]:1', host.replace('::1', '::2')])
      await expect(fetchFrom([other])).rejects.toThrow('::1 is a private address');
  },
);

describe('on the wire', () => {
  /** A server that responds with a head and then sends data without end. */
  const endless = async (head: string, piece: string) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(head);
        const more = () => {
          while (!socket.destroyed && socket.write(piece));
        };
        socket.on('drain', more);
        more();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
  };
  const fetchDirectly = async (urls: string[]) => {
    const options = {
      ...defaultFetchOptions,
      allowedAddresses: urls.map((url) => new URL(url).host),
      maxResponseBodyBytes: 100_000,
    };
    const agent = createGuardedAgent(options, createActionNames([dns.server]).forRun(1n), () => {});
    try {
      for (const url of urls) await fetchWith(agent, options, url);
    } finally {
      await agent.destroy();
    }
  };
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  test.each([
    [
      'an endless chunk extension',
      `${chunked}1;a=`,
      'x'.repeat(10_000),
      /more than 1148576 bytes with its framing/,
    ],
    [
      'endless chunk extensions',
      chunked,
      `1;${'x'.repeat(10_000)}\r\nx\r\n`,
      /more than 1148576 bytes with its framing/,
    ],
    [
      'endless interim responses',
      '',
      'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
      /more than 10 interim responses/,
    ],
  ])('%s end the fetch', async (_what, head, piece, message) => {
    const { url, server } = await endless(head, piece);
    await expect(fetchDirectly([url])).rejects.toThrow(message);
    server.close();
  });

  test('responses of one connection are limited one by one', async () => {
    const bytes = new Map<number | undefined, number>();
    await using server = await serve(({ socket: { remotePort } }, response) => {
      bytes.set(remotePort, (bytes.get(remotePort) ?? 0) + 90_000);
      response.end(Buffer.alloc(90_000));
    });
    await fetchDirectly(Array.from({ length: 40 }, () => server.url));
    expect(Math.max(...bytes.values())).toBeGreaterThan(1_148_576);
  });

  test('runs share no connection', async () => {
    const ports: unknown[] = [];
    await using server = await serve((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('ok');
    });
    await using own = await createRuntime({
      poolSize: 1,
      fetch: { allowedAddresses: [new URL(server.url).host] },
    });
    for (const account of [1n, 2n])
      await runner(own)(`const main = async () => (await fetch('${server.url}')).text()`, { account });
    expect(new Set(ports).size).toBe(2);
  });
});

test('a rebinding name is resolved once per connection and reaches no private address', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  await using changing = await serveNames((_name, family) => (family === 4 ? (answers.shift() ?? []) : []));
  const options = { ...defaultFetchOptions, dnsServers: [changing.server], timeoutMs: 500 };
  const agent = createGuardedAgent(options, createActionNames([changing.server]).forRun(1n), () => {});
  const url = `http://rebinding.example:${forbidden.port}/`;
  // No server listens at the public address: a second lookup would have found the private one.
  await expect(fetchWith(agent, options, url)).rejects.toThrow(/^fetch failed/);
  expect(changing.asked).toHaveLength(2);
  await expect(fetchWith(agent, options, url)).rejects.toThrow('rebinding.example is a private address');
  expect(forbiddenConnections).toBe(0);
  await agent.destroy();
});

test('an AbortController and the end of the run each end the request', async () => {
  aborted = 0;
  const code = `const main = async () => { const controller = new AbortController();
    setTimeout(() => controller.abort(), 500);
    return fetch('${allowed.url}/never', { signal: controller.signal }).catch((error) => error.name) }`;
  expect(await run(code)).toMatchObject({ response: 'AbortError' });
  await eventually(() => aborted === 1);
  unanswered = 0;
  const stop = new AbortController();
  const running = run(`const main = () => fetch('${allowed.url}/never')`, { signal: stop.signal });
  await eventually(() => unanswered === 1);
  stop.abort();
  await running;
  await eventually(() => aborted === 2);
});
