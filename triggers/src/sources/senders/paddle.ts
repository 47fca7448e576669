import { isFresh, isHmac, onlyValue, textAt, valuesIn } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://developer.paddle.com/webhooks/signature-verification */
export const paddle = defineSender({
  isSigned({ headers, body }, key) {
    const list = onlyValue(headers, 'paddle-signature') ?? '';
    const [timestamp = '', ...others] = valuesIn(list, ';', 'ts');
    if (others.length > 0 || !isFresh(timestamp)) return false;
    return isHmac(valuesIn(list, ';', 'h1'), [`${timestamp}:`, body], key);
  },
  findId: ({ event }) => textAt(event, 'event_id'),
});
