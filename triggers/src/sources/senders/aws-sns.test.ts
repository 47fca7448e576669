import { randomUUID, sign } from 'node:crypto';
import { TextReply } from '@latchkey/http';
import { type Issued, issue } from '@latchkey/testing/certificates';
import { describe, expect, test } from 'vitest';
import { createTrigger, type Request, receiveAny, receiveAt, refused } from '../../../test/receiving.ts';
import { createAwsSns } from './aws-sns.ts';

const TOPIC = 'arn:aws:sns:us-west-2:123456789012:MyTopic';
const CERTIFICATE = 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233f.pem';
const signer = issue({ name: 'sns.amazonaws.com' });
const other = issue({ name: 'sns.amazonaws.com' });

type Fields = Record<string, unknown>;
/** Spelled out by hand from the lists of Amazon's documentation. */
const textOf = (of: Fields) =>
  of.Type === 'Notification'
    ? `Message\n${of.Message}\nMessageId\n${of.MessageId}\n${
        of.Subject === undefined ? '' : `Subject\n${of.Subject}\n`
      }Timestamp\n${of.Timestamp}\nTopicArn\n${of.TopicArn}\nType\n${of.Type}\n`
    : `Message\n${of.Message}\nMessageId\n${of.MessageId}\nSubscribeURL\n${of.SubscribeURL}\nTimestamp\n${of.Timestamp}\nToken\n${of.Token}\nTopicArn\n${of.TopicArn}\nType\n${of.Type}\n`;
const notification = (changed: Fields = {}): Fields => ({
  Type: 'Notification',
  MessageId: randomUUID(),
  TopicArn: TOPIC,
  Subject: 'My First Message',
  Message: 'Grüße,\n世界',
  Timestamp: new Date().toISOString(),
  SignatureVersion: '1',
  SigningCertURL: CERTIFICATE,
  UnsubscribeURL: 'https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe',
  ...changed,
});
const confirmation = (changed: Fields = {}): Fields =>
  notification({
    Type: 'SubscriptionConfirmation',
    Token: 'a token & more',
    SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription',
    Subject: undefined,
    ...changed,
  });
const signed = (message: Fields, { privateKey }: Issued = signer): Fields => ({
  ...message,
  Signature: sign(
    message.SignatureVersion === '2' ? 'sha256' : 'sha1',
    Buffer.from(textOf(message)),
    privateKey,
  ).toString('base64'),
});
const delivery = (message: Fields): Request => ({
  headers: { 'content-type': ['text/plain; charset=UTF-8'] },
  body: JSON.stringify(message),
});

/** Receives with a stand-in for SNS that serves this certificate. */
async function receiver({ pem = signer.pem, status = 200 } = {}) {
  const asked: string[] = [];
  const aws_sns = createAwsSns(async (url) => {
    asked.push(url);
    return new Response(pem, { status });
  });
  const trigger = await createTrigger({ verification: { scheme: 'aws_sns', topic_arn: TOPIC } });
  return {
    asked,
    receive: (message: Fields) => receiveAt(trigger, delivery(message), { aws_sns }),
    receiveAny: (message: Fields) => receiveAny(trigger, delivery(message), { aws_sns }),
  };
}

test.each(['1', '2'])('accepts signature version %s, and fetches the certificate once', async (version) => {
  const { asked, receive } = await receiver();
  const message = notification({ SignatureVersion: version });
  const { input, dedupeKey } = await receive(signed(message));
  expect(input.event).toMatchObject({ Message: message.Message });
  expect((await receive(signed(message))).dedupeKey).toBe(dedupeKey);
  await receive(signed(notification({ SignatureVersion: version, Subject: undefined })));
  expect(asked).toEqual([CERTIFICATE]);
});

test('accepts the retries of an hour, refuses older and later times', async () => {
  const { receive } = await receiver();
  const at = (sec: number) =>
    receive(signed(notification({ Timestamp: new Date(Date.now() + sec * 1_000).toISOString() })));
  await at(-3_600);
  for (const sec of [-3_910, 310]) await expect(at(sec)).rejects.toEqual(refused);
});

test.each<[string, Fields]>([
  ['another message', { Message: 'x' }],
  ['another subject', { Subject: 'x' }],
  ['no subject', { Subject: undefined }],
  ['another id', { MessageId: randomUUID() }],
  ['another time', { Timestamp: new Date(Date.now() - 1).toISOString() }],
  ['another type', { Type: 'UnsubscribeConfirmation' }],
  ['an unknown type', { Type: 'constructor' }],
  ['another topic', { TopicArn: 'arn:aws:sns:us-west-2:123456789012:Other' }],
  ['another version', { SignatureVersion: '2' }],
  ['an unknown version', { SignatureVersion: '3' }],
  ['the name of a method as the version', { SignatureVersion: 'constructor' }],
  ['no signature', { Signature: undefined }],
  ['a malformed signature', { Signature: '%' }],
  ['a number as the message', { Message: 1 }],
])('refuses %s', async (_what, changed) => {
  const { receive } = await receiver();
  await expect(receive({ ...signed(notification()), ...changed })).rejects.toEqual(refused);
});

test('refuses a message that Amazon signs for another topic, without asking for its certificate', async () => {
  const { asked, receive } = await receiver();
  const TopicArn = 'arn:aws:sns:us-west-2:999999999999:MyTopic';
  await expect(receive(signed(notification({ TopicArn })))).rejects.toEqual(refused);
  expect(asked).toEqual([]);
});

test('refuses the signed text in another split', async () => {
  const { receive } = await receiver();
  const id = randomUUID();
  const message = notification({ Message: `a\nMessageId\n${id}\nSubject\nb`, Subject: undefined });
  const right = signed(message);
  await receive(right);
  const split = { ...right, Message: 'a', MessageId: id, Subject: `b\nMessageId\n${message.MessageId}` };
  expect(textOf(split)).toBe(textOf(right));
  await expect(receive(split)).rejects.toEqual(refused);
  const longId = { ...right, Message: 'a', MessageId: `${id}\nSubject\nb\nMessageId\n${message.MessageId}` };
  expect(textOf(longId)).toBe(textOf(right));
  await expect(receive(longId)).rejects.toEqual(refused);
});

test.each([
  'http://sns.us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
  'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem',
  'https://sns.us-west-2.amazonaws.com.evil.example/SimpleNotificationService-1.pem',
  'https://sns.us-west-2.amazonaws.com@evil.example/SimpleNotificationService-1.pem',
  'https://user@sns.us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
  'https://sns.us-west-2.amazonaws.com:8443/SimpleNotificationService-1.pem',
  'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-1.pem?x=1',
  'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-1.pem#x',
  'https://sns.us-west-2.amazonaws.com/../other.pem',
  // A bucket of S3 whose name is sns.
  'https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
  'https://evil.s3.us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
  'https://sns.evil.execute-api.us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
  'https://169.254.169.254/SimpleNotificationService-1.pem',
  'https://localhost/SimpleNotificationService-1.pem',
  'file:///etc/passwd',
  'x',
])('does not fetch the certificate %s', async (SigningCertURL) => {
  const { asked, receive } = await receiver();
  await expect(receive(signed(notification({ SigningCertURL })))).rejects.toEqual(refused);
  expect(asked).toEqual([]);
});

const DAY_MS = 86_400_000;
const expired = issue({
  name: 'sns.amazonaws.com',
  fromMs: Date.now() - DAY_MS,
  toMs: Date.now() - 1_000,
});
test.each<[string, string, Issued]>([
  ['of another key', other.pem, signer],
  ['that is expired', expired.pem, expired],
  ['that is malformed', 'x', signer],
  ['that is empty', '', signer],
])('refuses a certificate %s', async (_what, pem, by) => {
  const { receive } = await receiver({ pem });
  await expect(receive(signed(notification(), by))).rejects.toEqual(refused);
});

test('returns 503 when SNS does not answer, 401 when it has no such certificate', async () => {
  for (const [status, expected] of [
    [500, 503],
    [429, 503],
    [403, 401],
  ]) {
    const { receive } = await receiver({ status: status as number });
    await expect(receive(signed(notification()))).rejects.toMatchObject({ status: expected });
  }
});

describe('handshake', () => {
  test('a signed subscription is confirmed at SNS, not at the URL of the message', async () => {
    const sns = await receiver();
    expect(await sns.receiveAny(signed(confirmation()))).toEqual(new TextReply(200, 'text/plain', ''));
    expect(sns.asked).toEqual([
      CERTIFICATE,
      'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription' +
        '&TopicArn=arn%3Aaws%3Asns%3Aus-west-2%3A123456789012%3AMyTopic&Token=a+token+%26+more',
    ]);
  });

  test('the end of a subscription is answered, and not subscribed again', async () => {
    const sns = await receiver();
    const message = confirmation({ Type: 'UnsubscribeConfirmation' });
    expect(await sns.receiveAny(signed(message))).toEqual(new TextReply(200, 'text/plain', ''));
    expect(sns.asked).toEqual([CERTIFICATE]);
  });

  test('a subscription of another topic, key or token is 401, and confirms nothing', async () => {
    const sns = await receiver();
    const TopicArn = 'arn:aws:sns:us-west-2:999999999999:Evil';
    for (const message of [
      signed(confirmation({ TopicArn })),
      signed(confirmation(), other),
      { ...signed(confirmation()), Token: 'another' },
    ])
      await expect(sns.receiveAny(message)).rejects.toEqual(refused);
    expect(sns.asked.filter((url) => url.includes('Confirm'))).toEqual([]);
  });

  test('is 503 when SNS refuses it, so that SNS repeats it', async () => {
    const aws_sns = createAwsSns(async (url) =>
      url.endsWith('.pem') ? new Response(signer.pem) : new Response('', { status: 403 }),
    );
    const trigger = await createTrigger({ verification: { scheme: 'aws_sns', topic_arn: [TOPIC] } });
    await expect(receiveAny(trigger, delivery(signed(confirmation())), { aws_sns })).rejects.toMatchObject({
      status: 503,
    });
  });
});

test.each([
  'x',
  'arn:aws:sqs:us-west-2:123456789012:MyTopic',
  'arn:aws:sns:evil.example/:123456789012:MyTopic',
  'arn:aws:sns:us-west-2.evil.example:123456789012:MyTopic',
  'arn:aws:sns:s3-us-west-2:123456789012:MyTopic',
  `${TOPIC}\n`,
  `${TOPIC}.fifo`,
])('topic_arn %j is 400', async (topic) => {
  await expect(
    createTrigger({ verification: { scheme: 'aws_sns', topic_arn: topic } }),
  ).rejects.toMatchObject({ status: 400 });
});
