/** Requests that verify the URL of a webhook, by the table of senders and by the config of a trigger. */
import { createHmac } from 'node:crypto';
import { TextReply } from '@latchkey/http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createTrigger,
  id,
  type Request,
  receiveAll,
  receiveAny,
  receiveAt,
  refused,
} from '../../../test/receiving.ts';
import { type Sample, samples, signSample, verificationOf } from '../../../test/sender-samples.ts';

const FORM = { 'content-type': ['application/x-www-form-urlencoded'] };
const text = (value: string, headers = {}) => new TextReply(200, 'text/plain', value, headers);
const json = (value: unknown) => new TextReply(200, 'application/json', JSON.stringify(value));
const get = (search: string, headers = {}): Request => ({ method: 'GET', headers, body: '', search });
const post = (body: string, headers = {}): Request => ({ headers, body });
const triggerOf = (name: string) => createTrigger({ verification: verificationOf(samples[name] as Sample) });
const key = samples.x?.keys[0] ?? '';
const crc = createHmac('sha256', key).update('MGY3+/==').digest('base64');

test.each<[string, Request, TextReply]>([
  ['dropbox', get('?challenge=a%20b'), text('a b')],
  ['nylas', get('?challenge=a'), text('a')],
  ['okta', get('', { 'x-okta-verification-challenge': ['one'] }), json({ verification: 'one' })],
  ['x', get('?crc_token=MGY3%2B/%3D%3D'), json({ response_token: `sha256=${crc}` })],
  ['monday', post('{"challenge":"3eZ"}'), json({ challenge: '3eZ' })],
  [
    'smartsheet',
    post('{"challenge":"a"}', { 'smartsheet-hook-challenge': ['a'] }),
    json({ smartsheetHookResponse: 'a' }),
  ],
  ['ringcentral', post('', { 'validation-token': ['a'] }), text('', { 'Validation-Token': 'a' })],
  ['woocommerce', post('webhook_id=12', FORM), text('')],
])('%s: %j is answered', async (name, request, reply) => {
  expect(await receiveAny(await triggerOf(name), request)).toEqual(reply);
});

test.each<[string, Request, number]>([
  ['dropbox', get(''), 400],
  ['dropbox', get('?challenge=a&challenge=b'), 400],
  ['dropbox', post('{}'), 401],
  ['okta', get('?challenge=a'), 400],
  ['x', get('?crc_token={"for_user_id":"1"}'), 400],
  ['x', get(`?crc_token=${'a'.repeat(129)}`), 400],
  ['monday', post('{"challenge":"a","event":{}}'), 401],
  ['monday', post('{"challenge":{}}'), 401],
  ['monday', post(`{"challenge":"${'a'.repeat(5_000)}"}`), 401],
  ['ringcentral', post('', { 'validation-token': ['a b'] }), 401],
  ['ringcentral', post('', { 'validation-token': ['a', 'b'] }), 401],
  ['woocommerce', post('webhook_id=12', { ...FORM, 'x-wc-webhook-signature': ['a'] }), 401],
  ['github', post('{"challenge":"a"}'), 401],
])('%s: %j is refused', async (name, request, status) => {
  await expect(receiveAny(await triggerOf(name), request)).rejects.toMatchObject({ status });
});

test.each([
  [
    'twitch',
    '{"challenge":"pogchamp-kappa-360noscope-vohiyo"}',
    { 'twitch-eventsub-message-type': ['webhook_callback_verification'] },
    text('pogchamp-kappa-360noscope-vohiyo'),
  ],
  ['xero', '{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"a"}', {}, text('')],
])(
  '%s: a signed request that verifies the URL is answered, an unsigned one is 401',
  async (name, body, more, reply) => {
    const trigger = await triggerOf(name);
    const { headers } = await signSample(samples[name] as Sample, { body });
    expect(await receiveAny(trigger, { headers: { ...headers, ...more }, body })).toEqual(reply);
    await expect(receiveAny(trigger, { headers: more as never, body })).rejects.toEqual(refused);
  },
);

test('a HEAD request is answered for every trigger, and fires nothing', async () => {
  for (const trigger of [await createTrigger({}), await triggerOf('trello')])
    expect(await receiveAny(trigger, { method: 'HEAD', headers: {}, body: '' })).toEqual(text(''));
});

describe('asana', () => {
  const shake = (secret: string): Request => post('', { 'x-hook-secret': [secret] });
  const asana = samples.asana as Sample;
  const stored = async () => {
    const trigger = await createTrigger({ verification: { scheme: 'asana' } });
    const answered = await receiveAll(trigger, shake(asana.keys[0].replaceAll(' ', '')));
    if (!('reply' in answered) || !answered.config) throw new Error('no key');
    return { trigger, answered, after: { id, config: answered.config } };
  };

  test('the first handshake brings the key, which is sealed', async () => {
    const { answered, after } = await stored();
    const secret = asana.keys[0].replaceAll(' ', '');
    expect(answered).toMatchObject({ reply: text('', { 'X-Hook-Secret': secret }) });
    expect(JSON.stringify(after.config)).not.toContain(secret);
    await receiveAt(after, await signSample(asana, { key: secret }));
  });

  test('no delivery is accepted before, no other key after', async () => {
    const { trigger, after } = await stored();
    await expect(receiveAt(trigger, await signSample(asana))).rejects.toEqual(refused);
    await expect(receiveAny(after, shake('another'))).rejects.toEqual(refused);
    expect(await receiveAll(after, shake(asana.keys[0].replaceAll(' ', '')))).not.toHaveProperty('config');
    const configured = await triggerOf('asana');
    await expect(receiveAny(configured, shake('another'))).rejects.toEqual(refused);
  });
});

describe('challenge of the config', () => {
  const query = { in: 'query', name: 'hub.challenge', reply: 'text' };
  test('a trigger answers what its config describes', async () => {
    const answerTo = async (challenge: object, request: Request) =>
      receiveAny(await createTrigger({ challenge }), request);
    expect(await answerTo(query, get('?hub.challenge=1%3C'))).toEqual(text('1<'));
    const body = { method: 'POST', in: 'body', name: 'a.b', reply: 'json', field: 'c' };
    expect(await answerTo(body, post('{"a":{"b":"1"}}'))).toEqual(json({ c: '1' }));
    const header = { in: 'header', name: 'X-Hook-Secret', reply: 'header' };
    expect(await answerTo(header, post('', { 'x-hook-secret': ['1'] }))).toEqual(
      text('', { 'x-hook-secret': '1' }),
    );
    expect(await answerTo(query, post('{}'))).toHaveProperty('input');
  });

  test.each([
    { ...query, reply: 'html' },
    { ...query, reply: 'header' },
    { in: 'header', name: 'Set-Cookie', reply: 'header' },
    { in: 'header', name: 'x-frame-options', reply: 'header' },
    { in: 'header', name: 'X-Hook-\r\nA', reply: 'header' },
  ])('%j is refused', async (challenge) => {
    await expect(createTrigger({ challenge })).rejects.toHaveProperty('status');
  });
});

test('arbitrary requests are answered or refused, for every sender', async () => {
  const triggers = await Promise.all(Object.keys(samples).map(triggerOf));
  const name = fc.constantFrom(
    'x-hook-secret',
    'validation-token',
    'content-type',
    'authorization',
    'date',
    'x-signature',
  );
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'HEAD'),
    headers: fc.dictionary(name, fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 2 })),
    body: fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
    search: fc.oneof(
      fc.constant(''),
      fc.string().map((value) => `?challenge=${value}&crc_token=${value}`),
    ),
  });
  await fc.assert(
    fc.asyncProperty(request, fc.constantFrom(...triggers), async (sent, trigger) => {
      const status = await receiveAny(trigger, sent).then(
        () => 200,
        ({ status: failed }) => failed,
      );
      expect([200, 400, 401]).toContain(status);
    }),
    { numRuns: 1_000 },
  );
});
