/** Signed deliveries of each sender, made with Web Crypto: independent of the code under test. */
import { keySamples } from './key-samples.ts';
import { presetSamples } from './preset-samples.ts';
import {
  base64,
  base64Url,
  ed25519,
  event,
  FORM,
  first,
  hex,
  hmac,
  keys,
  message,
  ofBody,
  type Sample,
  type Signed,
  second,
  seconds,
  secrets,
  slack,
  subtle,
  utf8,
  withTimestampIn,
} from './signing.ts';

export type { Headers, Sample, Signed } from './signing.ts';

export const samples: Record<string, Sample> = {
  ...presetSamples,
  ...keySamples,
  github: ofBody('github', 'x-hub-signature-256', (digest) => `sha256=${hex(digest)}`, {
    id: { 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    unsignedId: 'x-github-delivery',
  }),
  bitbucket: ofBody('bitbucket', 'x-hub-signature', (digest) => `sha256=${hex(digest)}`, {
    id: { 'x-request-uuid': 'a1b2' },
    unsignedId: 'x-request-uuid',
  }),
  shopify: ofBody('shopify', 'x-shopify-hmac-sha256', base64, {
    id: { 'x-shopify-webhook-id': 'b54557e4' },
    unsignedId: 'x-shopify-webhook-id',
  }),
  typeform: ofBody('typeform', 'typeform-signature', (digest) => `sha256=${base64(digest)}`),
  alchemy: ofBody('alchemy', 'x-alchemy-signature', hex),
  meta: ofBody('meta', 'x-hub-signature-256', (digest) => `sha256=${hex(digest)}`, {
    fields: { verify_token: 'a verify token' },
  }),
  'hmac, base64url': ofBody('hmac', 'x-mac', (digest) => `v1=${base64Url(digest)}`, {
    fields: { header: 'X-Mac', encoding: 'base64url', prefix: 'v1=' },
    repeats: 'never',
  }),
  'hmac, upper-case hex': ofBody('hmac', 'x-mac', (digest) => hex(digest).toUpperCase(), {
    fields: { header: 'X-Mac' },
    repeats: 'never',
  }),
  'hmac with a timestamp and an id': {
    scheme: 'hmac',
    fields: { header: 'x-mac', encoding: 'base64', timestamp_header: 'x-time', id_header: 'x-id' },
    keys,
    signature: 'x-mac',
    timestamp: 'x-time',
    repeats: 'resigned',
    body: event,
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'x-id': 'one',
        'x-time': seconds(atMs),
        'x-mac': base64(await hmac(key, `one.${seconds(atMs)}.${body}`)),
      },
    }),
  },
  'hmac with a template': {
    scheme: 'hmac',
    fields: {
      header: 'x-mac',
      algorithm: 'sha512',
      timestamp_header: 'x-time',
      timestamp_unit: 'milliseconds',
      signed_content: 'v2:{timestamp}{body}!',
    },
    keys,
    signature: 'x-mac',
    timestamp: 'x-time',
    repeats: 'never',
    body: event,
    sign: async ({ key, atMs, body }) => ({
      headers: { 'x-time': String(atMs), 'x-mac': hex(await hmac(key, `v2:${atMs}${body}!`, 'SHA-512')) },
    }),
  },
  ed25519: {
    scheme: 'ed25519',
    keyField: 'public_key',
    fields: { header: 'x-sign', encoding: 'base64', timestamp_header: 'x-time' },
    keys: [base64(first), hex(second)],
    signature: 'x-sign',
    timestamp: 'x-time',
    repeats: 'never',
    body: event,
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'x-time': seconds(atMs),
        'x-sign': base64(await ed25519(key, `${seconds(atMs)}.${body}`)),
      },
    }),
  },
  discord: {
    scheme: 'discord',
    keyField: 'public_key',
    keys: [hex(first), hex(second)],
    signature: 'x-signature-ed25519',
    timestamp: 'x-signature-timestamp',
    repeats: 'resigned',
    body: JSON.stringify({ id: '1', type: 2, token: 'a token of the interaction', data: { name: 'do' } }),
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'x-signature-timestamp': seconds(atMs),
        'x-signature-ed25519': hex(await ed25519(key, `${seconds(atMs)}${body}`)),
      },
    }),
  },
  standard_webhooks: message('standard_webhooks', 'webhook', secrets),
  'standard_webhooks, v1a': message('standard_webhooks', 'webhook', [
    `whpk_${base64(first)}`,
    `whpk_${base64(second)}`,
  ]),
  svix: message('svix', 'svix', secrets),
  'svix, webhook-*': message('svix', 'webhook', secrets),
  'gitlab, signing token': message('gitlab', 'webhook', [secrets[0], `whsec_${secrets[1]}`]),
  stripe: withTimestampIn('stripe', 'stripe-signature', (sec, v1) => `t=${sec},v1=${v1}`, '.'),
  paddle: withTimestampIn('paddle', 'paddle-signature', (sec, h1) => `ts=${sec};h1=${h1}`, ':'),
  'slack, event': slack(
    JSON.stringify({ type: 'event_callback', event_id: 'Ev123ABC456', event: { type: 'app_mention' } }),
    'application/json',
    'resigned',
  ),
  'slack, command': slack('command=%2Fdo&text=a+b', FORM, 'exact'),
  'slack, interaction': slack('payload=%7B%22type%22%3A%22block_actions%22%7D', FORM, 'exact'),
  zoom: {
    ...slack(
      '{"event":"meeting.started","event_ts":1626230691572,"payload":{}}',
      'application/json',
      'resigned',
    ),
    scheme: 'zoom',
    signature: 'x-zm-signature',
    timestamp: 'x-zm-request-timestamp',
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'x-zm-request-timestamp': seconds(atMs),
        'x-zm-signature': `v0=${hex(await hmac(key, `v0:${seconds(atMs)}:${body}`))}`,
      },
    }),
  },
  linear: {
    ...ofBody('linear', 'linear-signature', hex),
    timestamp: 'in body',
    body: JSON.stringify({ action: 'create', type: 'Issue', webhookTimestamp: 0 }),
  },
  quicknode: {
    scheme: 'quicknode',
    keys,
    signature: 'x-qn-signature',
    timestamp: 'x-qn-timestamp',
    repeats: 'resigned',
    body: event,
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'x-qn-nonce': 'n0',
        'x-qn-timestamp': seconds(atMs),
        'x-qn-signature': hex(await hmac(key, `n0${seconds(atMs)}${body}`)),
      },
    }),
  },
  hubspot: {
    scheme: 'hubspot',
    keys,
    signature: 'x-hubspot-signature-v3',
    timestamp: 'x-hubspot-request-timestamp',
    repeats: 'resigned',
    body: JSON.stringify([{ eventId: 1, occurredAt: 1, attemptNumber: 0 }]),
    sign: async ({ key, atMs, body, url }) => ({
      search: '?a=%3A%20b',
      headers: {
        'x-hubspot-request-timestamp': String(atMs),
        'x-hubspot-signature-v3': base64(await hmac(key, `POST${url}?a=:%20b${body}${atMs}`)),
      },
    }),
  },
  square: {
    scheme: 'square',
    keys,
    signature: 'x-square-hmacsha256-signature',
    repeats: 'resigned',
    body: event,
    sign: async ({ key, body, url }) => ({
      search: '?a=1',
      headers: { 'x-square-hmacsha256-signature': base64(await hmac(key, `${url}?a=1${body}`)) },
    }),
  },
  'twilio, form': {
    scheme: 'twilio',
    keys,
    signature: 'x-twilio-signature',
    repeats: 'resigned',
    body: 'To=%2B18005551212&From=%2B14158675310&CallSid=CA1&Digits=2&Digits=1',
    contentType: `${FORM}; charset=utf-8`,
    sign: async ({ key, body, url }) => {
      const form = [...new URLSearchParams(body)].sort(([a, x], [b, y]) => (a + x < b + y ? -1 : 1));
      const signed = `${url}?a=1${form.flat().join('')}`;
      return {
        search: '?a=1',
        headers: { 'x-twilio-signature': base64(await hmac(key, signed, 'SHA-1')) },
      };
    },
  },
  'twilio, JSON': {
    scheme: 'twilio',
    keys,
    signature: 'x-twilio-signature',
    repeats: 'resigned',
    body: event,
    sign: async ({ key, body, url }) => {
      const digest = new Uint8Array(await subtle.digest('SHA-256', utf8(body)));
      const search = `?bodySHA256=${hex(digest)}`;
      return {
        search,
        headers: { 'x-twilio-signature': base64(await hmac(key, url + search, 'SHA-1')) },
      };
    },
  },
  'gitlab, secret token': {
    scheme: 'gitlab',
    keys,
    signature: 'x-gitlab-token',
    signsNothing: true,
    unsignedId: 'idempotency-key',
    repeats: 'resigned',
    body: event,
    sign: async ({ key }) => ({ headers: { 'x-gitlab-token': key, 'idempotency-key': 'one' } }),
  },
  telegram: {
    scheme: 'telegram',
    keys: ['a_token', 'b_token'],
    signature: 'x-telegram-bot-api-secret-token',
    signsNothing: true,
    repeats: 'resigned',
    body: '{"update_id":10000,"message":{}}',
    sign: async ({ key }) => ({ headers: { 'x-telegram-bot-api-secret-token': key } }),
  },
  'shared_secret in a header': {
    scheme: 'shared_secret',
    fields: { header: 'X-Hook', prefix: 'Key ' },
    keys,
    signature: 'x-hook',
    signsNothing: true,
    repeats: 'never',
    body: event,
    sign: async ({ key }) => ({ headers: { 'x-hook': `Key ${key}` } }),
  },
  'shared_secret in the query': {
    scheme: 'shared_secret',
    fields: { query: 'hook' },
    keys,
    signsNothing: true,
    repeats: 'never',
    body: event,
    sign: async ({ key }) => ({ headers: {}, search: `?hook=${encodeURIComponent(key)}` }),
  },
  basic_auth: {
    scheme: 'basic_auth',
    fields: { username: 'ann' },
    keys: ['päss:word', 'other'],
    signature: 'authorization',
    signsNothing: true,
    repeats: 'never',
    body: event,
    sign: async ({ key }) => ({ headers: { authorization: `Basic ${base64(utf8(`ann:${key}`))}` } }),
  },
  microsoft_graph: {
    scheme: 'microsoft_graph',
    keys,
    signsNothing: true,
    repeats: 'resigned',
    body: '{"value":[{"id":"1","subscriptionId":"s","clientState":"the key of the sender","resource":"me"}]}',
    sign: async () => ({ headers: {} }),
  },
};

/** Returns `verification` of a trigger for the deliveries of a sample. */
export const verificationOf = (
  { scheme, keyField = 'secret', fields, keys }: Sample,
  used: unknown = keys[0],
) => ({ scheme, [keyField]: used, ...fields });

export type SignOptions = { key?: string; atMs?: number; body?: string; url?: string };

/** Returns a delivery of the sample, signed now with its first key unless the options say otherwise. */
export async function signSample(
  sample: Sample,
  {
    key = sample.keys[0],
    atMs = Date.now(),
    body = sample.body,
    url = 'https://x.example/webhook/1',
  }: SignOptions = {},
): Promise<Signed> {
  const sent = sample.timestamp === 'in body' ? body.replace(/(webhookTimestamp":)\d+/, `$1${atMs}`) : body;
  const { headers, search = '', body: signed = sent } = await sample.sign({ key, atMs, body: sent, url });
  const all = { 'content-type': sample.contentType ?? 'application/json', ...headers };
  return {
    headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    body: signed,
    search,
  };
}
