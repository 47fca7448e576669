import { sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Issued, issue } from '@latchkey/testing/certificates';
import { describe, expect, test } from 'vitest';
import { createTrigger, type Request, receiveAt, refused } from '../../../test/receiving.ts';
import { createPaypal } from './paypal.ts';

const SIGNER = 'messageverificationcerts.paypal.com';
const WEBHOOK = '1JE4291016473214C';
const URL_OF_CERTIFICATE = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77';
const DAY_MS = 86_400_000;

const root = issue({ name: 'Root', ca: true });
const middle = issue({ name: 'Middle', ca: true, issuer: root });
const signer = issue({ name: SIGNER, issuer: middle });

const event = JSON.stringify({
  id: 'WH-9UG43882HX7271132-6E0871324L7949614',
  event_type: 'PAYMENT.SALE.COMPLETED',
});

type Signing = { by?: Issued; webhookId?: string; atMs?: number; body?: string; id?: string };
function delivery({
  by = signer,
  webhookId = WEBHOOK,
  atMs = Date.now(),
  body = event,
  id = 'd938e770',
}: Signing = {}) {
  const time = new Date(atMs).toISOString().replace(/\.\d+/, '');
  const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`);
  const headers: Record<string, string[]> = {
    'content-type': ['application/json'],
    'paypal-auth-algo': ['SHA256withRSA'],
    'paypal-cert-url': [URL_OF_CERTIFICATE],
    'paypal-transmission-id': [id],
    'paypal-transmission-time': [time],
    'paypal-transmission-sig': [sign('sha256', signed, by.privateKey).toString('base64')],
  };
  return { headers, body };
}

/** Receives with a stand-in for PayPal that serves these certificates. */
async function receiver(pem = signer.pem + middle.pem) {
  const asked: string[] = [];
  const paypal = createPaypal({
    fetch: async (url) => {
      asked.push(url);
      return new Response(pem);
    },
    roots: [root.pem],
  });
  const trigger = await createTrigger({ verification: { scheme: 'paypal', webhook_id: WEBHOOK } });
  return { asked, receive: (request: Request) => receiveAt(trigger, request, { paypal }) };
}

test('accepts a signed delivery, and asks for the certificate once', async () => {
  const { asked, receive } = await receiver();
  const first = await receive(delivery());
  expect(first.input.event).toEqual(JSON.parse(event));
  const resent = await receive(delivery({ id: 'another', atMs: Date.now() - 60_000 }));
  expect(resent.dedupeKey).toBe(first.dedupeKey);
  expect(asked).toEqual([URL_OF_CERTIFICATE]);
});

test.each([
  ['another body', delivery(), { body: `${event} ` }],
  ['another webhook', delivery({ webhookId: 'other' }), {}],
  ['another key', delivery({ by: middle }), {}],
  ['an old transmission', delivery({ atMs: Date.now() - 310_000 }), {}],
  ['a transmission in the future', delivery({ atMs: Date.now() + 310_000 }), {}],
])('rejects %s', async (_what, signed, change) => {
  const { receive } = await receiver();
  await expect(receive({ ...signed, ...change })).rejects.toEqual(refused);
});

test.each([
  'paypal-auth-algo',
  'paypal-cert-url',
  'paypal-transmission-id',
  'paypal-transmission-time',
  'paypal-transmission-sig',
])('rejects an absent, repeated, changed or malformed %s', async (name) => {
  const { receive } = await receiver();
  const { headers, body } = delivery();
  const [value = ''] = headers[name] ?? [];
  for (const values of [
    undefined,
    [value, value],
    [''],
    [`x${value}`],
    ['%'],
    ['A'.repeat(400)],
    [`${value}=`],
  ]) {
    const { [name]: _old, ...others } = headers;
    const changed = values ? { ...others, [name]: values } : others;
    if (name === 'paypal-cert-url' && values?.[0] === `${value}=`) continue;
    await expect(receive({ headers: changed as typeof headers, body }), String(values)).rejects.toEqual(
      refused,
    );
  }
});

test.each([
  'http://api.paypal.com/v1/notifications/certs/CERT-1',
  'https://paypal.com.example/v1/notifications/certs/CERT-1',
  'https://api.paypal.com@evil.example/v1/notifications/certs/CERT-1',
  'https://user@api.paypal.com/v1/notifications/certs/CERT-1',
  'https://evilpaypal.com/v1/notifications/certs/CERT-1',
  'https://api.paypal.com:8443/v1/notifications/certs/CERT-1',
  'https://api.paypal.com/v1/notifications/certs/../../other',
  'https://api.paypal.com/v1/notifications/certs/CERT-1?x=1',
  'https://api.paypal.com/redirect',
  'file:///etc/passwd',
  'x',
])('does not ask %s', async (url) => {
  const { asked, receive } = await receiver();
  const { headers, body } = delivery();
  await expect(receive({ headers: { ...headers, 'paypal-cert-url': [url] }, body })).rejects.toEqual(refused);
  expect(asked).toEqual([]);
});

const otherRoot = issue({ name: 'Root', ca: true });
const notIssuer = issue({ name: 'Middle', issuer: root });
const expired = { toMs: Date.now() - 1_000, fromMs: Date.now() - DAY_MS };
const expiredMiddle = issue({ name: 'Middle', ca: true, issuer: root, ...expired });
const by = (issuer: Issued, more: object = {}) => issue({ name: SIGNER, issuer, ...more });
const chains: Record<string, [Issued, string]> = {
  'of another root': [by(otherRoot), ''],
  'that brings its own root': [by(otherRoot), otherRoot.pem],
  'that is self-signed': [issue({ name: SIGNER }), ''],
  'without its middle': [signer, ''],
  'with an issuer that must not issue': [by(notIssuer), notIssuer.pem],
  'with an expired issuer': [by(expiredMiddle), expiredMiddle.pem],
  'that is expired': [by(middle, expired), middle.pem],
  'that is not valid yet': [by(middle, { fromMs: Date.now() + DAY_MS }), middle.pem],
  'of another name': [issue({ name: 'www.paypal.com', issuer: middle }), middle.pem],
};

describe('rejects a certificate', () => {
  test.each(Object.entries(chains))('%s', async (_what, [leaf, others]) => {
    const { receive } = await receiver(leaf.pem + others);
    await expect(receive(delivery({ by: leaf }))).rejects.toEqual(refused);
  });

  test.each(['', 'x', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])('%j', async (pem) => {
    const { receive } = await receiver(pem);
    await expect(receive(delivery())).rejects.toEqual(refused);
  });
});

test('returns 503 when PayPal does not answer, and asks again', async () => {
  let isDown = true;
  const fetch = async () => {
    if (isDown) throw new TypeError('fetch failed');
    return new Response(signer.pem + middle.pem);
  };
  const paypal = createPaypal({ fetch, roots: [root.pem] });
  const trigger = await createTrigger({ verification: { scheme: 'paypal', webhook_id: [WEBHOOK] } });
  await expect(receiveAt(trigger, delivery(), { paypal })).rejects.toMatchObject({ status: 503 });
  isDown = false;
  await receiveAt(trigger, delivery(), { paypal });
});
