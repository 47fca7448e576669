import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type Params, startWebhooks } from '../../test/webhooks.ts';

const json = 'Content-Type: application/json';
const open = randomUUID();
const disabled = randomUUID();
const held = randomUUID();
const schedule = randomUUID();
let accepted = 0;

const service = await startWebhooks([
  { id: open, defaultParams: { mine: 1, source: 'overwritten' }, maxConcurrentRuns: 12 },
  { id: disabled, enabled: false },
  { id: held, enabled: false, holdWhenPaused: true },
  { id: schedule, kind: 'schedule', enabled: false },
]);
afterAll(async () => {
  // Refused requests store nothing.
  expect(await service.stop()).toHaveLength(accepted);
});

/** Fires a run. Resolves to the parameters that the action receives. */
async function fired(body: Uint8Array | string, lines: readonly string[] = []): Promise<Params> {
  const requestId = randomUUID();
  const reply = await service.post(open, body, [...lines, `X-Request-Id: ${requestId}`]);
  expect(reply).toMatchObject({
    status: 202,
    body: { status: 'queued', run_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  accepted++;
  await expect.poll(() => service.ranFor(requestId)).toBeDefined();
  return service.ranFor(requestId) ?? {};
}

describe('202', () => {
  test('merges the default parameters with the parameters of the webhook', async () => {
    const params = await fired('{"a": 1}', [json, 'User-Agent: sender']);
    expect(params).toEqual({
      mine: 1,
      source: 'webhook',
      event: { a: 1 },
      event_raw: '{"a": 1}',
      query: {},
      headers: {
        host: [new URL(service.url).host],
        'content-length': ['8'],
        'content-type': ['application/json'],
        'user-agent': ['sender'],
        'x-request-id': [expect.any(String)],
      },
    });
  });

  test.each([
    ['text', 'hello', [], 'hello'],
    ['an empty body', '', [], ''],
    ['a form', 'a=%7B%7D', ['Content-Type: application/x-www-form-urlencoded'], 'a=%7B%7D'],
    ['JSON in a form', 'payload=%7B%7D', ['Content-Type: application/x-www-form-urlencoded'], {}],
    ['JSON after a byte order mark', '\ufeff[1]', [json], [1]],
    ['JSON declared as text', '{"a":[1]}', ['Content-Type: text/plain'], { a: [1] }],
    ['JSON without a content type', ' null ', [], null],
    ['a +json content type', '[]', ['Content-Type: Application/Cloudevents+JSON ; charset=utf-8'], []],
    ['NUL and a lone surrogate', '{"a":"\\u0000\\ud800"}', [json], { a: '\0\ud800' }],
    ['the key __proto__', '{"__proto__":{"a":1}}', [json], JSON.parse('{"__proto__":{"a":1}}')],
    ['text nested too deeply for a JSON parser', '['.repeat(200_000), [], '['.repeat(200_000)],
    [
      'JSON nested too deeply',
      `${'['.repeat(99)}${']'.repeat(99)}`,
      [],
      `${'['.repeat(99)}${']'.repeat(99)}`,
    ],
  ])('passes %s', async (_what, body, lines, event) => {
    const params = await fired(body, lines);
    expect(params.event).toEqual(event);
    expect(params.event_raw).toBe(body);
    expect(params).not.toHaveProperty('event_raw_encoding');
  });

  test('passes bytes that are not UTF-8 as base64', async () => {
    const params = await fired(Uint8Array.of(0xff, 0x00, 0x41));
    expect(params).toMatchObject({ event_raw: '/wBB', event_raw_encoding: 'base64' });
  });

  test('accepts 256 KiB', async () => {
    expect((await fired('x'.repeat(256 * 1024))).event_raw).toHaveLength(256 * 1024);
  });
});

const randomBodies = Number(process.env.RANDOM_BODIES ?? 300);

test(`${randomBodies} random bodies arrive byte for byte`, {
  timeout: 300_000 + 100 * randomBodies,
}, async () => {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', maxLength: 500 }).map((text) => Buffer.from(text)),
    fc.string({ unit: 'binary-ascii', maxLength: 500 }).map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(`\u{feff}${text}`)),
  );
  const sent = fc.sample(body, randomBodies).map((bytes) => ({ bytes, requestId: randomUUID() }));
  for (let i = 0; i < sent.length; i += 20)
    await Promise.all(
      sent.slice(i, i + 20).map(async ({ bytes, requestId }) => {
        expect((await service.post(open, bytes, [`X-Request-Id: ${requestId}`])).status).toBe(202);
      }),
    );
  accepted += sent.length;
  const missing = () => sent.filter(({ requestId }) => !service.ranFor(requestId)).length;
  await expect.poll(missing, { timeout: 600_000, interval: 500 }).toBe(0);
  for (const { bytes, requestId } of sent) {
    const { event_raw: raw, event_raw_encoding: encoding = 'utf8' } = service.ranFor(requestId) ?? {};
    expect(Buffer.from(raw as string, encoding as BufferEncoding).equals(bytes)).toBe(true);
  }
});

describe('headers', () => {
  const forbidden = [
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'Set-Cookie',
    'X-Api-Key',
    'X-Wallet-Auth',
  ];
  const forms = forbidden.flatMap((name) => [
    [`${name}: secret`],
    [`${name.toUpperCase()}: secret`],
    [`${name.toLowerCase()}: secret`],
    [`${name}: secret`, `${name}: secret`, `${name.toUpperCase()}:secret`],
    [`${name}: \t secret \t `],
    [`${name}:`],
    [`${name.replaceAll('-', '_')}: secret`],
    [`X-Forwarded-${name}: secret`],
    [`X-Webhook-${name}: secret`, `X-Github-${name.replaceAll('-', '_')}: secret`],
    [`${name}-Signature: secret`],
  ]);

  test.each(forms)('removes %s', async (...lines) => {
    const params = await fired('x', lines);
    expect(Object.keys(params.headers ?? {}).sort()).toEqual(['content-length', 'host', 'x-request-id']);
    expect(JSON.stringify(params)).not.toContain('secret');
  });

  test.each([[['Cookie : secret']], [['Coo kie: secret']], [['X-Api-Key: a', ' secret']]])(
    'returns 400 for the malformed header %j',
    async (lines) => expect((await service.post(open, 'x', lines)).status).toBe(400),
  );

  test.each([
    'Content-Type',
    'User-Agent',
    'Accept',
    'X-Other',
    'Traceparent',
    'X-Hub-Signature',
    'X-Hub-Signature-256',
    'X-GitHub-Event',
    'Stripe-Signature',
    'X-Slack-Request-Timestamp',
    'X-Webhook-Anything',
    'Webhook-Id',
    'Webhook-Timestamp',
    'Webhook-Signature',
    'X-Signature',
    'X-Twilio-Signature',
    'X-Shopify-Hmac-Sha256',
  ])('passes %s', async (name) => {
    const value = `value ${randomUUID()}`;
    expect((await fired('x', [`${name}: ${value}`])).headers).toMatchObject({
      [name.toLowerCase()]: [value],
    });
  });

  test.each([
    'X-Forwarded-For',
    'X-Forwarded-Uri',
    'X-Original-Url',
    'Forwarded',
    'Via',
    'CF-Connecting-IP',
    'Keep-Alive',
    'Te',
  ])('removes %s, which belongs to the connection or to a proxy', async (name) => {
    expect((await fired('x', [`${name}: value`])).headers).not.toHaveProperty(name.toLowerCase());
  });

  test('passes the values of a repeated header as an array', async () => {
    const { headers } = await fired('x', [
      'X-Signature: a, b',
      'Accept: */*',
      'X-SIGNATURE: c',
      'X-Other: d',
    ]);
    expect(headers).toMatchObject({ 'x-signature': ['a, b', 'c'], accept: ['*/*'], 'x-other': ['d'] });
  });
});

test('a paused trigger that holds its events accepts them and runs none', async () => {
  const requestId = randomUUID();
  expect((await service.post(held, 'x', [`X-Request-Id: ${requestId}`])).status).toBe(202);
  accepted++;
  await fired('another');
  expect(service.ranFor(requestId)).toBeUndefined();
});

describe('refused', () => {
  test.each([
    ['an unknown id', randomUUID(), 404, 'not_found'],
    ['a malformed id', 'x', 404, 'not_found'],
    ['a trigger of another kind', schedule, 404, 'not_found'],
    ['a disabled trigger', disabled, 410, 'not_found'],
  ])('refuses %s', async (_what, id, status, error) => {
    expect(await service.post(id, '{}', [json])).toMatchObject({
      status,
      body: { error, message: expect.any(String) },
    });
  });

  test.each([
    ['malformed JSON', '{"a":'],
    ['an empty body', ''],
    ['two values', '1 2'],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ['JSON nested too deeply', `${'['.repeat(99)}${']'.repeat(99)}`],
    ['JSON nested far too deeply', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('returns 400 invalid_json for a JSON content type with %s', async (_what, body) => {
    for (const type of [
      json,
      'content-type: APPLICATION/JSON;charset=utf-8',
      'Content-Type: application/a.b+json',
    ])
      expect(await service.post(open, body, [type])).toMatchObject({
        status: 400,
        body: { error: 'invalid_json' },
      });
  });

  test('returns 404 for a GET of an unknown trigger, 410 of a disabled one, 400 without a challenge', async () => {
    for (const [id, status] of [
      [randomUUID(), 404],
      [schedule, 404],
      [disabled, 410],
      [open, 400],
    ] as const)
      expect((await fetch(`${service.url}/webhook/${id}?validationToken=1`)).status).toBe(status);
  });

  test('returns 413 as soon as a body without a length is over 256 KiB', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const reply = new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(chunk.toString()));
    });
    socket.write(`POST /webhook/${open} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    // Never ends the body.
    socket.write(`40001\r\n${'x'.repeat(256 * 1024 + 1)}`);
    expect(await reply).toMatch(/^HTTP\/1.1 413 /);
    const closed = once(socket, 'close');
    const startMs = performance.now();
    socket.resume();
    await closed;
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  test('returns 413 over 256 KiB', async () => {
    expect(await service.post(open, 'x'.repeat(256 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
  });
});
