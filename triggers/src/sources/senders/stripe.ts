import { isFresh, isHmac, onlyValue, textAt, valuesIn } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://docs.stripe.com/webhooks#verify-manually */
export const stripe = defineSender({
  isSigned({ headers, body }, key) {
    const list = onlyValue(headers, 'stripe-signature') ?? '';
    const [timestamp = '', ...others] = valuesIn(list, ',', 't');
    if (others.length > 0 || !isFresh(timestamp)) return false;
    return isHmac(valuesIn(list, ',', 'v1'), [`${timestamp}.`, body], key);
  },
  findId: ({ event }) => textAt(event, 'id'),
});
