import { isFresh, isHmac, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://www.quicknode.com/guides/quicknode-products/streams/validating-incoming-streams-webhook-messages */
export const quicknode = defineSender({
  isSigned({ headers, body }, key) {
    const nonce = onlyValue(headers, 'x-qn-nonce') ?? '';
    const timestamp = onlyValue(headers, 'x-qn-timestamp') ?? '';
    if (nonce === '' || !isFresh(timestamp)) return false;
    return isHmac(onlyValue(headers, 'x-qn-signature'), [nonce, timestamp, body], key);
  },
  findId: ({ headers }) => onlyValue(headers, 'x-qn-nonce'),
});
