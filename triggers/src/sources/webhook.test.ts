import { describe, expect, test } from 'vitest';
import { createTrigger, id, type Request, receiveAt, refused, sealer } from '../../test/receiving.ts';
import { type Sample, samples, signSample, verificationOf } from '../../test/sender-samples.ts';
import { webhook } from './webhook.ts';

type Headers = Request['headers'];
const FORM = { 'content-type': ['application/x-www-form-urlencoded; charset=UTF-8'] };
const inputFor = async (config: unknown, request: Request) =>
  (await receiveAt(await createTrigger(config), request)).input;
const dedupeKeyFor = async (config: unknown, headers: Headers, body = '{}') =>
  (await receiveAt(await createTrigger(config), { headers, body })).dedupeKey;

describe('config', () => {
  const hmacWith = (more: object) => ({
    verification: { scheme: 'hmac', secret: 'k', header: 'x', ...more },
  });
  const replyWith = (more: object) => ({ reply: { ...more } });
  test.each([
    [{ verification: { scheme: 'github' } }, 422],
    [{ verification: { scheme: 'github', secret: '' } }, 422],
    [{ verification: { scheme: 'github', secret: [] } }, 422],
    [{ verification: { scheme: 'github', secret: ['1', '2', '3', '4', '5', '6'] } }, 422],
    [{ verification: { scheme: 'github', secret: 'k', public_key: 'k' } }, 422],
    [{ verification: { scheme: 'other', secret: 'k' } }, 422],
    [{ verification: { scheme: 'constructor', secret: 'k' } }, 422],
    [{ verification: { scheme: 'hmac', secret: 'k' } }, 422],
    [hmacWith({ algorithm: 'md5' }), 422],
    [hmacWith({ encoding: 'base32' }), 422],
    [hmacWith({ header: 'a b' }), 400],
    [hmacWith({ signed_content: 'x' }), 400],
    [hmacWith({ signed_content: '{body}{body}' }), 400],
    [hmacWith({ signed_content: '{timestamp}{body}' }), 400],
    [hmacWith({ timestamp_header: 't', signed_content: '{body}' }), 400],
    [hmacWith({ id_header: 'i', signed_content: '{body}' }), 400],
    [hmacWith({ id_header: 'i', signed_content: '{id}{body}' }), 400],
    [hmacWith({ id_header: 'i', signed_content: '{body}{id}' }), 400],
    [{ verification: { scheme: 'ed25519', public_key: 'k', header: 'x' } }, 400],
    [{ verification: { scheme: 'discord', public_key: '00' } }, 400],
    [{ verification: { scheme: 'discord', secret: '00'.repeat(32) } }, 422],
    [{ verification: { scheme: 'standard_webhooks', secret: 'not base64!' } }, 400],
    [{ verification: { scheme: 'standard_webhooks', secret: 'whsec_' } }, 400],
    [{ verification: { scheme: 'svix', secret: 'whpk_AAAA' } }, 400],
    [{ verification: { scheme: 'gitlab', secret: 'whsec_!' } }, 400],
    [{ verification: { scheme: 'shared_secret', secret: 'k' } }, 400],
    [{ verification: { scheme: 'shared_secret', secret: 'k', header: 'a', query: 'b' } }, 400],
    [{ verification: { scheme: 'basic_auth', secret: 'k' } }, 422],
    [{ verification: { scheme: 'basic_auth', secret: 'k', username: 'a:b' } }, 400],
    [{ verification: { scheme: 'meta', secret: 'k', verify_token: '' } }, 422],
    [{ delivery_header: 'a:b' }, 400],
    [{ dedupe_by: 'header' }, 422],
    [replyWith({ status: 199 }), 400],
    [replyWith({ status: 300 }), 400],
    [replyWith({ body: 'x'.repeat(16_385) }), 422],
    [replyWith({ content_type: 'text/html' }), 400],
    [replyWith({ content_type: 'text/plain\r\nSet-Cookie: a=b' }), 400],
    [replyWith({ status: 204, body: 'x' }), 400],
    [replyWith({ headers: {} }), 422],
    [{ other: 1 }, 422],
    ['x', 422],
  ])('%j returns %i', async (wire, status) => {
    await expect(createTrigger(wire)).rejects.toMatchObject({ status });
  });

  test('an absent config accepts unsigned deliveries', async () => {
    for (const wire of [undefined, null, {}]) expect((await createTrigger(wire)).config).toEqual({});
  });

  test('secrets are opened only for their own trigger', async () => {
    const { config } = await createTrigger({ verification: verificationOf(samples.github as Sample) });
    const moved = { id: '00000000-0000-4000-8000-000000000002', config };
    await expect(receiveAt(moved, await signSample(samples.github as Sample))).rejects.toThrow(
      'sealed for another record',
    );
  });

  test('reseals keys and verify tokens', async () => {
    const { config } = await createTrigger({ verification: verificationOf(samples.meta as Sample) });
    const resealed = webhook.reseal?.(config, (sealed) => `new ${sealed.length}`);
    expect(resealed).toEqual({
      verification: {
        scheme: 'meta',
        secrets: [expect.stringMatching(/^new \d+$/)],
        sealed: { verify_token: expect.stringMatching(/^new \d+$/) },
      },
    });
  });

  test('a config stored before there were templates stays valid', async () => {
    const secrets = [sealer.seal(samples.github?.keys[0] ?? '', id)];
    const stored = {
      scheme: 'hmac',
      secrets,
      header: 'x-hub-signature-256',
      encoding: 'hex',
      prefix: 'sha256=',
    };
    const trigger = { id, config: { verification: { ...stored, algorithm: 'sha256' } } };
    await receiveAt(trigger, await signSample(samples.github as Sample));
  });
});

describe('delivery ids', () => {
  test('are absent without verification', async () => {
    for (const [headers, body] of [
      [{}, '{"id":"1","event_id":"1"}'],
      [{ 'x-github-delivery': ['1'] }, '{}'],
      [{ 'stripe-signature': ['t'] }, '{"id":"1"}'],
      [{ 'webhook-id': ['1'] }, '{}'],
    ] satisfies [Headers, string][])
      expect(await dedupeKeyFor({}, headers, body)).toBeUndefined();
  });

  test('delivery_header identifies deliveries in which the scheme finds no id', async () => {
    const config = { delivery_header: 'X-Delivery' };
    expect(await dedupeKeyFor(config, { 'x-delivery': ['2'] })).toHaveLength(43);
    expect(await dedupeKeyFor(config, { 'x-delivery': ['2', '3'] })).toBeUndefined();
    expect((await inputFor(config, { headers: { 'x-delivery': ['2'] }, body: '' })).headers).toEqual({
      'x-delivery': ['2'],
    });
    const sample = samples.github as Sample;
    const github = { verification: verificationOf(sample) };
    const { headers, body } = await signSample(sample);
    const both = { ...headers, 'x-delivery': ['2'] };
    expect(await dedupeKeyFor({ ...github, ...config }, both, body)).toBe(
      await dedupeKeyFor(github, headers, body),
    );
  });

  test('delivery_header cannot replace a signed id', async () => {
    const sample = samples.standard_webhooks as Sample;
    const config = { verification: verificationOf(sample), delivery_header: 'x-delivery' };
    const { headers, body } = await signSample(sample);
    expect(await dedupeKeyFor(config, { ...headers, 'x-delivery': ['made up'] }, body)).toBe(
      await dedupeKeyFor(config, headers, body),
    );
  });

  test('dedupe_by body identifies a delivery by its body only', async () => {
    const sample = samples.github as Sample;
    const config = { verification: verificationOf(sample), dedupe_by: 'body' };
    const { headers, body } = await signSample(sample);
    const key = await dedupeKeyFor(config, headers, body);
    expect(await dedupeKeyFor(config, { ...headers, 'x-github-delivery': ['made up'] }, body)).toBe(key);
    const other = await signSample(sample, { body: '{}' });
    expect(await dedupeKeyFor(config, other.headers, other.body)).not.toBe(key);
  });
});

describe('parameters of the action', () => {
  test('a form has its fields in form', async () => {
    const body = 'a=1&b=%2B+x&a=2&__proto__=p&c';
    const input = await inputFor({}, { headers: FORM, body });
    expect(input).toMatchObject({ event: body, event_raw: body });
    expect(Object.entries(input.form as object)).toEqual([
      ['a', ['1', '2']],
      ['b', ['+ x']],
      ['__proto__', ['p']],
      ['c', ['']],
    ]);
  });

  test.each([
    ['payload=%7B%22a%22%3A1%7D', { a: 1 }],
    ['x=1&payload=%5B%5D', []],
    ['payload=x', 'payload=x'],
    ['payload=1&payload=2', 'payload=1&payload=2'],
    [`payload=${'['.repeat(99)}${']'.repeat(99)}`, `payload=${'['.repeat(99)}${']'.repeat(99)}`],
  ])('the event of the form %s is the JSON in payload', async (body, event) => {
    expect(await inputFor({}, { headers: FORM, body })).toMatchObject({ event, event_raw: body });
  });

  test('another content type has no form', async () => {
    const headers = { 'content-type': ['text/plain'] };
    expect(await inputFor({}, { headers, body: 'payload=%7B%7D' })).not.toHaveProperty('form');
    expect(await inputFor({}, { headers: FORM, body: Buffer.of(0xff) })).not.toHaveProperty('form');
  });

  test('query has the values of each name', async () => {
    const search = '?a=1&a=%20&b&%E4=%&__proto__=p';
    const { query } = await inputFor({}, { headers: {}, body: '', search });
    expect(Object.entries(query as object)).toEqual([
      ['a', ['1', ' ']],
      ['b', ['']],
      ['\ufffd', ['%']],
      ['__proto__', ['p']],
    ]);
    expect((await inputFor({}, { headers: {}, body: '' })).query).toEqual({});
  });

  test('a byte order mark before JSON is accepted and stays in event_raw', async () => {
    const body = '\ufeff{"a":1}';
    const headers = { 'content-type': ['application/json'] };
    expect(await inputFor({}, { headers, body })).toMatchObject({ event: { a: 1 }, event_raw: body });
    await expect(inputFor({}, { headers, body: `\ufeff${body}` })).rejects.toMatchObject({
      code: 'invalid_json',
    });
  });

  test('event_raw is text when the body is UTF-8, base64 when JSON would escape too much of it', async () => {
    const raw = async (body: string) => {
      const { event_raw, event_raw_encoding } = await inputFor({}, { headers: {}, body });
      return [event_raw, event_raw_encoding];
    };
    expect(await raw('\u001b[0m\0')).toEqual(['\u001b[0m\0', undefined]);
    const quotes = '"'.repeat(256 * 1024);
    expect(await raw(quotes)).toEqual([quotes, undefined]);
    const escapes = '\u001b'.repeat(100_000);
    expect(await raw(escapes)).toEqual([btoa(escapes), 'base64']);
  });

  test.each([
    'CF-Webhook-Auth',
    'X-Gitlab-Token',
    'X-Telegram-Bot-Api-Secret-Token',
    'X-Goog-Channel-Token',
    'X_Auth_Token',
    'X-AuthToken',
    'X-Hook-Secret',
    'X-Password',
    'Token',
  ])('%s is masked without verification', async (name) => {
    const headers = { [name.toLowerCase()]: ['one', 'two'] };
    expect((await inputFor({}, { headers, body: '' })).headers).toEqual({
      [name.toLowerCase()]: ['[masked]', '[masked]'],
    });
  });

  test('secrets in the query are masked', async () => {
    const search =
      '?token=a&api_key=b&access-token=c&client_secret=d&password=e&page=1&i-idempotency-token=f' +
      '&authToken=g&apitoken=h&idempotencyToken=i';
    expect((await inputFor({}, { headers: {}, body: '', search })).query).toEqual({
      token: ['[masked]'],
      api_key: ['[masked]'],
      'access-token': ['[masked]'],
      client_secret: ['[masked]'],
      password: ['[masked]'],
      page: ['1'],
      'i-idempotency-token': ['f'],
      authToken: ['[masked]'],
      apitoken: ['[masked]'],
      idempotencyToken: ['i'],
    });
  });

  test('the header of shared_secret is masked, also a repeated query parameter is refused', async () => {
    const inHeader = samples['shared_secret in a header'] as Sample;
    const { input } = await receiveAt(
      await createTrigger({ verification: verificationOf(inHeader) }),
      await signSample(inHeader),
    );
    expect(input.headers).toMatchObject({ 'x-hook': ['[masked]'] });
    const inQuery = samples['shared_secret in the query'] as Sample;
    const trigger = await createTrigger({ verification: verificationOf(inQuery) });
    const signed = await signSample(inQuery);
    expect((await receiveAt(trigger, signed)).input.query).toEqual({ hook: ['[masked]'] });
    for (const search of ['', '?hook=', '?hook=x', `${signed.search}&hook=x`])
      await expect(receiveAt(trigger, { ...signed, search })).rejects.toEqual(refused);
  });

  test('Microsoft Graph: clientState is masked in every notification', async () => {
    const sample = samples.microsoft_graph as Sample;
    const trigger = await createTrigger({ verification: verificationOf(sample) });
    const { input } = await receiveAt(trigger, await signSample(sample));
    expect(input.event).toMatchObject({ value: [{ id: '1', clientState: '[masked]', resource: 'me' }] });
    expect(JSON.parse(input.event_raw as string)).toEqual(input.event);
    for (const body of [
      '{"value":[]}',
      '{"value":[{}]}',
      '[]',
      'null',
      'x',
      sample.body.replace(']', ',{"clientState":"other"}]'),
    ])
      await expect(receiveAt(trigger, { headers: {}, body })).rejects.toEqual(refused);
  });
});

test.each([
  ['Basic', 'basic', true],
  ['Basic  ', 'Basic ', true],
  ['Basic ', 'Bearer ', false],
])('basic_auth: %j as %j is accepted: %s', async (from, to, isAccepted) => {
  const sample = samples.basic_auth as Sample;
  const trigger = await createTrigger({ verification: verificationOf(sample) });
  const { headers, body } = await signSample(sample);
  const authorization = [headers.authorization?.[0]?.replace(from, to) ?? ''];
  const received = receiveAt(trigger, { headers: { authorization }, body });
  if (isAccepted) expect((await received).input.headers).toEqual({});
  else await expect(received).rejects.toEqual(refused);
});
