/** Deliveries of senders that sign with a private key, or send a hash. */
import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { keccak256 } from 'viem';
import { everything } from './preset-samples.ts';
import { base64, ed25519, first, hex, keys, type Sample, second, seconds, utf8 } from './signing.ts';

const made = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const rsa = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey);
const der = (key: KeyObject) =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
const pem = (key: KeyObject) => createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString();
const byPublic = new Map(
  [...made, ...rsa].flatMap(
    (key) =>
      [
        [der(key), key],
        [pem(key), key],
      ] as const,
  ),
);
const pair = ([one, two]: KeyObject[], format: (key: KeyObject) => string): [string, string] =>
  one && two ? [format(one), format(two)] : ['', ''];

const signed = (publicKey: string, content: string, algorithm = 'sha256', isRaw = false): string => {
  const key = byPublic.get(publicKey);
  if (!key) throw new Error('no key');
  return sign(algorithm, Buffer.from(content), { key, ...(isRaw && { dsaEncoding: 'ieee-p1363' }) }).toString(
    'base64',
  );
};

const base = { keyField: 'public_key', repeats: 'resigned', body: everything } as const;
const time = 'x-twilio-email-event-webhook-timestamp';

export const keySamples: Record<string, Sample> = {
  circle: {
    ...base,
    scheme: 'circle',
    keys: pair(made, der),
    okStatus: 200,
    signature: 'x-circle-signature',
    sign: async ({ key, body }) => ({ headers: { 'x-circle-signature': signed(key, body) } }),
  },
  sendgrid: {
    ...base,
    scheme: 'sendgrid',
    keys: pair(made, der),
    signature: 'x-twilio-email-event-webhook-signature',
    timestamp: time,
    sign: async ({ key, atMs, body }) => ({
      headers: {
        [time]: seconds(atMs),
        'x-twilio-email-event-webhook-signature': signed(key, seconds(atMs) + body),
      },
    }),
  },
  wise: {
    ...base,
    scheme: 'wise',
    keys: pair(rsa, pem),
    signature: 'x-signature-sha256',
    unsignedId: 'x-delivery-id',
    sign: async ({ key, body }) => ({
      headers: { 'x-signature-sha256': signed(key, body), 'x-delivery-id': 'one' },
    }),
  },
  fireblocks: {
    ...base,
    scheme: 'fireblocks',
    keys: pair(rsa, pem),
    repeats: 'never',
    signature: 'fireblocks-signature',
    sign: async ({ key, body }) => ({ headers: { 'fireblocks-signature': signed(key, body, 'sha512') } }),
  },
  telnyx: {
    ...base,
    scheme: 'telnyx',
    keys: [base64(first), base64(second)],
    signature: 'telnyx-signature-ed25519',
    timestamp: 'telnyx-timestamp',
    sign: async ({ key, atMs, body }) => ({
      headers: {
        'telnyx-timestamp': seconds(atMs),
        'telnyx-signature-ed25519': base64(await ed25519(key, `${seconds(atMs)}|${body}`)),
      },
    }),
  },
  'public_key, raw ECDSA': {
    ...base,
    scheme: 'public_key',
    keys: pair(made, pem),
    repeats: 'never',
    fields: {
      header: 'x-sign',
      encoding: 'base64',
      signature_format: 'raw',
      separator: ',',
      prefix: 's=',
      timestamp_prefix: 't=',
      timestamp_unit: 'iso',
    },
    signature: 'x-sign',
    timestamp: 'in signature',
    sign: async ({ key, atMs, body }) => {
      const at = new Date(atMs).toISOString();
      return { headers: { 'x-sign': `t=${at},s=${signed(key, `${at}.${body}`, 'sha256', true)}` } };
    },
  },
  moralis: {
    scheme: 'moralis',
    keys,
    okStatus: 200,
    repeats: 'resigned',
    body: everything,
    signature: 'x-signature',
    sign: async ({ key, body }) => ({ headers: { 'x-signature': keccak256(utf8(body + key)) } }),
  },
  hash: {
    scheme: 'hash',
    keys,
    fields: {
      header: 'x-hash',
      algorithm: 'sha256',
      timestamp_header: 'date',
      timestamp_unit: 'http',
      signed_content: '{body}{timestamp}{key}',
    },
    repeats: 'never',
    body: everything,
    signature: 'x-hash',
    timestamp: 'date',
    sign: async ({ key, atMs, body }) => {
      const date = new Date(atMs).toUTCString();
      const digest = createHash('sha256')
        .update(body + date + key)
        .digest();
      return { headers: { date, 'x-hash': hex(new Uint8Array(digest)) } };
    },
  },
  jwt: {
    scheme: 'jwt',
    keys,
    fields: { header: 'x-jws', detached: true },
    repeats: 'never',
    body: everything,
    signature: 'x-jws',
    sign: async ({ key, body }) => {
      const head = Buffer.from('{"alg":"HS256"}').toString('base64url');
      const content = `${head}.${Buffer.from(body).toString('base64url')}`;
      const signature = createHmac('sha256', key).update(content).digest('base64url');
      return { headers: { 'x-jws': `${head}..${signature}` } };
    },
  },
};
