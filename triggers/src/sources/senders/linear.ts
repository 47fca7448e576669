import { parseJson } from '../content.ts';
import { contentId, integerAt, isHmac, isRecent, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://linear.app/developers/webhooks */
export const linear = defineSender({
  isSigned: ({ headers, body }, key) =>
    isHmac(onlyValue(headers, 'linear-signature'), [body], key) &&
    isRecent((integerAt(parseJson(body), 'webhookTimestamp') ?? 0) / 1_000),
  // `Linear-Delivery` is not signed, and the timestamp differs between attempts.
  findId: ({ event }) => contentId(event, 'webhookTimestamp'),
});
