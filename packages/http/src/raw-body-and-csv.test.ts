/** Raw bodies arrive unchanged, and lists are sent as CSV. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { send, startService } from '../test/harness.ts';

const service = await startService();
afterAll(() => service.close());
afterEach(() => {
  service.context.rows = [];
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('rawBody', () => {
  const post = (body: Buffer, headers: Record<string, string> = {}) =>
    send(`${service.url}/core/v1/sha256_of_bytes`, { method: 'POST', headers, body });

  test('any bytes arrive unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 1_024 }), async (bytes) => {
        expect(await post(Buffer.from(bytes))).toMatchObject({ status: 200, json: sha256(bytes) });
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['broken JSON declared as JSON', '{"a":', 'application/json'],
    ['whitespace that a parser would drop', ' {"b" : 1,\r\n "a":1 } ', 'application/json; charset=utf-16'],
    ['a form', 'a=%20', 'application/x-www-form-urlencoded'],
    ['an invalid type', '\u{feff}x', 'x'],
  ])('%s', async (_what, text, type) => {
    const body = Buffer.from(text);
    expect(await post(body, { 'content-type': type })).toMatchObject({ status: 200, json: sha256(body) });
  });

  test('an empty body is zero bytes', async () => {
    expect(await post(Buffer.alloc(0))).toMatchObject({ status: 200, json: sha256(Buffer.alloc(0)) });
  });

  test('a compressed body is refused', async () => {
    const body = gzipSync(Buffer.from('x'));
    expect((await post(body, { 'content-encoding': 'gzip' })).status).toBe(400);
  });

  test('413: one byte over the limit of the route, with and without Content-Length', async () => {
    expect((await post(Buffer.alloc(1_024))).status).toBe(200);
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }])
      expect(await post(Buffer.alloc(1_025), headers as Record<string, string>)).toMatchObject({
        status: 413,
        json: { error: 'payload_too_large' },
      });
  });
});

describe('csv', () => {
  const get = (accept?: string) => service.get('/core/v1/rows', accept === undefined ? {} : { accept });
  const rows = [
    { number: -1.5, text: 'a "quoted", text' },
    { number: 2, text: null },
  ];

  test.each([undefined, '*/*', 'application/json', 'text/csv;q=0.5, application/json', 'image/png'])(
    'Accept: %s returns JSON',
    async (accept) => {
      service.context.rows = rows;
      const reply = await get(accept);
      expect(reply).toMatchObject({ status: 200, json: rows });
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    },
  );

  test.each(['text/csv', 'text/*', 'text/csv, application/json;q=0.9'])(
    'Accept: %s returns CSV',
    async (accept) => {
      service.context.rows = rows;
      const reply = await get(accept);
      expect(reply.status).toBe(200);
      expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(reply.headers['x-total-count']).toBe('2');
      expect(reply.text).toBe('text,number\r\n"a ""quoted"", text",-1.5\r\n,2\r\n');
    },
  );

  test('no rows return the header only', async () => {
    expect((await get('text/csv')).text).toBe('text,number\r\n');
  });

  test.each(['=HYPERLINK("x")', '+1', '-1', '@SUM(1)', '\tx', '\rx'])(
    'escapes a text that a spreadsheet would run as a formula: %j',
    async (text) => {
      service.context.rows = [{ number: -1, text }];
      const [, field] = /^text,number\r\n(.*),-1\r\n$/s.exec((await get('text/csv')).text) ?? [];
      expect(field).toMatch(/^"?'/);
    },
  );

  test.each(['two\nlines', 'two\rlines', 'two\r\nlines'])('quotes a line break: %j', async (text) => {
    service.context.rows = [{ number: 1, text }];
    expect((await get('text/csv')).text).toBe(`text,number\r\n"${text}",1\r\n`);
  });

  test('an error is JSON', async () => {
    const reply = await send(`${service.url}/core/v1/rows`, {
      headers: { accept: 'text/csv', 'x-min-block': 'x' },
    });
    expect(reply).toMatchObject({ status: 400, json: { error: 'bad_request' } });
  });
});
