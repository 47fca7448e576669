import { webcrypto } from 'node:crypto';
import type { HttpError } from '@latchkey/http';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { receive, webhook } from './webhook.ts';

const sealer = createSealer([sealingKey(new Uint8Array(32).fill(1))]);
const id = '00000000-0000-4000-8000-000000000001';
const { subtle } = webcrypto;

const hex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const utf8 = (text: string) => new TextEncoder().encode(text);
async function hmac(
  hash: string,
  key: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer> {
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign']);
  return subtle.sign('HMAC', imported, signed);
}
const nowSec = () => Math.floor(Date.now() / 1_000);

type Headers = Record<string, string[]>;
type Signed = { headers: Headers; body: string };

const push = JSON.stringify({
  ref: 'refs/heads/main',
  before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
  after: '0000000000000000000000000000000000000000',
  repository: { id: 186853002, full_name: 'Codertocat/Hello-World', private: false },
  pusher: { name: 'Codertocat', email: '21031067+Codertocat@users.noreply.github.com' },
  commits: [{ message: 'Grüße, 世界' }],
});
const payment = JSON.stringify(
  {
    id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
    object: 'event',
    api_version: '2019-02-19',
    created: 1686089970,
    data: { object: { id: 'pi_3MtwBwLkdIwHu7ix28a3tqPa', object: 'payment_intent', amount: 2000 } },
    livemode: false,
    type: 'payment_intent.succeeded',
  },
  null,
  2,
);
const mention = JSON.stringify({
  token: 'ZZZZZZWSxiZZZ2yIvs3peJ',
  team_id: 'T123ABC456',
  event: { type: 'app_mention', user: 'U123ABC456', text: 'What is the hour of the pearl, <@U0LAN0Z89>?' },
  type: 'event_callback',
  event_id: 'Ev123ABC456',
  event_time: 1515449522000,
});

/** Signs like each sender, with Web Crypto: independent of the code under test. */
const senders: Record<
  string,
  { secrets: [string, string]; sign: (secret: string, atSec: number, body?: string) => Promise<Signed> }
> = {
  github: {
    secrets: ["It's a Secret to Everybody", 'another'],
    sign: async (secret, _atSec, body = push) => ({
      body,
      headers: {
        'content-type': ['application/json'],
        'x-github-event': ['push'],
        'x-github-delivery': ['72d3162e-cc78-11e3-81ab-4c9367dc0958'],
        'x-hub-signature': [`sha1=${hex(await hmac('SHA-1', utf8(secret), utf8(body)))}`],
        'x-hub-signature-256': [`sha256=${hex(await hmac('SHA-256', utf8(secret), utf8(body)))}`],
      },
    }),
  },
  stripe: {
    secrets: ['whsec_qZ6jF1', 'whsec_other'],
    sign: async (secret, atSec, body = payment) => {
      const v1 = hex(await hmac('SHA-256', utf8(secret), utf8(`${atSec}.${body}`)));
      return {
        body,
        headers: {
          'content-type': ['application/json; charset=utf-8'],
          'stripe-signature': [`t=${atSec},v1=${v1},v0=${'0'.repeat(64)}`],
        },
      };
    },
  },
  slack: {
    secrets: ['8f742231b10e8888abcd99yyyzzz85a5', 'other'],
    sign: async (secret, atSec, body = mention) => ({
      body,
      headers: {
        'content-type': ['application/json'],
        'x-slack-request-timestamp': [String(atSec)],
        'x-slack-signature': [`v0=${hex(await hmac('SHA-256', utf8(secret), utf8(`v0:${atSec}:${body}`)))}`],
      },
    }),
  },
  standard_webhooks: {
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    sign: async (secret, atSec, body = '{"test": 2432232314}') => {
      const key = Uint8Array.from(atob(secret.replace('whsec_', '')), (character) => character.charCodeAt(0));
      const v1 = base64(await hmac('SHA-256', key, utf8(`msg_p5jXN8AQM9LWM0D4loKWxJek.${atSec}.${body}`)));
      return {
        body,
        headers: {
          'webhook-id': ['msg_p5jXN8AQM9LWM0D4loKWxJek'],
          'webhook-timestamp': [String(atSec)],
          'webhook-signature': [`v1,${btoa('x'.repeat(32))} v1,${v1}`],
        },
      };
    },
  },
};
const signatureHeaders: Record<string, string> = {
  github: 'x-hub-signature-256',
  stripe: 'stripe-signature',
  slack: 'x-slack-signature',
  standard_webhooks: 'webhook-signature',
};
const hasTimestamp = ['stripe', 'slack', 'standard_webhooks'];

async function createTrigger(wire: unknown) {
  return { id, config: await webhook.accept(wire, { id }, { sealer } as never) };
}
const receiveAt = async (
  trigger: Awaited<ReturnType<typeof createTrigger>>,
  { headers, body }: { headers: Headers; body: string | Buffer },
) => receive(trigger, { headers, body: Buffer.from(body as string) }, { sealer });
const refused = expect.objectContaining({
  status: 400,
  code: 'bad_request',
  message: 'Invalid webhook signature.',
}) as HttpError;

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(senders))('%s', (scheme, { secrets: [secret, other], sign }) => {
  const trigger = () => createTrigger({ verification: { scheme, secret } });

  test('accepts a signed delivery', async () => {
    const signed = await sign(secret, nowSec());
    const { input, dedupeKey } = await receiveAt(await trigger(), signed);
    expect(input).toMatchObject({ event: JSON.parse(signed.body), event_raw: signed.body });
    expect(dedupeKey).toHaveLength(43);
  });

  test('rejects another secret, another body and a changed signature', async () => {
    const right = await sign(secret, nowSec());
    const name = signatureHeaders[scheme] ?? '';
    const value = right.headers[name]?.[0] ?? '';
    const last =
      value.lastIndexOf(scheme === 'standard_webhooks' ? 'v1,' : scheme === 'stripe' ? 'v1=' : '=') + 5;
    const changed = `${value.slice(0, last)}${value[last] === 'a' ? 'b' : 'a'}${value.slice(last + 1)}`;
    for (const wrong of [
      await sign(other, nowSec()),
      { ...right, body: `${right.body} ` },
      { ...right, body: '' },
      { ...right, headers: { ...right.headers, [name]: [changed] } },
      { ...right, headers: { ...right.headers, [name]: [`${value}0`.replace(/v1=/, 'v1=0')] } },
      { ...right, headers: { ...right.headers, [name]: [''] } },
    ])
      await expect(receiveAt(await trigger(), wrong)).rejects.toEqual(refused);
  });

  test('rejects missing and repeated headers', async () => {
    const right = await sign(secret, nowSec());
    const needed = Object.keys(right.headers).filter((name) =>
      /signature-256|stripe|slack|webhook-/.test(name),
    );
    expect(needed).not.toEqual([]);
    for (const name of needed) {
      const { [name]: values = [], ...rest } = right.headers;
      await expect(receiveAt(await trigger(), { ...right, headers: rest })).rejects.toEqual(refused);
      const twice = { ...rest, [name]: [...values, ...values] };
      await expect(receiveAt(await trigger(), { ...right, headers: twice })).rejects.toEqual(refused);
    }
  });

  test('rejects a body whose invalid UTF-8 was signed as U+FFFD', async () => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')]);
    const { headers } = await sign(secret, nowSec(), body.toString('utf8'));
    await expect(receiveAt(await trigger(), { headers, body })).rejects.toEqual(refused);
  });

  test('accepts each of two secrets during a rotation', async () => {
    const both = await createTrigger({ verification: { scheme, secret: [other, secret] } });
    for (const one of [secret, other]) await receiveAt(both, await sign(one, nowSec()));
    const third = scheme === 'standard_webhooks' ? btoa('third') : 'third';
    await expect(receiveAt(both, await sign(third, nowSec()))).rejects.toEqual(refused);
  });

  test('rejects old timestamps where the scheme signs one', async () => {
    const isOldRefused = hasTimestamp.includes(scheme);
    await receiveAt(await trigger(), await sign(secret, nowSec() - 290));
    for (const ageSec of [310, 86_400]) {
      const old = receiveAt(await trigger(), await sign(secret, nowSec() - ageSec));
      if (isOldRefused) await expect(old).rejects.toEqual(refused);
      else await old;
    }
    if (scheme === 'slack' || scheme === 'standard_webhooks')
      await expect(receiveAt(await trigger(), await sign(secret, nowSec() + 310))).rejects.toEqual(refused);
  });

  test('rejects a changed timestamp', async () => {
    if (!hasTimestamp.includes(scheme)) return;
    const atSec = nowSec() - 1_000;
    const { headers, body } = await sign(secret, atSec);
    const fresh = Object.fromEntries(
      Object.entries(headers).map(([name, values]) => [
        name,
        values.map((value) => value.replace(String(atSec), String(nowSec()))),
      ]),
    );
    await expect(receiveAt(await trigger(), { headers: fresh, body })).rejects.toEqual(refused);
  });

  test('seals the secret and does not return it', async () => {
    const { config } = await trigger();
    const shown = webhook.show(config);
    expect(shown).toEqual({ verification: { scheme, secret_count: 1 } });
    expect(JSON.stringify(config)).not.toContain(secret);
    const moved = { id: '00000000-0000-4000-8000-000000000002', config };
    await expect(receiveAt(moved, await sign(secret, nowSec()))).rejects.toThrow('sealed for another record');
  });
});

describe('test vectors of the senders', () => {
  test('github', async () => {
    const trigger = await createTrigger({
      verification: { scheme: 'github', secret: "It's a Secret to Everybody" },
    });
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    await receiveAt(trigger, { headers: { 'x-hub-signature-256': [signature] }, body: 'Hello, World!' });
  });
  test('standard_webhooks', async () => {
    vi.useFakeTimers({ now: 1_614_265_330_000 });
    const trigger = await createTrigger({
      verification: { scheme: 'standard_webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    });
    await receiveAt(trigger, {
      headers: {
        'webhook-id': ['msg_p5jXN8AQM9LWM0D4loKWxJek'],
        'webhook-timestamp': ['1614265330'],
        'webhook-signature': ['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
      },
      body: '{"test": 2432232314}',
    });
  });
});

describe('hmac', () => {
  const body = 'a body';
  test.each([
    ['sha256', 'SHA-256', 'hex', 'sha256='],
    ['sha512', 'SHA-512', 'base64', ''],
    ['sha1', 'SHA-1', 'base64', 'v1,'],
  ])('%s as %s in %s after %j', async (algorithm, hash, encoding, prefix) => {
    const how = { scheme: 'hmac', secret: 'k', header: 'X-Acme-Mac', algorithm, encoding, prefix };
    const trigger = await createTrigger({ verification: how });
    const digest = await hmac(hash, utf8('k'), utf8(body));
    const value = prefix + (encoding === 'hex' ? hex(digest) : base64(digest));
    const { input } = await receiveAt(trigger, { headers: { 'x-acme-mac': [value] }, body });
    expect(input.headers).toEqual({ 'x-acme-mac': [value] });
    for (const wrong of [
      value.slice(prefix.length + 1),
      value.slice(0, -4),
      `x${value}`,
      prefix,
      '',
      `${value.slice(0, -3)}abc`,
    ])
      await expect(receiveAt(trigger, { headers: { 'x-acme-mac': [wrong] }, body })).rejects.toEqual(refused);
    await expect(receiveAt(trigger, { headers: { 'x-signature': [value] }, body })).rejects.toEqual(refused);
  });

  test('verifies a credential header but does not pass it to the action', async () => {
    const trigger = await createTrigger({
      verification: {
        scheme: 'hmac',
        secret: 'k',
        header: 'Authorization',
        encoding: 'base64',
        prefix: 'HMAC ',
      },
    });
    const value = `HMAC ${base64(await hmac('SHA-256', utf8('k'), utf8(body)))}`;
    const { input } = await receiveAt(trigger, { headers: { authorization: [value] }, body });
    expect(input.headers).toEqual({});
  });
});

describe('accept', () => {
  const hmacWith = (more: object) => ({
    verification: { scheme: 'hmac', secret: 'k', header: 'x', ...more },
  });
  test.each([
    [{ verification: { scheme: 'github' } }, 422],
    [{ verification: { scheme: 'github', secret: '' } }, 422],
    [{ verification: { scheme: 'github', secret: [] } }, 422],
    [{ verification: { scheme: 'github', secret: ['1', '2', '3', '4', '5', '6'] } }, 422],
    [{ verification: { scheme: 'other', secret: 'k' } }, 422],
    [{ verification: { scheme: 'hmac', secret: 'k' } }, 422],
    [hmacWith({ algorithm: 'md5' }), 422],
    [hmacWith({ header: 'a b' }), 400],
    [{ verification: { scheme: 'standard_webhooks', secret: 'not base64!' } }, 400],
    [{ delivery_header: 'a:b' }, 400],
    [{ other: 1 }, 422],
    ['x', 422],
  ])('%j returns %i', async (wire, status) => {
    await expect(createTrigger(wire)).rejects.toMatchObject({ status });
  });

  test('an absent config accepts unsigned deliveries', async () => {
    for (const wire of [undefined, null, {}]) expect((await createTrigger(wire)).config).toEqual({});
  });
});

describe('delivery ids', () => {
  const dedupeKeyFor = async (config: unknown, headers: Headers, body = '{}') =>
    (await receiveAt(await createTrigger(config), { headers, body })).dedupeKey;

  test('come from the headers of known senders without verification', async () => {
    for (const [headers, body] of [
      [{ 'x-github-delivery': ['1'] }, '{}'],
      [{ 'stripe-signature': ['t'] }, '{"id":"1"}'],
      [{ 'x-slack-signature': ['s'] }, '{"event_id":"1"}'],
      [{ 'x-slack-signature': ['1'] }, 'command=%2Fdo'],
      [{ 'webhook-id': ['1'] }, '{}'],
    ] satisfies [Headers, string][]) {
      const key = await dedupeKeyFor({}, headers, body);
      expect(key).toHaveLength(43);
      expect(await dedupeKeyFor({}, headers, body)).toBe(key);
    }
    expect(await dedupeKeyFor({}, { 'x-github-delivery': ['2'] })).not.toBe(
      await dedupeKeyFor({}, { 'x-github-delivery': ['1'] }),
    );
  });

  test('are absent without a known sender', async () => {
    expect(await dedupeKeyFor({}, {})).toBeUndefined();
    expect(await dedupeKeyFor({}, {}, '{"id":"1","event_id":"1"}')).toBeUndefined();
    expect(await dedupeKeyFor({}, { 'x-github-delivery': ['1', '2'] })).toBeUndefined();
    expect(await dedupeKeyFor({}, { 'stripe-signature': ['t'] }, '{"id":1}')).toBeUndefined();
    expect(await dedupeKeyFor({}, { 'stripe-signature': ['t'] }, 'null')).toBeUndefined();
    expect(await dedupeKeyFor({ delivery_header: 'x-id' }, { 'x-github-delivery': ['1'] })).toBeUndefined();
  });

  test('come from delivery_header, which is passed to the action', async () => {
    const config = { delivery_header: 'X-Delivery' };
    expect(await dedupeKeyFor(config, { 'x-delivery': ['1'] })).toHaveLength(43);
    const { input } = await receiveAt(await createTrigger(config), {
      headers: { 'x-delivery': ['1'] },
      body: '{}',
    });
    expect(input.headers).toEqual({ 'x-delivery': ['1'] });
  });

  test('of a verified sender cannot be changed by headers of another sender', async () => {
    const { secrets, sign } = senders.standard_webhooks ?? expect.unreachable();
    const config = { verification: { scheme: 'standard_webhooks', secret: secrets[0] } };
    const { headers, body } = await sign(secrets[0], nowSec());
    const key = await dedupeKeyFor(config, headers, body);
    expect(await dedupeKeyFor(config, { ...headers, 'x-github-delivery': ['made up'] }, body)).toBe(key);
  });
});
