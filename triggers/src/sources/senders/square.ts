import { parseJson } from '../content.ts';
import { isHmac, onlyValue, textAt } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://developer.squareup.com/docs/webhooks/step3validate */
export const square = defineSender({
  // URL and body are signed without a separator: only one split leaves JSON.
  isSigned: ({ headers, body, url, search }, key) =>
    isHmac(onlyValue(headers, 'x-square-hmacsha256-signature'), [url, search, body], key, {
      encoding: 'base64',
    }) && parseJson(body) !== undefined,
  findId: ({ event }) => textAt(event, 'event_id'),
});
