/** Senders of chains, code and money as rows. To add one, add its row, a sample of its deliveries to the tests, and its line of the docs page. */
import type { Scheme } from './scheme.ts';

const asBase64 = { encoding: 'base64' } as const;
/** `t=…,v1=…` with the time, a full stop and the body signed. */
const stamped = { separator: ',', time: 'item:t=', prefix: 'v1=', content: '{time}.{body}' } as const;
const ofSha256 = { prefix: 'sha256=' } as const;

const chains: Record<string, Scheme> = {
  // https://www.alchemy.com/docs/reference/notify-api-quickstart
  alchemy: { signature: 'header:x-alchemy-signature', id: 'body:id' },
  // https://docs.moralis.com/streams-api/evm/webhook-security
  moralis: {
    signature: 'header:x-signature',
    kind: 'hash',
    algorithm: 'keccak256',
    prefix: '0x',
    content: '{body}{key}',
    id: 'content',
    // The number of attempts.
    differing: ['retries'],
    okStatus: 200,
  },
  // https://www.quicknode.com/guides/quicknode-products/streams/validating-incoming-streams-webhook-messages
  quicknode: {
    signature: 'header:x-qn-signature',
    time: 'header:x-qn-timestamp',
    content: '{header:x-qn-nonce}{time}{body}',
    values: /./,
    id: 'header:x-qn-nonce',
  },
  // https://docs.tenderly.co/alerts/webhooks
  tenderly: {
    signature: 'header:x-tenderly-signature',
    time: 'header:date',
    unit: ['iso', 'http', 'seconds'],
    content: '{body}{time}',
    isJson: true,
    id: 'body:id',
  },
};

const code: Record<string, Scheme> = {
  // https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/
  bitbucket: {
    signature: 'header:x-hub-signature',
    ...ofSha256,
    // Data Center sends `X-Request-Id`.
    id: ['header:x-request-uuid', 'header:x-request-id'],
  },
  // https://buildkite.com/docs/apis/webhooks/pipelines
  buildkite: {
    signature: 'header:x-buildkite-signature',
    ...stamped,
    time: 'item:timestamp=',
    prefix: 'signature=',
  },
  // https://circleci.com/docs/webhooks/
  circleci: { signature: 'header:circleci-signature', separator: ',', prefix: 'v1=', id: 'body:id' },
  // https://meta.discourse.org/t/configure-webhooks-that-trigger-on-discourse-events-to-integrate-with-external-services/49045
  discourse: {
    signature: 'header:x-discourse-event-signature',
    ...ofSha256,
    id: 'header:x-discourse-event-id',
  },
  // https://docs.doppler.com/docs/webhooks
  doppler: { signature: 'header:x-doppler-signature', ...ofSha256 },
  // https://docs.expo.dev/eas/webhooks/
  expo: { signature: 'header:expo-signature', algorithm: 'sha1', prefix: 'sha1=', id: 'body:id' },
  // https://docs.gitea.com/usage/webhooks
  gitea: { signature: 'header:x-gitea-signature', id: 'header:x-gitea-delivery' },
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: { signature: 'header:x-hub-signature-256', ...ofSha256, id: 'header:x-github-delivery' },
  // https://api.hackerone.com/webhooks/
  hackerone: { signature: 'header:x-h1-signature', ...ofSha256, id: 'header:x-h1-delivery' },
  // https://devcenter.heroku.com/articles/app-webhooks
  heroku: { signature: 'header:heroku-webhook-hmac-sha256', ...asBase64, id: 'body:id' },
  // https://huggingface.co/docs/hub/webhooks
  huggingface: { signature: 'header:x-webhook-secret', kind: 'secret' },
  // https://developer.atlassian.com/cloud/jira/platform/webhooks/
  jira: { signature: 'header:x-hub-signature', ...ofSha256, id: 'header:x-atlassian-webhook-identifier' },
  // https://launchdarkly.com/docs/home/infrastructure/webhooks
  launchdarkly: { signature: 'header:x-ld-signature', id: 'body:_id' },
  // https://linear.app/developers/webhooks
  linear: {
    signature: 'header:linear-signature',
    time: 'body:webhookTimestamp',
    unit: 'milliseconds',
    // `Linear-Delivery` is not signed, and the timestamp differs per attempt.
    id: 'content',
    differing: ['webhookTimestamp'],
  },
  // https://www.mongodb.com/docs/atlas/tutorial/third-party-service-integrations/
  mongodb_atlas: { signature: 'header:x-mms-signature', algorithm: 'sha1', ...asBase64 },
  // https://docs.netlify.com/deploy/deploy-notifications/
  netlify: {
    signature: 'header:x-webhook-signature',
    kind: 'token',
    token: { issuer: 'netlify', bodyHash: { claim: 'sha256', encoding: 'hex' }, ageless: true },
  },
  // https://developer.pagerduty.com/docs/verifying-webhook-signatures
  pagerduty: {
    signature: 'header:x-pagerduty-signature',
    separator: ',',
    prefix: 'v1=',
    id: 'body:event.id',
  },
  // https://planetscale.com/docs/api/webhooks
  planetscale: { signature: 'header:x-planetscale-signature' },
  // https://www.pulumi.com/docs/pulumi-cloud/webhooks/
  pulumi: { signature: 'header:pulumi-webhook-signature', id: 'header:pulumi-webhook-id' },
  // https://docs.semaphoreci.com/essentials/webhook-notifications/
  semaphore: { signature: 'header:x-semaphore-signature-256', ...ofSha256 },
  // https://docs.sentry.io/organization/integrations/integration-platform/webhooks/
  sentry: { signature: 'header:sentry-hook-signature', id: 'header:request-id' },
  // https://developer.shortcut.com/api/webhook/v1
  shortcut: { signature: 'header:payload-signature', id: 'body:id' },
  // https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validating-payloads
  snyk: { signature: 'header:x-hub-signature', ...ofSha256 },
  // https://docs.sonarsource.com/sonarqube-server/latest/project-administration/webhooks/
  sonar: { signature: 'header:x-sonar-webhook-hmac-sha256' },
  // https://tailscale.com/kb/1213/webhooks
  tailscale: { signature: 'header:tailscale-webhook-signature', ...stamped },
  // https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations
  terraform: { signature: 'header:x-tfe-notification-signature', algorithm: 'sha512' },
  // https://vercel.com/docs/webhooks/webhooks-api
  vercel: { signature: 'header:x-vercel-signature', algorithm: 'sha1', id: 'body:id' },
};

const money: Record<string, Scheme> = {
  // https://docs.btcpayserver.org/API/Greenfield/v1/
  btcpay: { signature: 'header:btcpay-sig', ...ofSha256, id: ['body:originalDeliveryId', 'body:deliveryId'] },
  // https://developers.maxio.com/http/advanced-billing-api/api-endpoints/webhooks
  chargify: {
    signature: 'header:x-chargify-webhook-signature-hmac-sha-256',
    id: 'header:x-chargify-webhook-id',
  },
  // https://www.checkout.com/docs/developer-resources/webhooks
  checkout: { signature: 'header:cko-signature', id: 'body:id' },
  // https://developers.circle.com/wallets/webhook-notifications
  circle: {
    signature: 'header:x-circle-signature',
    kind: 'public_key',
    ...asBase64,
    id: 'body:notificationId',
    okStatus: 200,
  },
  // https://docs.cdp.coinbase.com/commerce/docs/webhooks-security
  coinbase_commerce: { signature: 'header:x-cc-webhook-signature', id: 'body:event.id', okStatus: 200 },
  // https://developers.dwolla.com/docs/working-with-webhooks
  dwolla: { signature: 'header:x-request-signature-sha-256', id: 'body:id' },
  // https://developer.fastspring.com/reference/message-security
  fastspring: { signature: 'header:x-fs-signature', ...asBase64 },
  // https://developers.fireblocks.com/docs/webhooks-notifications
  fireblocks: {
    signature: 'header:fireblocks-signature',
    kind: 'public_key',
    algorithm: 'sha512',
    ...asBase64,
  },
  // https://developer.flutterwave.com/docs/webhooks
  flutterwave: { signature: 'header:verif-hash', kind: 'secret' },
  // https://developer.gocardless.com/getting-started/staying-up-to-date-with-webhooks
  gocardless: { signature: 'header:webhook-signature', id: 'content' },
  // https://increase.com/documentation/webhooks
  increase: { signature: 'header:increase-webhook-signature', ...stamped, unit: 'iso', id: 'body:id' },
  // https://docs.lemonsqueezy.com/help/webhooks/signing-requests
  lemon_squeezy: { signature: 'header:x-signature' },
  // https://docs.moderntreasury.com/platform/docs/webhook-signatures
  modern_treasury: { signature: 'header:x-signature' },
  // https://dev.moonpay.com/docs/on-ramp-request-signing
  moonpay: { signature: 'header:moonpay-signature-v2', ...stamped, prefix: 's=' },
  // https://developer.paddle.com/webhooks/signature-verification
  paddle: {
    signature: 'header:paddle-signature',
    separator: ';',
    time: 'item:ts=',
    prefix: 'h1=',
    content: '{time}:{body}',
    id: 'body:event_id',
  },
  // https://paystack.com/docs/payments/webhooks/
  paystack: { signature: 'header:x-paystack-signature', algorithm: 'sha512', id: 'content', okStatus: 200 },
  // https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks
  quickbooks: { signature: 'header:intuit-signature', ...asBase64, id: 'content', okStatus: 200 },
  // https://razorpay.com/docs/webhooks/validate-test/
  razorpay: { signature: 'header:x-razorpay-signature', id: 'header:x-razorpay-event-id' },
  // https://developer.squareup.com/docs/webhooks/step3validate
  square: {
    signature: 'header:x-square-hmacsha256-signature',
    ...asBase64,
    content: '{url}{body}',
    isJson: true,
    id: 'body:event_id',
  },
  // https://docs.stripe.com/webhooks#verify-manually
  stripe: { signature: 'header:stripe-signature', ...stamped, id: 'body:id' },
  // https://docs.wise.com/api-docs/features/webhooks-notifications
  wise: {
    signature: 'header:x-signature-sha256',
    kind: 'public_key',
    ...asBase64,
    id: 'header:x-delivery-id',
  },
  // https://docs.xendit.co/docs/handling-webhooks
  xendit: { signature: 'header:x-callback-token', kind: 'secret', id: 'header:webhook-id' },
  // https://developer.xero.com/documentation/guides/webhooks/configuring-your-server/
  xero: {
    signature: 'header:x-xero-signature',
    ...asBase64,
    id: 'content',
    differing: ['entropy'],
    okStatus: 200,
    handshakes: [
      {
        signed: true,
        when: { 'body:firstEventSequence': '0', 'body:lastEventSequence': '0', 'body:events.0': null },
      },
    ],
  },
};

export const table: Record<string, Scheme> = { ...chains, ...code, ...money };
