/** Tokens with public keys that are fetched, and with shared secrets. */
import { createHash, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { exportJWK, FlattenedSign, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createTrigger, receiveAt, refused } from '../../../test/receiving.ts';
import { isPublicKeySigned, publicKey } from './checks.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createVerifyToken, findJwksFault } from './jwt.ts';
import { createTokenSenders } from './tokens.ts';

const { privateKey, publicKey: shown } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const EMAIL = 'push@project.iam.gserviceaccount.com';
const URL_OF_TRIGGER = 'https://x.example/webhook/1';
const body = '{"message":{"messageId":"7"}}';
const rightClaims = {
  iss: 'https://accounts.google.com',
  aud: URL_OF_TRIGGER,
  email: EMAIL,
  email_verified: true,
};

const nowSec = () => Math.floor(Date.now() / 1_000);
const sign = (claims: object, key: KeyObject = privateKey, head: object = {}) =>
  new SignJWT({ exp: nowSec() + 3_600, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: '1', ...head })
    .sign(key);
const delivery = (token: string) => ({ headers: { authorization: [`Bearer ${token}`] }, body });

/** Receives with a stand-in for the URL of the keys. */
async function receiver(verification: object, fetch?: () => Promise<Response>) {
  const asked: string[] = [];
  const keys = { keys: [{ ...(await exportJWK(shown)), kid: '1', alg: 'RS256' }] };
  const senders = createTokenSenders(
    createVerifyToken(async (url) => {
      asked.push(String(url));
      return fetch ? fetch() : Response.json(keys);
    }),
  );
  const trigger = await createTrigger({ verification });
  return {
    asked,
    receive: (request: Parameters<typeof receiveAt>[1]) => receiveAt(trigger, request, senders),
  };
}
const pubsub = { scheme: 'google_pubsub', service_account: EMAIL };

describe('google_pubsub', () => {
  test('accepts a token of the service account for this URL, and fetches the keys once', async () => {
    const { asked, receive } = await receiver(pubsub);
    const token = await sign(rightClaims);
    const { input, dedupeKey } = await receive(delivery(token));
    expect(dedupeKey).toHaveLength(43);
    expect(JSON.stringify(input)).not.toContain(token);
    await receive(delivery(await sign({ ...rightClaims, iss: 'accounts.google.com' })));
    expect(asked).toEqual(['https://www.googleapis.com/oauth2/v3/certs']);
  });

  test.each([
    ['another service account', { email: 'other@project.iam.gserviceaccount.com' }],
    ['an email that is not verified', { email_verified: false }],
    ['another audience', { aud: 'https://x.example/webhook/2' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an expired token', { exp: nowSec() - 301 }],
    ['a token of the future', { nbf: nowSec() + 900 }],
  ])('rejects %s', async (_what, change) => {
    const { receive } = await receiver(pubsub);
    await expect(receive(delivery(await sign({ ...rightClaims, ...change })))).rejects.toEqual(refused);
  });

  test('rejects another key, another algorithm and malformed tokens', async () => {
    const { receive } = await receiver(pubsub);
    const right = await sign(rightClaims);
    const none = `${Buffer.from('{"alg":"none","kid":"1"}').toString('base64url')}.${right.split('.')[1]}.`;
    // The public key, which everyone knows, as the secret of an HMAC.
    const pem = new TextEncoder().encode(shown.export({ format: 'pem', type: 'spki' }).toString());
    const confused = await new SignJWT({ ...rightClaims, exp: nowSec() + 60 })
      .setProtectedHeader({ alg: 'HS256', kid: '1' })
      .sign(pem);
    const tokens = [
      await sign(rightClaims, other),
      none,
      confused,
      '',
      '.',
      '..',
      '...',
      'a.b.c',
      `${right}x`,
      'x'.repeat(10_000),
    ];
    for (const token of tokens) await expect(receive(delivery(token)), token).rejects.toEqual(refused);
    for (const headers of [{}, { authorization: [`Bearer ${right}`, `Bearer ${right}`] }])
      await expect(receive({ headers: headers as never, body })).rejects.toEqual(refused);
  });

  test('unknown key ids cause no further request within 30 seconds', async () => {
    const { asked, receive } = await receiver(pubsub);
    await receive(delivery(await sign(rightClaims)));
    for (const kid of ['2', '3', '4'])
      await expect(receive(delivery(await sign(rightClaims, privateKey, { kid })))).rejects.toEqual(refused);
    expect(asked).toHaveLength(1);
  });

  test.each<[string, () => Promise<Response>]>([
    ['is unreachable', () => Promise.reject(new TypeError('fetch failed'))],
    ['returns 500', async () => new Response('', { status: 500 })],
    ['returns no JSON', async () => new Response('<html>')],
  ])('returns 503 when the URL of the keys %s', async (_what, fetch) => {
    const { receive } = await receiver(pubsub, fetch);
    await expect(receive(delivery(await sign(rightClaims)))).rejects.toMatchObject({ status: 503 });
  });

  test('a malformed set of keys is 401', async () => {
    for (const keys of [{}, { keys: [] }, { keys: [{ kty: 'RSA', kid: '1' }] }, null]) {
      const { receive } = await receiver(pubsub, async () => Response.json(keys));
      await expect(receive(delivery(await sign(rightClaims)))).rejects.toEqual(refused);
    }
  });
});

test('google_chat: accepts a token of Chat for the project only', async () => {
  const { receive } = await receiver({ scheme: 'google_chat', audience: '1234' });
  const claims = { iss: 'chat@system.gserviceaccount.com', aud: '1234' };
  await receive(delivery(await sign(claims)));
  await expect(receive(delivery(await sign({ ...claims, aud: '5' })))).rejects.toEqual(refused);
});

test('jwks: accepts a detached JWS of the body, also with its payload as bytes', async () => {
  const jwks = { scheme: 'jwks', jwks_url: 'https://keys.example/jwks', header: 'x-jws', detached: true };
  const { receive } = await receiver(jwks);
  for (const head of [{}, { b64: false, crit: ['b64'] }]) {
    const signer = new FlattenedSign(new TextEncoder().encode('{}'));
    const jws = await signer.setProtectedHeader({ alg: 'RS256', kid: '1', ...head }).sign(privateKey);
    const detached = `${jws.protected}..${jws.signature}`;
    await receive({ headers: { 'x-jws': [detached] }, body: '{}' });
    const attached = `${jws.protected}.e30.${jws.signature}`;
    for (const changed of [{ body: '{ }' }, { headers: { 'x-jws': [attached] } }])
      await expect(receive({ headers: { 'x-jws': [detached] }, body: '{}', ...changed })).rejects.toEqual(
        refused,
      );
  }
});

test('jwt: a token needs the hash of the body, and a time', async () => {
  const secret = 'a secret of at least 32 bytes, for HS256';
  const { receive } = await receiver({ scheme: 'jwt', secret, body_hash_claim: 'hash', audience: 'me' });
  const hash = createHash('sha256').update(body).digest('hex');
  const signed = (claims: object) =>
    new SignJWT({ aud: 'me', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret));
  await receive(delivery(await signed({ hash, iat: nowSec() })));
  for (const claims of [
    { iat: nowSec() },
    { hash: '', iat: nowSec() },
    { hash },
    { hash, iat: nowSec() - 301 },
    { hash, iat: nowSec(), aud: 'other' },
  ])
    await expect(receive(delivery(await signed(claims))), JSON.stringify(claims)).rejects.toEqual(refused);
});

test.each([
  'http://keys.example/',
  'https://user@keys.example/',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://10.0.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://8.8.8.8/',
  'file:///etc/passwd',
  'x',
])('jwks_url %s is refused', async (jwks_url) => {
  expect(findJwksFault(jwks_url)).toBeDefined();
  await expect(createTrigger({ verification: { scheme: 'jwks', jwks_url } })).rejects.toMatchObject({
    status: 400,
  });
});

test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254'])(
  'the keys of a name with the address %s are not fetched',
  async (address) => {
    let connections = 0;
    await using server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const fetch = createGuardedFetch(async () => [{ address, family: 4 }]);
    await expect(fetch(`https://keys.example:${port}/`, {})).rejects.toMatchObject({
      cause: { message: 'keys.example is a private address' },
    });
    expect(connections).toBe(0);
  },
);

describe('public keys', () => {
  const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
  test('Ed25519, P-256 and RSA are accepted', () => {
    for (const key of [
      pemOf(generateKeyPairSync('ed25519').publicKey),
      pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey),
      pemOf(shown),
      pemOf(shown).replaceAll('\n', '\r\n'),
      '00'.repeat(32),
    ])
      expect(publicKey(key)).toBeDefined();
  });

  test('a signature has one spelling: no character can follow it', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    // 72 bytes have no padding in base64, after which a decoder ignores one more character.
    let signature = Buffer.alloc(0);
    while (signature.length !== 72) signature = signBytes('sha256', Buffer.from(body), ec.privateKey);
    const text = signature.toString('base64');
    const isSigned = (sent: string) => isPublicKeySigned(sent, [body], ec.publicKey, { encoding: 'base64' });
    expect([text, `${text}0`, `${text}=`, `${text}0000`].map(isSigned)).toEqual([true, false, true, false]);
  });

  test('weak, other, private and malformed keys are refused', () => {
    const rsa = (modulusLength: number) => pemOf(generateKeyPairSync('rsa', { modulusLength }).publicKey);
    for (const key of [
      rsa(1_024),
      pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey),
      privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      pemOf(shown).slice(0, 100),
      '',
      'AAAA',
      '-----BEGIN PUBLIC KEY-----',
    ])
      expect(publicKey(key), key).toBeUndefined();
  });
});

test.each([
  [{ scheme: 'hash', secret: 'k', header: 'a', algorithm: 'sha256', signed_content: '{key}{body}' }, 400],
  [{ scheme: 'hash', secret: 'k', header: 'a', algorithm: 'keccak256', signed_content: '{body}' }, 400],
  [{ scheme: 'hash', secret: 'k', header: 'a', algorithm: 'sha256' }, 422],
  [{ scheme: 'hmac', secret: 'k', header: 'a', signed_content: '{body}{key}' }, 400],
  [{ scheme: 'hmac', secret: 'k', header: 'a', timestamp_prefix: 't=' }, 400],
  [{ scheme: 'public_key', public_key: 'AAAA', header: 'a' }, 400],
  [{ scheme: 'airtable', secret: '!' }, 400],
  [{ scheme: 'close', secret: 'xy' }, 400],
  [{ scheme: 'jwt', secret: 'k', detached: true, issuer: 'a' }, 400],
  [{ scheme: 'asana', secret: [] }, 422],
])('%j returns %i', async (verification, status) => {
  await expect(createTrigger({ verification })).rejects.toMatchObject({ status });
});
