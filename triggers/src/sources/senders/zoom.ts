import { createHmac } from 'node:crypto';
import { TextReply } from '@latchkey/http';
import { contentId, isFresh, isHmac, onlyValue, textAt } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://developers.zoom.us/docs/api/webhooks/ */
export const zoom = defineSender({
  isSigned({ headers, body }, key) {
    const timestamp = onlyValue(headers, 'x-zm-request-timestamp') ?? '';
    const sent = onlyValue(headers, 'x-zm-signature');
    return isFresh(timestamp) && isHmac(sent, [`v0:${timestamp}:`, body], key, { prefix: 'v0=' });
  },
  // Events have no id. They contain the time of the event in milliseconds.
  findId: ({ event }) => contentId(event),
  answerChallenge({ event }, key) {
    if (textAt(event, 'event') !== 'endpoint.url_validation') return undefined;
    const plainToken = textAt(event, 'payload', 'plainToken') ?? '';
    const encryptedToken = createHmac('sha256', key).update(plainToken).digest('hex');
    return new TextReply(200, 'application/json', JSON.stringify({ plainToken, encryptedToken }));
  },
});
