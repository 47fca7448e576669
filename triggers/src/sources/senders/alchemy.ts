import { isHmac, onlyValue, textAt } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://www.alchemy.com/docs/reference/notify-api-quickstart */
export const alchemy = defineSender({
  isSigned: ({ headers, body }, key) => isHmac(onlyValue(headers, 'x-alchemy-signature'), [body], key),
  findId: ({ event }) => textAt(event, 'id'),
});
