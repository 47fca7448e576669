import { isHmac, onlyValue, textAt } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://www.typeform.com/developers/webhooks/secure-your-webhooks/ */
export const typeform = defineSender({
  isSigned: ({ headers, body }, key) =>
    isHmac(onlyValue(headers, 'typeform-signature'), [body], key, { encoding: 'base64', prefix: 'sha256=' }),
  findId: ({ event }) => textAt(event, 'event_id'),
});
