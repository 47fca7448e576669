/** Examples from the documentation of the senders, and deliveries that their libraries sign. */
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createTrigger, type Request, receiveAt, refused } from '../../../test/receiving.ts';
import { senders } from './index.ts';

afterEach(() => {
  vi.useRealTimers();
});

type Example = { sec?: number; verification: object } & Request;
const FORM = ['application/x-www-form-urlencoded'];
const square = (body: string, signature: string, url: string, secret: string): Example => ({
  verification: { scheme: 'square', secret },
  headers: { 'x-square-hmacsha256-signature': [signature] },
  url,
  body,
});

const box = (secret: string): Example => ({
  sec: Date.parse('2020-01-01T00:00:00-07:00') / 1_000,
  verification: { scheme: 'box', secret },
  headers: {
    'box-delivery-id': ['f96bb54b-ee16-4fc5-aa65-8c2d9e5b546f'],
    'box-delivery-timestamp': ['2020-01-01T00:00:00-07:00'],
    'box-signature-primary': ['6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI='],
    'box-signature-secondary': ['v+1CD1Jdo3muIcbpv5lxxgPglOqMfsNHPV899xWYydo='],
  },
  body: '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}',
});

const examples: Record<string, Example> = {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    verification: { scheme: 'github', secret: "It's a Secret to Everybody" },
    headers: {
      'x-hub-signature-256': ['sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'],
    },
    body: 'Hello, World!',
  },
  // https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/
  bitbucket: {
    verification: { scheme: 'bitbucket', secret: "It's a Secret to Everybody" },
    headers: {
      'x-hub-signature': ['sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9'],
    },
    body: 'Hello World!',
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    sec: 1_531_420_618,
    verification: { scheme: 'slack', secret: '8f742231b10e8888abcd99yyyzzz85a5' },
    headers: {
      'content-type': FORM,
      'x-slack-request-timestamp': ['1531420618'],
      'x-slack-signature': ['v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'],
    },
    body:
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
      '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
      '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
      '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  },
  // https://docs.svix.com/receiving/verifying-payloads/how-manual
  svix: {
    sec: 1_731_705_121,
    verification: { scheme: 'svix', secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl' },
    headers: {
      'svix-id': ['msg_loFOjxBNrRLzqYUf'],
      'svix-timestamp': ['1731705121'],
      'svix-signature': ['v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0='],
    },
    body: '{"event_type":"ping","data":{"success":true}}',
  },
  // https://github.com/standard-webhooks/standard-webhooks
  standard_webhooks: {
    sec: 1_614_265_330,
    verification: { scheme: 'standard_webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    headers: {
      'webhook-id': ['msg_p5jXN8AQM9LWM0D4loKWxJek'],
      'webhook-timestamp': ['1614265330'],
      'webhook-signature': ['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    },
    body: '{"test": 2432232314}',
  },
  // https://www.twilio.com/docs/usage/security
  twilio: {
    verification: { scheme: 'twilio', secret: '12345' },
    headers: { 'content-type': FORM, 'x-twilio-signature': ['0/KCTR6DLpKmkAf8muzZqo1nDgQ='] },
    url: 'https://mycompany.com/myapp.php',
    search: '?foo=1&bar=2',
    body: 'CallSid=CA1234567890ABCDE&Caller=%2B12349013030&Digits=1234&From=%2B12349013030&To=%2B18005551212',
  },
  // Tests of SendGrid's libraries.
  sendgrid: {
    sec: 1_600_112_502,
    verification: {
      scheme: 'sendgrid',
      public_key:
        'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    },
    headers: {
      'x-twilio-email-event-webhook-signature': [
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
      ],
      'x-twilio-email-event-webhook-timestamp': ['1600112502'],
    },
    body: '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n',
  },
  // Tests of Box's libraries, one signature per key.
  'box, primary key': box('SamplePrimaryKey'),
  'box, secondary key': box('SampleSecondaryKey'),
  // Tests of Square's libraries.
  square: square(
    '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
    'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=',
    'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9',
    'Ibxx_5AKakO-3qeNVR61Dw',
  ),
  'square, characters that JSON can escape': square(
    '{"data":{"type":"webhooks","id":">id<"}}',
    'Cxt7+aTi4rKgcA0bC4g9EHdVtLSDWdqccmL5MvihU4U=',
    'https://webhook.site/webhooks',
    'signature-key',
  ),
};

/** https://github.com/Adyen/adyen-node-api-library: the key and the signature of its tests. */
const adyen = (changed: object = {}, ...others: object[]) => {
  const NotificationRequestItem = {
    pspReference: '7914073381342284',
    originalReference: '',
    merchantAccountCode: 'TestMerchant',
    merchantReference: 'TestPayment-1407325143704',
    amount: { currency: 'EUR', value: 1130 },
    eventCode: 'AUTHORISATION',
    success: 'true',
    additionalData: { hmacSignature: 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=' },
    ...changed,
  };
  const notificationItems = [{ NotificationRequestItem }, ...others];
  return { headers: {}, body: JSON.stringify({ live: 'false', notificationItems }) };
};

test('accepts the signature of the library of Adyen, with one item and its eight fields', async () => {
  const secret = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
  const trigger = await createTrigger({ verification: { scheme: 'adyen', secret } });
  const first = await receiveAt(trigger, adyen());
  expect((await receiveAt(trigger, adyen({ originalReference: undefined }))).dedupeKey).toBe(first.dedupeKey);
  for (const changed of [
    adyen({ amount: { currency: 'EUR', value: 113 } }),
    adyen({ success: undefined }),
    // The same signed text, split otherwise.
    adyen({ merchantAccountCode: 'TestMerchant:TestPayment-1407325143704', merchantReference: '1130' }),
    adyen({ originalReference: ':TestMerchant', merchantAccountCode: 'TestPayment-1407325143704' }),
    adyen({ pspReference: '7914073381342284:', originalReference: 'TestMerchant' }),
    adyen({}, { NotificationRequestItem: { success: 'true' } }),
  ])
    await expect(receiveAt(trigger, changed)).rejects.toEqual(refused);
});

describe.each(Object.entries(examples))('%s', (_name, { verification, sec, ...request }) => {
  test('accepts the published example', async () => {
    if (sec !== undefined) vi.useFakeTimers({ now: sec * 1_000, toFake: ['Date'] });
    const trigger = await createTrigger({ verification });
    expect((await receiveAt(trigger, request)).input.event_raw).toBe(request.body);
    await expect(receiveAt(trigger, { ...request, body: `${request.body}x` })).rejects.toEqual(refused);
    if (sec === undefined) return;
    vi.setSystemTime((sec + 301) * 1_000);
    await expect(receiveAt(trigger, request)).rejects.toEqual(refused);
  });
});

test('accepts what the library of Stripe signs', async () => {
  const [secret, payload] = ['whsec_test', '{"id":"evt_1"}'];
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret });
  const trigger = await createTrigger({ verification: { scheme: 'stripe', secret } });
  await receiveAt(trigger, { headers: { 'stripe-signature': [header] }, body: payload });
});

test('accepts what the library of Standard Webhooks signs', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const now = new Date();
  const signature = new Webhook(secret).sign('msg_1', now, '{}');
  const trigger = await createTrigger({ verification: { scheme: 'standard_webhooks', secret } });
  const headers = {
    'webhook-id': ['msg_1'],
    'webhook-timestamp': [String(Math.floor(now.getTime() / 1_000))],
    'webhook-signature': [signature],
  };
  await receiveAt(trigger, { headers, body: '{}' });
});

test('the docs page names every scheme', () => {
  const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
  expect(Object.keys(senders).filter((scheme) => !page.includes(`\`${scheme}\``))).toEqual([]);
});
