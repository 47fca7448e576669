import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Reply, send, startService } from '../test/harness.ts';

const service = await startService();
afterAll(() => service.close());
afterEach(() => {
  service.context.credit = 1_000;
  service.context.effects.length = 0;
});

const ann = { 'x-api-key': 'ann' };
const path = '/core/v1/add_group';
const group = { group_name: 'g', cid_hashes_permitted: [] };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function expectError(reply: Reply, status: number, code: string, message: unknown = expect.any(String)) {
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  const { fix, ...rest } = reply.json as { fix?: string };
  expect(rest).toEqual({ error: code, message, request_id: reply.headers['x-request-id'] });
  if (fix !== undefined) expect(fix).toEqual(expect.any(String));
}

describe('200', () => {
  test('has the encoded reply and the declared header', async () => {
    const reply = await service.post(path, group, ann);
    expect([reply.status, reply.json]).toEqual([200, { success: true, group_id: '1', by: 'ann' }]);
    expect(reply.headers['x-block-number']).toBe('1');
    expect(reply.headers['x-request-id']).toMatch(uuid);
  });

  test('ignores unknown body fields', async () => {
    expect((await service.post(path, { ...group, other: { deep: [1] } }, ann)).status).toBe(200);
  });

  test('a route of a string accepts a top-level string', async () => {
    expect((await service.post('/core/v1/code_length', '"héllo"')).json).toBe(5);
  });

  test('a route without a body accepts any body or none', async () => {
    expect((await service.post('/core/v1/new_account', '')).status).toBe(200);
    expect((await service.post('/core/v1/new_account', '{"broken"')).status).toBe(200);
  });

  test('accepts a missing Content-Type, and UTF-8 in any case', async () => {
    const body = JSON.stringify('x');
    const bare = await send(`${service.url}/core/v1/code_length`, { method: 'POST', body });
    expect(bare.status).toBe(200);
    const declared = { 'content-type': 'Application/JSON; Charset="UTF-8"' };
    expect((await service.post('/core/v1/code_length', body, declared)).status).toBe(200);
  });

  test('decodes the query and the minimum block', async () => {
    const reply = await service.get('/core/v1/list_groups?page_size=5&group_id=18446744073709551615', {
      ...ann,
      'x-min-block': '12',
    });
    expect(reply.json).toEqual({ page: 0, size: 5, group: '18446744073709551615', minBlock: '12' });
  });

  test('reads a body of nearly 10 MiB', async () => {
    const code = 'a'.repeat(10 * 1024 * 1024 - 2);
    expect((await service.post('/core/v1/code_length', `"${code}"`)).json).toBe(code.length);
  });

  test('sends a text reply as it is, in a sandbox, with the raw query', async () => {
    for (const query of ['?a=%20&a=<b>&%zz', '']) {
      const reply = await fetch(`${service.url}/core/v1/echo${query}`);
      expect([reply.status, await reply.text()]).toEqual([203, query.replace('<b>', '%3Cb%3E')]);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*; sandbox$/);
    }
  });

  test('sends a reply that was encoded before with the headers of any other', async () => {
    const { url } = service;
    for (const method of ['GET', 'HEAD']) {
      const reply = await fetch(`${url}/core/v1/encoded`, { method });
      expect([reply.status, await reply.text()]).toEqual([200, method === 'GET' ? '{"text":"é"}' : '']);
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(reply.headers.get('content-length')).toBe('13');
    }
  });

  test('returns a further status that the route declares', async () => {
    service.context.credit = -1;
    const reply = await service.get('/health');
    expect([reply.status, reply.json]).toEqual([503, { ok: false }]);
  });
});

describe('400', () => {
  test.each([
    ['broken JSON', '{"group_name":'],
    ['another JSON syntax', "{group_name: 'g'}"],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['unbounded nesting', '['.repeat(16_000)],
    ['unbounded members', `[${'0,'.repeat(8_000)}`],
    ['nesting of 101 levels', `${'['.repeat(101)}1${']'.repeat(101)}`],
    ['a malformed hash', { ...group, cid_hashes_permitted: ['0x1'] }],
    ['a number out of range', { ...group, parent: 2 ** 60 }],
    ['a lone surrogate', '{"group_name":"\\ud800","cid_hashes_permitted":[]}'],
  ])('%s', async (_, body) => {
    expectError(await service.post(path, body, ann), 400, 'bad_request');
    expect(service.context.effects).toEqual([]);
  });

  test.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('%s', async (_, headers) => {
    expectError(await service.post(path, group, { ...ann, ...headers }), 400, 'bad_request');
  });

  test.each(['', '-1', '1.5', '0x1', 'latest', '1 2', '18446744073709551616'])(
    'X-Min-Block %j',
    async (value) => {
      const reply = await service.get('/core/v1/list_groups', { ...ann, 'x-min-block': value });
      expectError(reply, 400, 'bad_request', 'headers.x-min-block: expected a decimal block number');
    },
  );

  test.each(['', 'a'.repeat(256), 'é'])('Idempotency-Key %j', async (value) => {
    expectError(await service.post(path, group, { ...ann, 'idempotency-key': value }), 400, 'bad_request');
  });

  test.each(['page_size=0', 'page_size=1001', 'page_number=-1', 'group_id=x'])('?%s', async (query) => {
    expectError(await service.get(`/core/v1/list_groups?${query}`, ann), 400, 'bad_request');
  });

  test('a path that is not percent-encoded UTF-8', async () => {
    expectError(await service.post('/core/v1/things/%ff/fail', {}), 400, 'bad_request');
  });
});

describe('401', () => {
  test.each([
    ['no key', {}],
    ['an unknown key', { 'x-api-key': 'eve' }],
    ['the hash of a key', { authorization: `Bearer 0x${'a'.repeat(64)}` }],
    ['a wrong key before a right one', { authorization: 'Bearer eve', 'x-api-key': 'ann' }],
  ])('%s, before the body is read', async (_, headers) => {
    const reply = await service.post(path, '{"broken', headers);
    expectError(reply, 401, 'unauthorized');
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('402', () => {
  test('missing credit: the handler has no effect', async () => {
    service.context.credit = 0;
    expectError(await service.post(path, group, ann), 402, 'payment_required', 'No credit.');
    expect(service.context.effects).toEqual([]);
  });
});

test.each([
  ['403', 403, 'forbidden', 'Not this key.'],
  ['404', 404, 'not_found', 'No such group.'],
])('%s has its message', async (id, status, code, message) => {
  expectError(await service.post(`/core/v1/things/${id}/fail`, {}), status, code, message);
});

describe('404', () => {
  test.each([
    ['GET', '/none'],
    ['POST', '/'],
    ['GET', '/core/v1/none'],
    ['GET', path],
    ['PUT', path],
    ['DELETE', path],
    ['POST', `${path}/`],
    ['POST', path.toUpperCase()],
  ])('%s %s', async (method, unknown) => {
    expectError(await send(service.url + unknown, { method }), 404, 'not_found');
  });

  test('names the allowed method', async () => {
    expect((await service.get(path)).json).toMatchObject({ fix: 'Use POST instead of GET.' });
  });
});

test.each([
  ['16 KiB by default', path, 16 * 1024],
  ['the limit of the route', '/core/v1/code_length', 10 * 1024 * 1024],
])('413 over %s', async (_, limited, limit) => {
  const body = (bytes: number) => `"${'a'.repeat(bytes - 2)}"`;
  expect((await service.post(limited, body(limit), ann)).status).not.toBe(413);
  expectError(await service.post(limited, body(limit + 1), ann), 413, 'payload_too_large');
});

describe('422', () => {
  test.each([
    ['a missing field', { group_name: 'g' }, 'body.cid_hashes_permitted: expected array, received undefined'],
    ['a wrong type', { ...group, group_name: 1 }, 'body.group_name: expected string, received number'],
    [
      'an array over the limit',
      { ...group, cid_hashes_permitted: Array(11).fill(`0x${'0'.repeat(64)}`) },
      undefined,
    ],
    [
      'a name over the limit',
      { ...group, group_name: 'é'.repeat(65) },
      'body.group_name: expected at most 128 bytes of UTF-8',
    ],
    ['an array as the body', [], undefined],
    ['null as the body', 'null', undefined],
    ['a string as the body', '"text"', undefined],
    ['nesting of 100 levels', `${'['.repeat(100)}1${']'.repeat(100)}`, undefined],
    ['no body', '', undefined],
    ['a malformed and a missing field', { cid_hashes_permitted: ['0x1'] }, undefined],
  ])('%s', async (_, body, message) => {
    expectError(await service.post(path, body, ann), 422, 'unprocessable_entity', message);
  });

  test('an object instead of a string', async () => {
    expectError(await service.post('/core/v1/code_length', {}), 422, 'unprocessable_entity');
    expectError(await service.post('/core/v1/code_length', ''), 422, 'unprocessable_entity');
  });

  test('does not repeat a field name of the client', async () => {
    const reply = await service.get('/core/v1/list_groups?page_size=1&page_size=2', ann);
    expectError(reply, 422, 'unprocessable_entity', 'query.page_size: expected string, received array');
  });
});

test('429 is delayed, and other refusals are not', async () => {
  const order: number[] = [];
  const refuse = async (status: number) => {
    order.push((await service.post(`/core/v1/things/${status}/fail`, {})).status);
  };
  await Promise.all([refuse(429), refuse(403)]);
  expect(order).toEqual([403, 429]);
});

test('429 has Retry-After in whole seconds', async () => {
  const reply = await service.post('/core/v1/things/429/fail', {});
  expectError(reply, 429, 'too_many_requests', 'Too fast.');
  expect(reply.headers['retry-after']).toBe('3');
});

describe('500', () => {
  test('a 500 hides its cause and logs it without secrets', async () => {
    const reply = await service.post('/core/v1/things/500/fail', {});
    expectError(reply, 500, 'internal_error', 'The service failed to answer this request.');
    const line = service.lines.find((text) => text.includes('boom')) ?? '';
    expect(line).toContain((reply.json as { request_id: string }).request_id);
    expect(line).toContain('boom of secret [key]');
    expect(service.lines.filter((text) => text.includes('AAECAwQF'))).toEqual([]);
  });

  test('a reply that does not match its schema is a 500', async () => {
    expectError(await service.get('/core/v1/wrong_reply'), 500, 'internal_error');
    expect(service.lines.join('')).toContain('reply does not match its schema');
  });
});

test('503 hides the failed service and its address', async () => {
  const reply = await service.post('/core/v1/things/503/fail', {});
  expectError(reply, 503, 'service_unavailable', 'A service that this request depends on is unavailable.');
  expect(reply.text).not.toContain('chain');
  expect(service.lines.filter((line) => line.includes('user:pw'))).toEqual([]);
  expect((await service.post('/core/v1/things/503r/fail', {})).headers['retry-after']).toBe('7');
});

test('a client that closes its side aborts the signal of its handler', async () => {
  const leave = new AbortController();
  const reply = fetch(`${service.url}/core/v1/wait`, { signal: leave.signal });
  await expect.poll(() => service.context.effects).toEqual(['waiting']);
  leave.abort();
  await expect(reply).rejects.toThrow();
  await expect.poll(() => service.context.effects).toEqual(['waiting', 'aborted']);
});

test('a broken connection aborts the signal of its handler, and is logged as aborted', async () => {
  const socket = connect(service.server.port, '127.0.0.1');
  socket.write('GET /core/v1/wait HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => service.context.effects).toEqual(['waiting']);
  socket.resetAndDestroy();
  await expect.poll(() => service.context.effects).toEqual(['waiting', 'aborted']);
  await expect
    .poll(() => service.lines.findLast((line) => line.includes('/core/v1/wait')))
    .toContain('"status":"aborted"');
});

describe('hostile input', () => {
  test('names of prototypes reach neither a handler nor an object of the service', async () => {
    const reply = await service.post(
      '/core/v1/echo',
      '{"params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}}',
    );
    expect(reply.status).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(reply.json).toMatchObject({ a: 1 });
    await service.get('/core/v1/list_groups?__proto__[polluted]=1&constructor=1', ann);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('any JSON returns 200, 400 or 422, and errors have the error body', async () => {
    const body = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc
        .record({
          group_name: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
          cid_hashes_permitted: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
          parent: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.jsonValue()),
        })
        .map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const reply = await service.post(path, text, ann);
        expect([200, 400, 422]).toContain(reply.status);
        if (reply.status !== 200)
          expectError(reply, reply.status, reply.status === 400 ? 'bad_request' : 'unprocessable_entity');
      }),
      { numRuns: 200 },
    );
  });

  test('any header value gets a reply', async () => {
    const value = fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
    });
    const headerName = fc.constantFrom(
      'authorization',
      'x-api-key',
      'idempotency-key',
      'x-min-block',
      'x-correlation-id',
      'content-type',
      'content-encoding',
    );
    await fc.assert(
      fc.asyncProperty(headerName, value, async (header, text) => {
        const reply = await service.post(path, group, { ...ann, [header]: text });
        expect(reply.status).toBeLessThan(500);
        if (reply.status !== 200)
          expect(reply.json).toMatchObject({ request_id: reply.headers['x-request-id'] });
      }),
      { numRuns: 200 },
    );
  });
});
