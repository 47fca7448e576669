import { createHmac } from 'node:crypto';
import { TextReply } from '@latchkey/http';
import { describe, expect, test } from 'vitest';
import { createTrigger, receiveAny, refused, type TestTrigger } from '../../../test/receiving.ts';
import { type Sample, samples, signSample, verificationOf } from '../../../test/sender-samples.ts';

const json = (status: number, value: unknown) =>
  new TextReply(status, 'application/json', JSON.stringify(value));
const text = (value: string) => new TextReply(200, 'text/plain', value);
const zoomToken = (secret: string) =>
  createHmac('sha256', secret).update('qgg8vlvZRS6UYooatFL8Aw').digest('hex');

describe.each([
  ['slack, event', '{"type":"url_verification","challenge":"3eZ"}', () => json(200, { challenge: '3eZ' })],
  ['slack, command', 'ssl_check=1&token=t', () => text('')],
  [
    'zoom',
    '{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1}',
    (key: string) => json(200, { plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken: zoomToken(key) }),
  ],
  ['discord', '{"type":1,"id":"1","application_id":"2"}', () => json(200, { type: 1 })],
  [
    'discord',
    '{"version":1,"application_id":"2","type":0}',
    () => new TextReply(204, 'application/json', ''),
  ],
] as const)('%s %j', (name, body, expected) => {
  const sample = samples[name] as Sample;

  test('is answered when it is signed, with the key that signed it', async () => {
    const both = await createTrigger({ verification: verificationOf(sample, sample.keys) });
    for (const key of sample.keys)
      expect(await receiveAny(both, await signSample(sample, { body, key }))).toEqual(expected(key));
  });

  test('is refused without a valid signature', async () => {
    const trigger = await createTrigger({ verification: verificationOf(sample) });
    const signed = await signSample(sample, { body, key: sample.keys[1] });
    await expect(receiveAny(trigger, signed)).rejects.toEqual(refused);
    await expect(receiveAny(trigger, { headers: {}, body })).rejects.toEqual(refused);
  });

  test('is a delivery without verification', async () => {
    const received = await receiveAny(await createTrigger({}), await signSample(sample, { body }));
    expect(received).toHaveProperty('input');
  });
});

test('Discord: a webhook event of type 1 is a delivery', async () => {
  const sample = samples.discord as Sample;
  const trigger = await createTrigger({ verification: verificationOf(sample) });
  const body = '{"version":1,"type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}';
  expect(await receiveAny(trigger, await signSample(sample, { body }))).toHaveProperty('input');
});

const greet = (trigger: TestTrigger, search: string) =>
  receiveAny(trigger, { method: 'GET', headers: {}, body: '', search });
const refusedGet = expect.objectContaining({ status: 400, code: 'bad_request' });

describe('GET', () => {
  const verifying = 'hub.mode=subscribe&hub.verify_token=a%20verify%20token';
  test.each([
    ['meta', `?${verifying}&hub.challenge=1158201444`, '1158201444'],
    ['microsoft_graph', '?validationToken=a%2Bb%3A%20c', 'a+b: c'],
    ['slack, command', '?ssl_check=1&token=t', ''],
  ])('%s %s returns the challenge', async (name, search, expected) => {
    const trigger = await createTrigger({ verification: verificationOf(samples[name] as Sample) });
    expect(await greet(trigger, search)).toEqual(text(expected));
  });

  test.each([
    ['meta', ''],
    ['meta', '?hub.challenge=1'],
    ['meta', '?hub.mode=subscribe&hub.verify_token=other&hub.challenge=1'],
    ['meta', `?${verifying.replace('subscribe', 'other')}&hub.challenge=1`],
    ['microsoft_graph', '?hub.challenge=1'],
    ['github', `?${verifying}&hub.challenge=1`],
    ['zoom', '?validationToken=1'],
  ])('%s %s is refused', async (name, search) => {
    const trigger = await createTrigger({ verification: verificationOf(samples[name] as Sample) });
    await expect(greet(trigger, search)).rejects.toEqual(refusedGet);
  });

  test('is refused without verification, and by Meta without verify_token', async () => {
    const search = `?${verifying}&hub.challenge=1&validationToken=1`;
    await expect(greet(await createTrigger({}), search)).rejects.toEqual(refusedGet);
    const meta = await createTrigger({ verification: { scheme: 'meta', secret: 's' } });
    for (const tried of [search, search.replace('a%20verify%20token', '')])
      await expect(greet(meta, tried)).rejects.toEqual(refusedGet);
  });
});

test('Microsoft Graph: a POST with validationToken returns the token', async () => {
  const trigger = await createTrigger({ verification: verificationOf(samples.microsoft_graph as Sample) });
  expect(await receiveAny(trigger, { headers: {}, body: '', search: '?validationToken=abc' })).toEqual(
    text('abc'),
  );
});

test('Meta: a POST with a challenge is not answered', async () => {
  const sample = samples.meta as Sample;
  const trigger = await createTrigger({ verification: verificationOf(sample) });
  const search = '?hub.mode=subscribe&hub.verify_token=a%20verify%20token&hub.challenge=1';
  await expect(receiveAny(trigger, { headers: {}, body: '{}', search })).rejects.toEqual(refused);
});

test('Meta: the verify token is sealed', async () => {
  const { config } = await createTrigger({ verification: verificationOf(samples.meta as Sample) });
  expect(JSON.stringify(config)).not.toContain('a verify token');
});

test('Azure Event Grid: the validation code is returned to who knows the secret', async () => {
  const trigger = await createTrigger({ verification: { scheme: 'azure_event_grid', secret: 'a secret' } });
  const body = JSON.stringify([
    {
      id: '1',
      eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
      data: { validationCode: '512d38b6' },
    },
  ]);
  const search = '?code=a%20secret';
  expect(await receiveAny(trigger, { headers: {}, body, search })).toEqual(
    new TextReply(200, 'application/json', '{"validationResponse":"512d38b6"}'),
  );
  await expect(receiveAny(trigger, { headers: {}, body })).rejects.toEqual(refused);
});
