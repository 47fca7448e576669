import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createTrigger, receiveAt, refused } from '../../../test/receiving.ts';
import { createPlaid } from './plaid.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const KID = '6c5516e1-92dc-479e-a8ff-5a51992e0001';
const SECRET = 'the secret of the client';
const body = '{\n  "webhook_type": "TRANSACTIONS"\n}';
const nowSec = () => Math.floor(Date.now() / 1_000);
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

const sign = (claims: object = {}, { key = privateKey as KeyObject, head = {} } = {}) =>
  new SignJWT({ iat: nowSec(), request_body_sha256: hashOf(body), ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: KID, typ: 'JWT', ...head })
    .sign(key);
const delivery = (token: string) => ({ headers: { 'plaid-verification': [token] }, body });
const keyReply = async (change: object = {}) =>
  Response.json({
    key: { ...(await exportJWK(publicKey)), kid: KID, alg: 'ES256', use: 'sig', expired_at: null, ...change },
    request_id: 'RZ6Omi1bzzwDaLo',
  });

type Reply = (asked: { key_id: string; secret: string }) => Response | Promise<Response>;
/** Receives with a stand-in for Plaid, which knows one key. */
async function receiver(
  reply: Reply = ({ key_id }) => (key_id === KID ? keyReply() : new Response('{}', { status: 400 })),
) {
  const asked: { url: string; body: unknown }[] = [];
  const plaid = createPlaid(async (url, { body: sent }) => {
    const request = JSON.parse(String(sent));
    asked.push({ url, body: request });
    return reply(request);
  });
  const open = (config: object = {}) =>
    createTrigger({ verification: { scheme: 'plaid', secret: SECRET, client_id: 'client', ...config } });
  const trigger = await open();
  const receive = (request: Parameters<typeof receiveAt>[1], at = trigger) =>
    receiveAt(at, request, { plaid });
  return { asked, open, receive };
}

test('accepts a token with the hash of the body, and fetches its key once', async () => {
  const { asked, open, receive } = await receiver();
  const token = await sign();
  const { input } = await receive(delivery(token));
  expect(input.event_raw).toBe(body);
  expect(JSON.stringify(input)).not.toContain(token);
  await receive(delivery(await sign()));
  expect(asked).toEqual([
    {
      url: 'https://production.plaid.com/webhook_verification_key/get',
      body: { client_id: 'client', secret: SECRET, key_id: KID },
    },
  ]);
  await receive(delivery(await sign()), await open({ environment: 'sandbox' }));
  expect(asked[1]?.url).toBe('https://sandbox.plaid.com/webhook_verification_key/get');
});

test.each<[string, () => Promise<string>]>([
  ['the hash of another body', () => sign({ request_body_sha256: hashOf(`${body} `) })],
  ['no hash', () => sign({ request_body_sha256: undefined })],
  ['an old token', () => sign({ iat: nowSec() - 310 })],
  ['a token without a time', () => sign({ iat: undefined })],
  ['another key', () => sign({}, { key: other })],
  ['another key id', () => sign({}, { head: { kid: 'another' } })],
  ['no key id', () => sign({}, { head: { kid: undefined } })],
  ['a key id with a path', () => sign({}, { head: { kid: '../x' } })],
  ['a malformed token', async () => 'x'],
])('refuses %s', async (_what, token) => {
  const { receive } = await receiver();
  await expect(receive(delivery(await token()))).rejects.toEqual(refused);
});

test('refuses another algorithm without asking for a key', async () => {
  const { asked, receive } = await receiver();
  const head = Buffer.from(JSON.stringify({ alg: 'none', kid: KID })).toString('base64url');
  const claims = (await sign()).split('.')[1];
  const hmac = await new SignJWT({ iat: nowSec(), request_body_sha256: hashOf(body) })
    .setProtectedHeader({ alg: 'HS256', kid: KID })
    .sign(new TextEncoder().encode(SECRET));
  const rsa = await sign(
    {},
    { key: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, head: { alg: 'RS256' } },
  );
  for (const token of [`${head}.${claims}.`, hmac, rsa])
    await expect(receive(delivery(token))).rejects.toEqual(refused);
  expect(asked).toEqual([]);
});

test.each<[string, Reply]>([
  ['an expired key', () => keyReply({ expired_at: nowSec() - 1 })],
  ['a key of another curve', () => keyReply({ crv: 'secp256k1' })],
  ['a symmetric key', () => Response.json({ key: { kty: 'oct', k: 'AAAA' } })],
  ['a key that is not on its curve', () => keyReply({ x: 'AAAA' })],
  ['no key', () => Response.json({})],
  ['no JSON', () => new Response('<html>')],
])('refuses a token when Plaid returns %s', async (_what, reply) => {
  const { receive } = await receiver(reply);
  await expect(receive(delivery(await sign()))).rejects.toEqual(refused);
});

test('a key that expires later is accepted', async () => {
  const { receive } = await receiver(() => keyReply({ expired_at: nowSec() + 60 }));
  await receive(delivery(await sign()));
});

describe('requests to Plaid', () => {
  test('are 503 for the sender when Plaid does not answer, and are made again', async () => {
    let status = 500;
    const { receive } = await receiver(() => (status === 500 ? new Response('', { status }) : keyReply()));
    await expect(receive(delivery(await sign()))).rejects.toMatchObject({ status: 503 });
    status = 200;
    await receive(delivery(await sign()));
  });

  test('are ten a minute at most for unknown key ids, and a known key stays accepted', async () => {
    const { asked, receive } = await receiver();
    await receive(delivery(await sign()));
    const unknown = (i: number) => sign({}, { head: { kid: `unknown-${i}` } });
    for (let i = 0; i < 10; i++) await expect(receive(delivery(await unknown(i)))).rejects.toEqual(refused);
    for (const i of [10, 11])
      await expect(receive(delivery(await unknown(i)))).rejects.toMatchObject({ status: 503 });
    await expect(receive(delivery(await unknown(3)))).rejects.toEqual(refused);
    await receive(delivery(await sign()));
    expect(asked).toHaveLength(11);
  });

  test('share no key between clients', async () => {
    const { open, receive } = await receiver(({ secret, key_id }) =>
      secret === SECRET && key_id === KID ? keyReply() : new Response('{}', { status: 400 }),
    );
    await receive(delivery(await sign()));
    const stranger = await open({ secret: 'another secret' });
    await expect(receive(delivery(await sign()), stranger)).rejects.toEqual(refused);
  });
});

test('the config has a client, and one of two environments', async () => {
  const { open } = await receiver();
  for (const wrong of [{ client_id: undefined }, { environment: 'evil.example/' }])
    await expect(open(wrong)).rejects.toMatchObject({ status: 422 });
});
