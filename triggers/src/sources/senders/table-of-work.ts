/** Rows of senders of documents, shops and tasks. */
import type { Scheme } from './scheme.ts';

const asBase64 = { encoding: 'base64' } as const;
const ofSha256 = { prefix: 'sha256=' } as const;
const stamped = { separator: ',', time: 'item:t=', prefix: 'v1=', content: '{time}.{body}' } as const;
const echoOfQuery = [{ method: 'GET', challenge: 'query:challenge', reply: '{challenge}' }] as const;

const adyenItem = 'notificationItems.0.NotificationRequestItem';
const adyenFields = [
  ...['pspReference', 'originalReference?', 'merchantAccountCode', 'merchantReference'],
  ...['amount.value', 'amount.currency', 'eventCode', 'success'],
];

export const tableOfWork: Record<string, Scheme> = {
  // https://developers.acuityscheduling.com/docs/webhooks
  acuity: { signature: 'header:x-acuity-signature', ...asBase64 },
  // https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures/
  adyen: {
    signature: `body:${adyenItem}.additionalData.hmacSignature`,
    encoding: 'base64',
    keyEncoding: 'hex',
    // A notification has one item: another one would not be signed.
    content: `${adyenFields.map((field) => `{body:${adyenItem}.${field}}`).join(':')}{body:notificationItems.1?}`,
    // With a colon, text could move from one field to the next.
    values: /^[^:]{0,255}$/,
    id: 'signature',
  },
  // https://airtable.com/developers/web/api/webhooks-overview
  airtable: {
    signature: 'header:x-airtable-content-mac',
    prefix: 'hmac-sha256=',
    keyEncoding: 'base64',
    id: 'content',
  },
  // https://developers.asana.com/docs/webhooks-guide
  asana: {
    signature: 'header:x-hook-signature',
    isKeyOptional: true,
    handshakes: [{ challenge: 'header:x-hook-secret', header: 'X-Hook-Secret', isKey: true }],
  },
  // https://learn.microsoft.com/en-us/azure/event-grid/end-point-validation-event-grid-events-schema
  azure_event_grid: {
    signature: 'query:code',
    kind: 'secret',
    id: 'content',
    handshakes: [
      {
        signed: true,
        when: { 'body:0.eventType': 'Microsoft.EventGrid.SubscriptionValidationEvent' },
        challenge: 'body:0.data.validationCode',
        reply: { validationResponse: '{challenge}' },
      },
    ],
  },
  // https://docs.attio.com/rest-api/guides/webhooks
  attio: { signature: 'header:attio-signature', id: 'header:idempotency-key' },
  // https://developer.box.com/guides/webhooks/v2/signatures-v2/
  box: {
    signature: ['header:box-signature-primary', 'header:box-signature-secondary'],
    ...asBase64,
    time: 'header:box-delivery-timestamp',
    unit: 'iso',
    content: '{body}{time}',
    isJson: true,
    id: 'header:box-delivery-id',
  },
  // https://cal.com/docs/developing/guides/automation/webhooks
  cal_com: { signature: 'header:x-cal-signature-256' },
  // https://developer.calendly.com/api-docs/webhook-signatures
  calendly: { signature: 'header:calendly-webhook-signature', ...stamped },
  // https://developer.clickup.com/docs/webhooksignature
  clickup: { signature: 'header:x-signature', id: 'content' },
  // https://developer.close.com/topics/webhooks/
  close: {
    signature: 'header:close-sig-hash',
    keyEncoding: 'hex',
    time: 'header:close-sig-timestamp',
    content: '{time}{body}',
    id: 'body:event.id',
  },
  // https://cloudinary.com/documentation/notifications
  cloudinary: {
    signature: 'header:x-cld-signature',
    kind: 'hash',
    algorithm: 'sha1',
    time: 'header:x-cld-timestamp',
    content: '{body}{time}{key}',
    isJson: true,
  },
  // https://developers.cloudflare.com/notifications/get-started/configure-webhooks/
  cloudflare: { signature: 'header:cf-webhook-auth', kind: 'secret' },
  // https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/
  cloudflare_stream: {
    signature: 'header:webhook-signature',
    ...stamped,
    time: 'item:time=',
    prefix: 'sig1=',
  },
  // https://developers.docusign.com/platform/webhooks/connect/hmac/
  docusign: {
    signature: ['header:x-docusign-signature-1', 'header:x-docusign-signature-2'],
    ...asBase64,
    id: 'content',
    differing: ['retryCount'],
    okStatus: 200,
  },
  // https://www.dropbox.com/developers/reference/webhooks
  dropbox: { signature: 'header:x-dropbox-signature', handshakes: echoOfQuery, okStatus: 200 },
  // https://docs.easypost.com/guides/webhooks-guide
  easypost: { signature: 'header:x-hmac-signature', prefix: 'hmac-sha256-hex=', id: 'body:id' },
  // https://elevenlabs.io/docs/product-guides/administration/webhooks
  elevenlabs: { signature: 'header:elevenlabs-signature', ...stamped, prefix: 'v0=' },
  // https://developers.figma.com/docs/rest-api/webhooks-security/
  figma: { signature: 'body:passcode', kind: 'secret', okStatus: 200 },
  // https://developer.frame.io/docs/automations-webhooks/webhooks-overview
  frame_io: {
    signature: 'header:x-frameio-signature',
    prefix: 'v0=',
    time: 'header:x-frameio-request-timestamp',
    content: 'v0:{time}:{body}',
  },
  // https://developers.google.com/workspace/drive/api/guides/push
  google_channel: { signature: 'header:x-goog-channel-token', kind: 'secret', okStatus: 200 },
  // https://developers.greenhouse.io/webhooks.html
  greenhouse: { signature: 'header:signature', prefix: 'sha256 ', id: 'header:greenhouse-event-id' },
  // https://developer.helpscout.com/webhooks/
  help_scout: { signature: 'header:x-helpscout-signature', algorithm: 'sha1', ...asBase64 },
  // https://developer.monday.com/api-reference/reference/webhooks
  monday: {
    signature: 'header:authorization',
    kind: 'token',
    token: {},
    handshakes: [
      { when: { 'body:event': null }, challenge: 'body:challenge', reply: { challenge: '{challenge}' } },
    ],
    id: 'body:event.triggerUuid',
    okStatus: 200,
  },
  // https://www.mux.com/docs/core/verify-webhook-signatures
  mux: { signature: 'header:mux-signature', ...stamped, id: 'body:id' },
  // https://developers.notion.com/reference/webhooks
  notion: { signature: 'header:x-notion-signature', ...ofSha256, id: 'body:id' },
  // https://developer.okta.com/docs/concepts/event-hooks/
  okta: {
    signature: 'header:authorization',
    kind: 'secret',
    handshakes: [
      {
        method: 'GET',
        challenge: 'header:x-okta-verification-challenge',
        reply: { verification: '{challenge}' },
      },
    ],
    id: 'body:eventId',
    okStatus: 200,
  },
  // https://documentation.onfido.com/api/latest/#webhooks
  onfido: { signature: 'header:x-sha2-signature' },
  // https://developers.pandadoc.com/docs/webhook-verification
  pandadoc: { signature: 'query:signature' },
  // https://pusher.com/docs/channels/server_api/webhooks/
  pusher: { signature: 'header:x-pusher-signature', id: 'content' },
  // https://www.sanity.io/docs/content-lake/webhooks
  sanity: {
    signature: 'header:sanity-webhook-signature',
    ...stamped,
    unit: 'milliseconds',
    encoding: 'base64url',
    id: 'header:idempotency-key',
  },
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https
  shopify: { signature: 'header:x-shopify-hmac-sha256', ...asBase64, id: 'header:x-shopify-webhook-id' },
  // https://developers.smartsheet.com/api/smartsheet/guides/webhooks
  smartsheet: {
    signature: 'header:smartsheet-hmac-sha256',
    handshakes: [
      { challenge: 'header:smartsheet-hook-challenge', reply: { smartsheetHookResponse: '{challenge}' } },
    ],
    id: 'body:nonce',
    okStatus: 200,
  },
  // https://tally.so/help/webhooks
  tally: { signature: 'header:tally-signature', ...asBase64, id: 'body:eventId' },
  // https://developer.todoist.com/api/v1/#tag/Webhooks
  todoist: {
    signature: 'header:x-todoist-hmac-sha256',
    ...asBase64,
    id: 'header:x-todoist-delivery-id',
    okStatus: 200,
  },
  // https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/
  trello: {
    signature: 'header:x-trello-webhook',
    algorithm: 'sha1',
    ...asBase64,
    content: '{body}{url}',
    isJson: true,
    id: 'body:action.id',
    okStatus: 200,
  },
  // https://www.typeform.com/developers/webhooks/secure-your-webhooks/
  typeform: { signature: 'header:typeform-signature', ...ofSha256, ...asBase64, id: 'body:event_id' },
  // https://developer.uber.com/docs/eats/guides/webhooks
  uber: { signature: 'header:x-uber-signature', id: 'body:event_id', okStatus: 200 },
  // https://developers.webflow.com/data/docs/working-with-webhooks
  webflow: {
    signature: 'header:x-webflow-signature',
    time: 'header:x-webflow-timestamp',
    unit: 'milliseconds',
    content: '{time}:{body}',
  },
  // https://woocommerce.com/document/webhooks/
  woocommerce: {
    signature: 'header:x-wc-webhook-signature',
    ...asBase64,
    // Saving a webhook sends its number, without a signature.
    handshakes: [{ when: { 'header:x-wc-webhook-signature': null }, challenge: 'form:webhook_id' }],
    id: 'header:x-wc-webhook-delivery-id',
  },
  // https://workos.com/docs/events/data-syncing/webhooks
  workos: { signature: 'header:workos-signature', ...stamped, unit: 'milliseconds', id: 'body:id' },
};
