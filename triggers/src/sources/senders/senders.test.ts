import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTrigger, id, type Request, receiveAt, refused } from '../../../test/receiving.ts';
import { type Sample, samples, signSample, verificationOf } from '../../../test/sender-samples.ts';
import { webhook } from '../webhook.ts';
import { senders } from './index.ts';

const NOW_MS = 1_790_000_000_123;
beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const table = Object.entries(samples);
const only = (holds: (sample: Sample) => boolean) => table.filter(([, sample]) => holds(sample));
const triggerFor = (sample: Sample, keys?: unknown) =>
  createTrigger({ verification: verificationOf(sample, keys) });
const withHeader = <R extends Request>(request: R, name: string, values: string[] | undefined): R => {
  const { [name]: _old, ...others } = request.headers;
  return { ...request, headers: values ? { ...others, [name]: values } : others };
};

test('every scheme has a sample', () => {
  // Schemes whose certificates or public keys are fetched have tests of their own.
  const fetching = ['aws_sns', 'google_chat', 'google_pubsub', 'jwks', 'paypal', 'plaid'];
  const sampled = new Set([...fetching, ...Object.values(samples).map(({ scheme }) => scheme)]);
  expect([...sampled].sort()).toEqual(Object.keys(senders).sort());
});

describe.each(table)('%s', (_name, sample) => {
  test('accepts a signed delivery, also with the second of two keys', async () => {
    const signed = await signSample(sample);
    const { input, dedupeKey } = await receiveAt(await triggerFor(sample), signed);
    if (!['microsoft_graph', 'figma'].includes(sample.scheme)) expect(input.event_raw).toBe(signed.body);
    if (sample.repeats === 'never') expect(dedupeKey).toBeUndefined();
    else expect(dedupeKey).toHaveLength(43);
    await receiveAt(await triggerFor(sample, [sample.keys[1], sample.keys[0]]), signed);
    await expect(receiveAt(await triggerFor(sample, sample.keys[1]), signed)).rejects.toEqual(refused);
  });

  test('neither stores nor shows a key, and does not pass a secret to the action', async () => {
    const { config } = await triggerFor(sample);
    expect(JSON.stringify(config)).not.toContain(sample.keys[0]);
    expect(webhook.show(config)).toMatchObject({ verification: { scheme: sample.scheme, secret_count: 1 } });
    expect(JSON.stringify(webhook.show(config))).not.toContain(sample.keys[0]);
    const { input } = await receiveAt({ id, config }, await signSample(sample));
    expect(JSON.stringify(input)).not.toContain(sample.keys[0]);
  });
});

describe.each(only(({ signature }) => signature !== undefined))('signature of %s', (_name, sample) => {
  const name = sample.signature as string;

  test('rejects an absent, repeated, changed or malformed signature', async () => {
    const trigger = await triggerFor(sample);
    const right = await signSample(sample);
    const [value = ''] = right.headers[name] ?? [];
    const at = value.length - 6;
    const changed = `${value.slice(0, at)}${/a/i.test(value[at] as string) ? 'B' : 'A'}${value.slice(at + 1)}`;
    for (const values of [
      undefined,
      [value, value],
      [''],
      [changed],
      [value.slice(0, -3)],
      [`x${value}`],
      [`${value}0`],
      [value.replace(/^[^=,]*[=,]/, '')].filter((text) => text !== value),
      ...[
        '=',
        ',',
        'v1',
        'v1,',
        'v1a,',
        't=1,v1=',
        'ts=1;h1=',
        'sha256=',
        'Basic',
        'Basic !',
        '%',
        '\u00ff',
      ].map((text) => [text]),
    ])
      await expect(receiveAt(trigger, withHeader(right, name, values)), String(values)).rejects.toEqual(
        refused,
      );
  });

  test('rejects random signatures', async () => {
    const trigger = await triggerFor(sample);
    const right = await signSample(sample);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        await expect(receiveAt(trigger, withHeader(right, name, [text]))).rejects.toEqual(refused);
      }),
      { numRuns: 50 },
    );
  });
});

test.each(only(({ signsNothing }) => !signsNothing))('%s rejects a changed body', async (_name, sample) => {
  const trigger = await triggerFor(sample);
  const right = await signSample(sample);
  const { body } = right;
  const bytes = Buffer.from(body);
  const invalid = Buffer.from(bytes);
  invalid[3] = 0xff;
  for (const wrong of [`${body} `, ` ${body}`, body.slice(0, -1), '', `${body}${body}`, invalid])
    await expect(receiveAt(trigger, { ...right, body: wrong }), String(wrong)).rejects.toEqual(refused);
});

describe.each(only(({ timestamp }) => timestamp !== undefined))('timestamp of %s', (_name, sample) => {
  test('accepts five minutes in the past or future', async () => {
    const trigger = await triggerFor(sample);
    for (const sec of [-290, 290])
      await receiveAt(trigger, await signSample(sample, { atMs: NOW_MS + sec * 1_000 }));
    for (const sec of [-310, 310, -86_400, 86_400]) {
      const signed = await signSample(sample, { atMs: NOW_MS + sec * 1_000 });
      await expect(receiveAt(trigger, signed), String(sec)).rejects.toEqual(refused);
    }
  });

  test('rejects a timestamp that is not the signed one', async () => {
    const trigger = await triggerFor(sample);
    const old = await signSample(sample, { atMs: NOW_MS - 3_600_000 });
    const [from, to] = [NOW_MS - 3_600_000, NOW_MS].map((ms) => String(Math.floor(ms / 1_000))) as [
      string,
      string,
    ];
    const forms = [
      (ms: number) => new Date(ms).toISOString().slice(0, -1),
      (ms: number) => new Date(ms).toUTCString(),
    ];
    const fresh = (text: string) =>
      forms.reduce(
        (changed, form) => changed.replaceAll(form(NOW_MS - 3_600_000), form(NOW_MS)),
        text.replaceAll(from, to),
      );
    const headers = Object.fromEntries(
      Object.entries(old.headers).map(([name, values]) => [name, values.map(fresh)]),
    );
    expect(JSON.stringify({ ...old, headers, body: fresh(old.body) })).not.toBe(JSON.stringify(old));
    await expect(receiveAt(trigger, { ...old, headers, body: fresh(old.body) })).rejects.toEqual(refused);
  });

  test('rejects an absent, repeated or malformed timestamp', async () => {
    const { timestamp: name = '' } = sample;
    const right = await signSample(sample);
    const value = right.headers[name]?.[0];
    if (value === undefined) return;
    for (const values of [
      undefined,
      [value, value],
      [''],
      [` ${value}`],
      [`0${value}`],
      [`${value}.0`],
      ['now'],
    ])
      await expect(receiveAt(await triggerFor(sample), withHeader(right, name, values))).rejects.toEqual(
        refused,
      );
  });
});

test.each([
  ['stripe', (value: string) => `v1=00,${value},v0=00`],
  ['paddle', (value: string) => value.replace(';', ';h1=00;')],
  ['svix', (value: string) => `v1,${btoa('x'.repeat(32))} v2,x ${value}`],
])('%s accepts a right signature among others', async (scheme, change) => {
  const sample = samples[scheme] as Sample;
  const right = await signSample(sample);
  const name = sample.signature as string;
  await receiveAt(
    await triggerFor(sample),
    withHeader(right, name, [change(right.headers[name]?.[0] ?? '')]),
  );
});

test.each([
  ['stripe', (value: string) => `t=1,${value}`],
  ['stripe', (value: string) => value.replace(/(t=\d+)/, '$1,$1')],
  ['paddle', (value: string) => `ts=1;${value}`],
  ['paddle', (value: string) => value.replace(/(ts=\d+)/, '$1;$1')],
])('%s rejects two timestamps', async (scheme, change) => {
  const sample = samples[scheme] as Sample;
  const right = await signSample(sample);
  const name = sample.signature as string;
  const twice = withHeader(right, name, [change(right.headers[name]?.[0] ?? '')]);
  await expect(receiveAt(await triggerFor(sample), twice)).rejects.toEqual(refused);
});

describe.each(only(({ repeats }) => repeats !== 'never'))('delivery id of %s', (_name, sample) => {
  const keyOf = async (request: Request) => (await receiveAt(await triggerFor(sample), request)).dedupeKey;

  test('is the id of the first attempt', async () => {
    const first = await keyOf(await signSample(sample));
    expect(await keyOf(await signSample(sample))).toBe(first);
    const later = await keyOf(await signSample(sample, { atMs: NOW_MS + 20_000 }));
    if (sample.repeats === 'resigned') expect(later).toBe(first);
    else expect(later).not.toBe(first);
  });

  test('cannot be changed by headers that are not signed', async () => {
    const right = await signSample(sample);
    const first = await keyOf(right);
    const others = Object.values(samples).flatMap(({ unsignedId, signature }) => [unsignedId, signature]);
    const names = [...others, 'linear-delivery', 'webhook-id', 'x-delivery', 'i-twilio-idempotency-token'];
    for (const name of new Set(names)) {
      const isOwn = name === undefined || name in right.headers || name === sample.unsignedId;
      // GitLab and Bitbucket have several headers.
      if (isOwn || (sample.unsignedId && /webhook-id|x-request/.test(name))) continue;
      expect(await keyOf(withHeader(right, name, ['made up'])), name).toBe(first);
    }
  });

  test('is not changed by another spelling of the signature', async () => {
    const name = sample.signature;
    if (name === undefined || sample.signsNothing) return;
    const right = await signSample(sample);
    const [value = ''] = right.headers[name] ?? [];
    for (const spelling of [
      value.replace(/=+$/, ''),
      value.replace(/[0-9a-f]{64,}$/, (hex) => hex.toUpperCase()),
    ])
      expect(await keyOf(withHeader(right, name, [spelling]))).toBe(await keyOf(right));
  });
});

test('HubSpot: the delivery id does not contain the attempt number', async () => {
  const sample = samples.hubspot as Sample;
  const trigger = await triggerFor(sample);
  const keyOf = async (body: string) =>
    (await receiveAt(trigger, await signSample(sample, { body }))).dedupeKey;
  expect(await keyOf(sample.body.replace('Number":0', 'Number":1'))).toBe(await keyOf(sample.body));
  expect(await keyOf(sample.body.replace('occurredAt":1', 'occurredAt":2'))).not.toBe(
    await keyOf(sample.body),
  );
});

describe.each(['square', 'hubspot'])('%s', (scheme) => {
  test('rejects a delivery whose first bytes were moved from the body to the query', async () => {
    const sample = samples[scheme] as Sample;
    const trigger = await triggerFor(sample);
    const { headers, body, search } = await signSample(sample);
    for (let i = 1; i <= body.length; i++) {
      const moved = { headers, search: search + body.slice(0, i), body: body.slice(i) };
      await expect(receiveAt(trigger, moved)).rejects.toEqual(refused);
    }
  });
});

test('QuickNode: a digit of the nonce cannot move to the timestamp', async () => {
  const sample = samples.quicknode as Sample;
  const right = await signSample(sample);
  const moved = withHeader(withHeader(right, 'x-qn-nonce', ['n']), 'x-qn-timestamp', [
    `0${right.headers['x-qn-timestamp']?.[0]}`,
  ]);
  await expect(receiveAt(await triggerFor(sample), moved)).rejects.toEqual(refused);
});

test.each(['standard_webhooks', 'standard_webhooks, v1a'])('%s: ten signatures are checked', async (name) => {
  const sample = samples[name] as Sample;
  const trigger = await triggerFor(sample);
  const right = await signSample(sample);
  const [value = ''] = right.headers['webhook-signature'] ?? [];
  const after = (count: number) =>
    withHeader(right, 'webhook-signature', [
      `${`${value.slice(0, 10)}${'A'.repeat(value.length - 12)}== `.repeat(count)}${value}`,
    ]);
  await receiveAt(trigger, after(9));
  await expect(receiveAt(trigger, after(10))).rejects.toEqual(refused);
});

test('Twilio: a delivery whose parameters were moved to the query is the same delivery', async () => {
  const sample = samples['twilio, form'] as Sample;
  const trigger = await triggerFor(sample);
  const body = 'A=1&B=2';
  const right = await signSample(sample, { body });
  const moved = { ...right, search: '?a=1A1', body: 'B=2' };
  expect((await receiveAt(trigger, moved)).dedupeKey).toBe((await receiveAt(trigger, right)).dedupeKey);
});

test.each(['standard_webhooks', 'svix'])('%s rejects an id with a full stop', async (scheme) => {
  const sample = samples[scheme] as Sample;
  const sec = String(Math.floor(NOW_MS / 1_000));
  // The signed text is `msg_1.<now>.<body>`, and so is `msg_1.<now>` as the id before a timestamp in the body.
  const right = await signSample(sample, { body: `x.${sec}.{}` });
  const family = sample.signature?.replace('-signature', '') ?? '';
  const moved = withHeader({ ...right, body: '{}' }, `${family}-id`, [`msg_1.${sec}.x`]);
  await expect(receiveAt(await triggerFor(sample), moved)).rejects.toEqual(refused);
});

test('a signature header with thousands of signatures is checked within a second', async () => {
  vi.useRealTimers();
  for (const [name, list] of [
    ['stripe', (sec: number) => `t=${sec}${',v1=0'.repeat(5_000)}`],
    ['standard_webhooks, v1a', () => `v1a,${btoa('x'.repeat(64))} `.repeat(300)],
  ] as const) {
    const sample = samples[name] as Sample;
    const right = await signSample(sample, { body: 'x'.repeat(256 * 1024) });
    const value = list(Math.floor(Date.now() / 1_000));
    const startMs = performance.now();
    const trigger = await triggerFor(sample);
    await expect(receiveAt(trigger, withHeader(right, sample.signature as string, [value]))).rejects.toEqual(
      refused,
    );
    expect(performance.now() - startMs).toBeLessThan(1_000);
  }
});
