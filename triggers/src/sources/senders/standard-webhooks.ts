import { onlyValue } from './checks.ts';
import { defineSender, type Headers } from './sender.ts';
import { isMessageKey, isSignedMessage } from './signed-message.ts';

const findFault = (_config: unknown, keys: readonly string[]) =>
  keys.every(isMessageKey)
    ? undefined
    : 'secret: expected base64, with or without the prefix whsec_, or a public key with the prefix whpk_';

export const standardWebhooks = defineSender({
  findFault,
  isSigned: (delivery, key) => isSignedMessage(delivery, 'webhook', key),
  findId: ({ headers }) => onlyValue(headers, 'webhook-id'),
});

const familyOf = (headers: Headers) => (headers['svix-id'] ? 'svix' : 'webhook');

/** https://docs.svix.com/receiving/verifying-payloads/how-manual Customers of Svix can choose either family of headers. */
export const svix = defineSender({
  findFault,
  isSigned: (delivery, key) => isSignedMessage(delivery, familyOf(delivery.headers), key),
  findId: ({ headers }) => onlyValue(headers, `${familyOf(headers)}-id`),
});
