import { isHmac, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://shopify.dev/docs/apps/build/webhooks/subscribe/https */
export const shopify = defineSender({
  isSigned: ({ headers, body }, key) =>
    isHmac(onlyValue(headers, 'x-shopify-hmac-sha256'), [body], key, { encoding: 'base64' }),
  findId: ({ headers }) => onlyValue(headers, 'x-shopify-webhook-id'),
});
