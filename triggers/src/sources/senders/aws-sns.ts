import { verify, X509Certificate } from 'node:crypto';
import { serviceUnavailable } from '@latchkey/http';
import { createCertificates, isValidNow } from './certificates.ts';
import { isSame, TOLERANCE_SEC, textAt } from './checks.ts';
import { type Fetch, fetchText, guardedFetch } from './guarded-fetch.ts';
import { eventOf } from './places.ts';
import { type Delivery, defineSender, type Handshake } from './sender.ts';

/** Other partitions of AWS have other domains than amazonaws.com. */
const TOPIC = /^arn:aws(?:-us-gov)?:sns:([a-z]{2}(?:-[a-z]+)+-\d{1,2}):\d{12}:[\w-]{1,256}$/;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[\w-]{1,100}\.pem$/;
const HASHES: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' };
/** SNS repeats a delivery with the time of the first attempt, for an hour at most. */
const RETRY_SEC = 3_600;
const CONFIRMATION = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
] as const;
/** Signed fields by the type of the message, in their order. */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
};
/** Only the message can have several lines: another split of the signed text would otherwise have the same signature. */
const ONE_LINE = /^[^\r\n]{0,2048}$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the origin of SNS in the region of a topic. */
const originOf = (topic: string): string => `https://sns.${TOPIC.exec(topic)?.[1]}.amazonaws.com`;

/** Returns the URL of a certificate, undefined unless it is on SNS in the region of the topic: the field is not signed. */
function certificateUrl(text: string, topic: string): string | undefined {
  const url = URL.parse(text);
  const isCertificate =
    url?.href === `${originOf(topic)}${url?.pathname}` && CERTIFICATE_PATH.test(url.pathname);
  return isCertificate ? url.href : undefined;
}

function signedText(message: unknown): string | undefined {
  const of = (name: string) => textAt(message, name);
  const type = of('Type') ?? '';
  const names = Object.hasOwn(SIGNED, type) ? (SIGNED[type] ?? []) : [];
  const sent = names.filter((name) => name !== 'Subject' || of(name) !== undefined);
  const isWhole = sent.every((name) =>
    name === 'Message' ? of(name) !== undefined : ONE_LINE.test(of(name) ?? '\n'),
  );
  if (sent.length === 0 || !isWhole || !UUID.test(of('MessageId') ?? '')) return undefined;
  return sent.map((name) => `${name}\n${of(name)}\n`).join('');
}

function isTimely(time: string): boolean {
  const ageSec = (Date.now() - Date.parse(time)) / 1_000;
  return TIME.test(time) && ageSec <= RETRY_SEC + TOLERANCE_SEC && ageSec >= -TOLERANCE_SEC;
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem);
    return isValidNow(certificate) && certificate.publicKey.asymmetricKeyType === 'rsa'
      ? certificate
      : undefined;
  } catch {
    return undefined;
  }
}

const handshakes: readonly Handshake[] = ['SubscriptionConfirmation', 'UnsubscribeConfirmation'].map(
  (type) => ({
    signed: true,
    when: { 'body:Type': type },
  }),
);

/** https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html The key is the topic: AWS signs for every one of its users. */
export function createAwsSns(fetch: Fetch) {
  const findCertificate = createCertificates({ fetch, sender: 'Amazon SNS', findSigner: readCertificate });
  return defineSender({
    keyField: 'topic_arn',
    findFault: (_config, topics) =>
      topics.every((topic) => TOPIC.test(topic))
        ? undefined
        : 'topic_arn: expected the ARN of a standard topic, arn:aws:sns:us-east-1:123456789012:name',
    async isSigned({ body }: Delivery, topic) {
      const message = eventOf(body);
      const of = (name: string) => textAt(message, name) ?? '';
      if (!isSame(of('TopicArn'), topic) || !isTimely(of('Timestamp'))) return false;
      const version = of('SignatureVersion');
      const hash = Object.hasOwn(HASHES, version) ? HASHES[version] : undefined;
      const signed = signedText(message);
      const url = certificateUrl(of('SigningCertURL'), topic);
      const isComplete = url !== undefined && /^[A-Za-z0-9+/]{1,1000}={0,2}$/.test(of('Signature'));
      if (!isComplete || hash === undefined || signed === undefined) return false;
      const certificate = await findCertificate(url, topic);
      const signature = Buffer.from(of('Signature'), 'base64');
      return certificate !== undefined && verify(hash, Buffer.from(signed), certificate.publicKey, signature);
    },
    findId: ({ event }) => textAt(event, 'MessageId'),
    handshakes,
    okStatus: 200,
    /** The URL is made from the topic: no URL of the request is visited. */
    async confirm({ body }, topic) {
      const message = eventOf(body);
      if (textAt(message, 'Type') !== 'SubscriptionConfirmation') return;
      const query = new URLSearchParams({
        Action: 'ConfirmSubscription',
        TopicArn: topic,
        Token: textAt(message, 'Token') ?? '',
      });
      const failure = 'Amazon SNS does not confirm the subscription.';
      const confirmed = await fetchText(fetch, `${originOf(topic)}/?${query}`, { failure });
      if (confirmed === undefined) throw serviceUnavailable(failure);
    },
  });
}

export const awsSns = createAwsSns(guardedFetch);
