/** Deliveries of senders that sign with a secret, computed from the algorithm that each of them documents. */
import {
  type Bytes,
  base64,
  base64Url,
  fromBase64,
  hex,
  hmac,
  keys,
  ofBody,
  type Sample,
  seconds,
  subtle,
  utf8,
} from './signing.ts';

/** Has the ids of all senders. */
export const everything = JSON.stringify({
  id: 'evt_1',
  _id: 'a',
  event_id: 'b',
  eventId: 'c',
  messageId: 'd',
  nonce: 'e',
  uuid: 'f',
  notificationId: 'g',
  deliveryId: 'h',
  event: { id: 'i', triggerUuid: 'j' },
  data: { id: 'k' },
  action: { id: 'l' },
  text: 'Grüße, 世界',
});

type More = Partial<Sample> & { id?: Record<string, string> };
const of = (scheme: string, header: string, encode: (digest: Bytes) => string, more: More = {}) =>
  ofBody(scheme, header, encode, { body: everything, ...more });
const never = { repeats: 'never' } as const;
const ok = { okStatus: 200 } as const;
const unsigned = (name: string) => ({ id: { [name]: 'an id' }, unsignedId: name });
const inPrefix = (prefix: string) => (digest: Bytes) => prefix + hex(digest);
const sha256 = inPrefix('sha256=');

/** Another hash than SHA-256, over the body. */
const hashed = (
  hash: string,
  scheme: string,
  header: string,
  encode: (digest: Bytes) => string,
  more: More = {},
) =>
  of(scheme, header, encode, {
    sign: async ({ key, body }) => ({
      headers: { ...more.id, [header]: encode(await hmac(key, body, hash)) },
    }),
    ...more,
  });

type Timed = {
  name?: string;
  time?: (atMs: number) => string;
  content: (time: string, body: string, url: string) => string;
};
/** A header with the signature, and one with the time. */
const timed = (
  scheme: string,
  header: string,
  encode: (digest: Bytes) => string,
  { name = '', time = seconds, content }: Timed,
  more: More = {},
): Sample => {
  const { id = {}, ...rest } = more;
  return {
    scheme,
    keys,
    signature: header,
    timestamp: name,
    repeats: 'resigned',
    body: everything,
    sign: async ({ key, atMs, body, url }) => ({
      headers: {
        ...id,
        [name]: time(atMs),
        [header]: encode(await hmac(key, content(time(atMs), body, url))),
      },
    }),
    ...rest,
  };
};

/** One header with the time and the signature. */
const composite = (
  scheme: string,
  header: string,
  format: (time: string, signature: string) => string,
  more: More & { time?: (atMs: number) => string; encode?: (digest: Bytes) => string } = {},
): Sample => {
  const { time = seconds, encode = hex, ...rest } = more;
  return {
    scheme,
    keys,
    signature: header,
    timestamp: 'in signature',
    repeats: 'resigned',
    body: everything,
    sign: async ({ key, atMs, body }) => ({
      headers: {
        ...more.id,
        [header]: format(time(atMs), encode(await hmac(key, `${time(atMs)}.${body}`))),
      },
    }),
    ...rest,
  };
};
const iso = (atMs: number) => new Date(atMs).toISOString();
const tv1 = (time: string, signature: string) => `t=${time},v1=${signature}`;

const secret = (scheme: string, header: string, more: More = {}): Sample => ({
  scheme,
  keys,
  signature: header,
  signsNothing: true,
  repeats: 'never',
  body: everything,
  sign: async ({ key }) => ({ headers: { ...more.id, [header]: key } }),
  ...more,
});

const part = (value: object) => base64Url(utf8(JSON.stringify(value)));
/** A token with the claims that `claims` returns. */
const token = (
  scheme: string,
  header: string,
  claims: (digest: Bytes, sec: number) => object,
  { before = '', ...more }: Partial<Sample> & { before?: string } = {},
): Sample => ({
  scheme,
  keys,
  signature: header,
  repeats: 'never',
  body: everything,
  sign: async ({ key, atMs, body }) => {
    const digest = new Uint8Array(await subtle.digest('SHA-256', utf8(body)));
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims(digest, Math.floor(atMs / 1_000)))}`;
    return { headers: { [header]: `${before}${signed}.${base64Url(await hmac(key, signed))}` } };
  },
  ...more,
});

const list: Sample[] = [
  of('acuity', 'x-acuity-signature', base64, never),
  of('asana', 'x-hook-signature', hex, never),
  of('attio', 'attio-signature', hex, unsigned('idempotency-key')),
  of('btcpay', 'btcpay-sig', sha256),
  of('cal_com', 'x-cal-signature-256', hex, never),
  of('chargify', 'x-chargify-webhook-signature-hmac-sha-256', hex, unsigned('x-chargify-webhook-id')),
  of('checkout', 'cko-signature', hex),
  of('circleci', 'circleci-signature', inPrefix('v1=')),
  of('clickup', 'x-signature', hex),
  of('coinbase_commerce', 'x-cc-webhook-signature', hex, ok),
  of('discourse', 'x-discourse-event-signature', sha256, unsigned('x-discourse-event-id')),
  of('docusign', 'x-docusign-signature-1', base64, ok),
  of('doppler', 'x-doppler-signature', sha256, never),
  of('dropbox', 'x-dropbox-signature', hex, { ...never, ...ok }),
  of('dwolla', 'x-request-signature-sha-256', hex),
  of('easypost', 'x-hmac-signature', inPrefix('hmac-sha256-hex=')),
  of('fastspring', 'x-fs-signature', base64, never),
  of('gitea', 'x-gitea-signature', hex, unsigned('x-gitea-delivery')),
  of('gocardless', 'webhook-signature', hex),
  of('greenhouse', 'signature', inPrefix('sha256 '), unsigned('greenhouse-event-id')),
  of('hackerone', 'x-h1-signature', sha256, unsigned('x-h1-delivery')),
  of('heroku', 'heroku-webhook-hmac-sha256', base64),
  of('jira', 'x-hub-signature', sha256, unsigned('x-atlassian-webhook-identifier')),
  of('launchdarkly', 'x-ld-signature', hex),
  of('lemon_squeezy', 'x-signature', hex, never),
  of('line', 'x-line-signature', base64, ok),
  of('modern_treasury', 'x-signature', hex, never),
  of('notion', 'x-notion-signature', sha256),
  of('nylas', 'x-nylas-signature', hex, ok),
  of('onfido', 'x-sha2-signature', hex, never),
  of('pagerduty', 'x-pagerduty-signature', inPrefix('v1=')),
  of('planetscale', 'x-planetscale-signature', hex, never),
  of('pulumi', 'pulumi-webhook-signature', hex, unsigned('pulumi-webhook-id')),
  of('pusher', 'x-pusher-signature', hex),
  of('quickbooks', 'intuit-signature', base64, ok),
  of('razorpay', 'x-razorpay-signature', hex, unsigned('x-razorpay-event-id')),
  of('semaphore', 'x-semaphore-signature-256', sha256, never),
  of('sentry', 'sentry-hook-signature', hex, unsigned('request-id')),
  of('shortcut', 'payload-signature', hex),
  of('smartsheet', 'smartsheet-hmac-sha256', hex, ok),
  of('snyk', 'x-hub-signature', sha256, never),
  of('sonar', 'x-sonar-webhook-hmac-sha256', hex, never),
  of('tally', 'tally-signature', base64),
  of('todoist', 'x-todoist-hmac-sha256', base64, { ...unsigned('x-todoist-delivery-id'), ...ok }),
  of('uber', 'x-uber-signature', hex, ok),
  of('viber', 'x-viber-content-signature', hex, ok),
  of('woocommerce', 'x-wc-webhook-signature', base64, unsigned('x-wc-webhook-delivery-id')),
  of('x', 'x-twitter-webhooks-signature', (digest) => `sha256=${base64(digest)}`, ok),
  of('xero', 'x-xero-signature', base64, ok),
  hashed('SHA-1', 'expo', 'expo-signature', inPrefix('sha1=')),
  hashed('SHA-1', 'help_scout', 'x-helpscout-signature', base64, never),
  hashed('SHA-1', 'intercom', 'x-hub-signature', inPrefix('sha1=')),
  hashed('SHA-1', 'mongodb_atlas', 'x-mms-signature', base64, never),
  hashed('SHA-1', 'segment', 'x-signature', hex),
  hashed('SHA-1', 'vercel', 'x-vercel-signature', hex),
  hashed('SHA-1', 'webex', 'x-spark-signature', hex, never),
  hashed('SHA-512', 'paystack', 'x-paystack-signature', hex, ok),
  hashed('SHA-512', 'terraform', 'x-tfe-notification-signature', hex, never),
  timed(
    'box',
    'box-signature-primary',
    base64,
    { name: 'box-delivery-timestamp', time: iso, content: (time, body) => body + time },
    unsigned('box-delivery-id'),
  ),
  timed('customer_io', 'x-cio-signature', hex, {
    name: 'x-cio-timestamp',
    content: (time, body) => `v0:${time}:${body}`,
  }),
  timed(
    'frame_io',
    'x-frameio-signature',
    inPrefix('v0='),
    { name: 'x-frameio-request-timestamp', content: (time, body) => `v0:${time}:${body}` },
    never,
  ),
  timed('tenderly', 'x-tenderly-signature', hex, {
    name: 'date',
    time: iso,
    content: (time, body) => body + time,
  }),
  timed(
    'twitch',
    'twitch-eventsub-message-signature',
    sha256,
    {
      name: 'twitch-eventsub-message-timestamp',
      time: (atMs) => iso(atMs).replace('Z', '456789Z'),
      content: (time, body) => `e76c6bd4-55c9-4987${time}${body}`,
    },
    { id: { 'twitch-eventsub-message-id': 'e76c6bd4-55c9-4987' } },
  ),
  timed(
    'webflow',
    'x-webflow-signature',
    hex,
    { name: 'x-webflow-timestamp', time: String, content: (time, body) => `${time}:${body}` },
    never,
  ),
  timed(
    'zendesk',
    'x-zendesk-webhook-signature',
    base64,
    { name: 'x-zendesk-webhook-signature-timestamp', time: iso, content: (time, body) => time + body },
    unsigned('x-zendesk-webhook-invocation-id'),
  ),
  composite(
    'buildkite',
    'x-buildkite-signature',
    (time, signature) => `timestamp=${time},signature=${signature}`,
    never,
  ),
  composite('calendly', 'calendly-webhook-signature', tv1, never),
  composite(
    'cloudflare_stream',
    'webhook-signature',
    (time, signature) => `time=${time},sig1=${signature}`,
    never,
  ),
  composite('elevenlabs', 'elevenlabs-signature', (time, signature) => `t=${time},v0=${signature}`, never),
  composite('increase', 'increase-webhook-signature', tv1, { time: iso }),
  composite('moonpay', 'moonpay-signature-v2', (time, signature) => `t=${time},s=${signature}`, never),
  composite('mux', 'mux-signature', tv1),
  composite('sanity', 'sanity-webhook-signature', tv1, {
    ...unsigned('idempotency-key'),
    time: String,
    encode: base64Url,
  }),
  composite('tailscale', 'tailscale-webhook-signature', tv1, never),
  composite('workos', 'workos-signature', (time, signature) => `t=${time}, v1=${signature}`, {
    time: String,
  }),
  secret('cloudflare', 'cf-webhook-auth'),
  secret('flutterwave', 'verif-hash'),
  secret('google_channel', 'x-goog-channel-token', ok),
  secret('huggingface', 'x-webhook-secret'),
  secret('okta', 'authorization', { repeats: 'resigned', ...ok }),
  secret('ringcentral', 'verification-token', { repeats: 'resigned', ...ok }),
  secret('xendit', 'x-callback-token', { ...unsigned('webhook-id'), repeats: 'resigned' }),
  token(
    'livekit',
    'authorization',
    (digest, sec) => ({ iss: 'key', exp: sec + 60, sha256: base64(digest) }),
    { repeats: 'resigned' },
  ),
  token('messagebird', 'messagebird-signature-jwt', (digest, sec) => ({
    iss: 'MessageBird',
    nbf: sec,
    exp: sec + 60,
    payload_hash: hex(digest),
  })),
  token('monday', 'authorization', (_digest, sec) => ({ iat: sec, exp: sec + 300 }), {
    repeats: 'resigned',
    signsNothing: true,
    ...ok,
  }),
  token('netlify', 'x-webhook-signature', (digest) => ({ iss: 'netlify', sha256: hex(digest) })),
  token(
    'vonage',
    'authorization',
    (digest, sec) => ({ iss: 'Vonage', iat: sec, payload_hash: hex(digest) }),
    { before: 'Bearer ', ...ok },
  ),
];

const inBase64 = [btoa('the key of the sender'), btoa('another key.')] as const;
const odd: Sample[] = [
  of('airtable', 'x-airtable-content-mac', inPrefix('hmac-sha256='), {
    keys: inBase64,
    sign: async ({ key, body }) => ({
      headers: { 'x-airtable-content-mac': `hmac-sha256=${hex(await hmac(fromBase64(key), body))}` },
    }),
  }),
  of('microsoft_teams', 'authorization', base64, {
    keys: inBase64,
    sign: async ({ key, body }) => ({
      headers: { authorization: `HMAC ${base64(await hmac(fromBase64(key), body))}` },
    }),
  }),
  {
    ...timed('close', 'close-sig-hash', hex, { name: 'close-sig-timestamp', content: () => '' }),
    keys: ['00ff10', '0102'],
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'close-sig-timestamp': seconds(atMs),
        'close-sig-hash': hex(await hmac(Uint8Array.from(Buffer.from(key, 'hex')), seconds(atMs) + body)),
      },
    }),
  },
  {
    ...timed('cloudinary', 'x-cld-signature', hex, { name: 'x-cld-timestamp', content: () => '' }, never),
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'x-cld-timestamp': seconds(atMs),
        'x-cld-signature': hex(
          new Uint8Array(await subtle.digest('SHA-1', utf8(body + seconds(atMs) + key))),
        ),
      },
    }),
  },
  of('trello', 'x-trello-webhook', base64, {
    ...ok,
    sign: async ({ key, body, url }) => ({
      headers: { 'x-trello-webhook': base64(await hmac(key, body + url, 'SHA-1')) },
    }),
  }),
  {
    scheme: 'pandadoc',
    keys,
    repeats: 'never',
    body: everything,
    sign: async ({ key, body }) => ({ headers: {}, search: `?signature=${hex(await hmac(key, body))}` }),
  },
  {
    scheme: 'mailgun',
    keys,
    // The signature is of the time and the token in the body.
    signsNothing: true,
    timestamp: 'in body',
    repeats: 'resigned',
    ...ok,
    body: everything,
    sign: async ({ key, atMs, body }) => {
      const signature = {
        timestamp: seconds(atMs),
        token: 'a1',
        signature: hex(await hmac(key, `${seconds(atMs)}a1`)),
      };
      return { headers: {}, body: JSON.stringify({ signature, ...JSON.parse(body) }) };
    },
  },
  {
    scheme: 'adyen',
    keys: [hex(utf8('k'.repeat(32))), hex(utf8('l'.repeat(32)))],
    // The signature is of eight fields in the body.
    signsNothing: true,
    repeats: 'resigned',
    body: '',
    sign: async ({ key }) => {
      const item = {
        pspReference: '7914073381342284',
        merchantAccountCode: 'TestMerchant',
        merchantReference: '',
        amount: { value: 1130, currency: 'EUR' },
        eventCode: 'AUTHORISATION',
        success: 'true',
      };
      const signed = '7914073381342284::TestMerchant::1130:EUR:AUTHORISATION:true';
      const hmacSignature = base64(await hmac(Uint8Array.from(Buffer.from(key, 'hex')), signed));
      const NotificationRequestItem = { ...item, additionalData: { hmacSignature } };
      const body = JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem }] });
      return { headers: {}, body };
    },
  },
  {
    scheme: 'azure_event_grid',
    keys,
    signsNothing: true,
    repeats: 'resigned',
    body: JSON.stringify([{ id: '1', eventType: 'Microsoft.Storage.BlobCreated', data: {} }]),
    sign: async ({ key }) => ({ headers: {}, search: `?code=${encodeURIComponent(key)}` }),
  },
  {
    scheme: 'figma',
    keys,
    signsNothing: true,
    repeats: 'never',
    ...ok,
    body: JSON.stringify({ passcode: keys[0], event_type: 'FILE_UPDATE' }),
    sign: async () => ({ headers: {} }),
  },
];

export const presetSamples: Record<string, Sample> = Object.fromEntries(
  [...list, ...odd].map((sample) => [sample.scheme, sample]),
);
