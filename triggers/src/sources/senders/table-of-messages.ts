/** Rows of senders of messages. */
import { z } from 'zod';
import type { Scheme } from './scheme.ts';

const asBase64 = { encoding: 'base64' } as const;
const ofSha256 = { prefix: 'sha256=' } as const;
const echoOfQuery = [{ method: 'GET', challenge: 'query:challenge', reply: '{challenge}' }] as const;
const json = { challenge: '{challenge}' };

export const tableOfMessages: Record<string, Scheme> = {
  // https://docs.customer.io/journeys/webhooks/
  customer_io: {
    signature: 'header:x-cio-signature',
    time: 'header:x-cio-timestamp',
    content: 'v0:{time}:{body}',
    id: 'body:event_id',
  },
  // https://discord.com/developers/docs/interactions/overview
  discord: {
    signature: 'header:x-signature-ed25519',
    kind: 'public_key',
    time: 'header:x-signature-timestamp',
    content: '{time}{body}',
    id: ['body:id', 'content'],
    // Interactions, and webhook events.
    handshakes: [
      { signed: true, when: { 'body:type': '1', 'body:event': null }, reply: { type: 1 } },
      { signed: true, when: { 'body:type': '0' }, status: 204 },
    ],
  },
  // https://developers.intercom.com/docs/webhooks/webhook-notifications
  intercom: { signature: 'header:x-hub-signature', algorithm: 'sha1', prefix: 'sha1=', id: 'body:id' },
  // https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/
  line: {
    signature: 'header:x-line-signature',
    ...asBase64,
    id: 'content',
    differing: ['isRedelivery'],
    okStatus: 200,
  },
  // https://docs.livekit.io/home/server/webhooks/
  livekit: {
    signature: 'header:authorization',
    kind: 'token',
    token: { bodyHash: { claim: 'sha256', encoding: 'base64' } },
    id: 'body:id',
  },
  // https://documentation.mailgun.com/docs/mailgun/user-manual/tracking-messages/#securing-webhooks
  mailgun: {
    signature: 'body:signature.signature',
    time: 'body:signature.timestamp',
    content: '{time}{body:signature.token}',
    id: 'body:signature.token',
    okStatus: 200,
  },
  // https://developers.messagebird.com/api/#verifying-http-requests
  messagebird: {
    signature: 'header:messagebird-signature-jwt',
    kind: 'token',
    token: { issuer: 'MessageBird', bodyHash: { claim: 'payload_hash', encoding: 'hex' } },
  },
  // https://developers.facebook.com/docs/graph-api/webhooks/getting-started
  meta: {
    fields: { verify_token: z.string().min(1).max(512).optional() },
    secretFields: ['verify_token'],
    signature: 'header:x-hub-signature-256',
    ...ofSha256,
    // Events have no common id. They contain the times and ids of their entries.
    id: 'content',
    handshakes: [
      {
        method: 'GET',
        when: { 'query:hub.mode': 'subscribe', 'query:hub.verify_token': '{verify_token}' },
        challenge: 'query:hub.challenge',
        reply: '{challenge}',
      },
    ],
  },
  // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook
  microsoft_teams: {
    signature: 'header:authorization',
    prefix: 'HMAC ',
    ...asBase64,
    keyEncoding: 'base64',
    id: 'body:id',
  },
  // https://developer.nylas.com/docs/v3/notifications/
  nylas: { signature: 'header:x-nylas-signature', id: 'body:id', handshakes: echoOfQuery, okStatus: 200 },
  // https://developers.ringcentral.com/guide/notifications/webhooks/creating-webhooks
  ringcentral: {
    signature: 'header:verification-token',
    kind: 'secret',
    id: 'body:uuid',
    handshakes: [{ challenge: 'header:validation-token', header: 'Validation-Token' }],
    okStatus: 200,
  },
  // https://segment.com/docs/connections/destinations/catalog/webhooks/
  segment: { signature: 'header:x-signature', algorithm: 'sha1', id: 'body:messageId' },
  // https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
  sendgrid: {
    signature: 'header:x-twilio-email-event-webhook-signature',
    kind: 'public_key',
    ...asBase64,
    time: 'header:x-twilio-email-event-webhook-timestamp',
    content: '{time}{body}',
    id: 'content',
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    signature: 'header:x-slack-signature',
    prefix: 'v0=',
    time: 'header:x-slack-request-timestamp',
    content: 'v0:{time}:{body}',
    // Commands and interactions have no event id. The signature identifies the delivery.
    id: ['body:event_id', 'signature'],
    handshakes: [
      { signed: true, when: { 'body:type': 'url_verification' }, challenge: 'body:challenge', reply: json },
      { signed: true, when: { 'form:ssl_check': '1' } },
      { method: 'GET', when: { 'query:ssl_check': '1' } },
    ],
  },
  // https://core.telegram.org/bots/api#setwebhook
  telegram: { signature: 'header:x-telegram-bot-api-secret-token', kind: 'secret', id: 'body:update_id' },
  // https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks
  telnyx: {
    signature: 'header:telnyx-signature-ed25519',
    kind: 'public_key',
    ...asBase64,
    time: 'header:telnyx-timestamp',
    content: '{time}|{body}',
    id: 'body:data.id',
  },
  // https://dev.twitch.tv/docs/eventsub/handling-webhook-events/
  twitch: {
    signature: 'header:twitch-eventsub-message-signature',
    ...ofSha256,
    time: 'header:twitch-eventsub-message-timestamp',
    unit: 'iso',
    content: '{header:twitch-eventsub-message-id}{time}{body}',
    values: /^[\w=+/-]{1,255}$/,
    id: 'header:twitch-eventsub-message-id',
    handshakes: [
      {
        signed: true,
        when: { 'header:twitch-eventsub-message-type': 'webhook_callback_verification' },
        challenge: 'body:challenge',
        reply: '{challenge}',
      },
    ],
  },
  // https://developers.viber.com/docs/api/rest-bot-api/#callbacks
  viber: { signature: 'header:x-viber-content-signature', id: 'content', okStatus: 200 },
  // https://developer.vonage.com/en/getting-started/concepts/webhooks
  vonage: {
    signature: 'header:authorization',
    kind: 'token',
    token: { issuer: 'Vonage', bodyHash: { claim: 'payload_hash', encoding: 'hex' } },
    okStatus: 200,
  },
  // https://developer.webex.com/docs/api/guides/webhooks
  webex: { signature: 'header:x-spark-signature', algorithm: 'sha1' },
  // https://docs.x.com/x-api/webhooks/introduction
  x: {
    signature: 'header:x-twitter-webhooks-signature',
    ...ofSha256,
    ...asBase64,
    isJson: true,
    id: 'content',
    okStatus: 200,
    handshakes: [
      {
        method: 'GET',
        challenge: 'query:crc_token',
        reply: { response_token: 'sha256={hmac}' },
        hmacEncoding: 'base64',
      },
    ],
  },
  // https://developer.zendesk.com/documentation/webhooks/verifying/
  zendesk: {
    signature: 'header:x-zendesk-webhook-signature',
    ...asBase64,
    time: 'header:x-zendesk-webhook-signature-timestamp',
    unit: 'iso',
    content: '{time}{body}',
    id: 'header:x-zendesk-webhook-invocation-id',
  },
  // https://developers.zoom.us/docs/api/webhooks/
  zoom: {
    signature: 'header:x-zm-signature',
    prefix: 'v0=',
    time: 'header:x-zm-request-timestamp',
    content: 'v0:{time}:{body}',
    // Events have no id. They contain the time of the event in milliseconds.
    id: 'content',
    handshakes: [
      {
        signed: true,
        when: { 'body:event': 'endpoint.url_validation' },
        challenge: 'body:payload.plainToken',
        reply: { plainToken: '{challenge}', encryptedToken: '{hmac}' },
      },
    ],
  },
};
