import { TextReply } from '@latchkey/http';
import { isFresh, isHmac, onlyValue, textAt } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://docs.slack.dev/authentication/verifying-requests-from-slack Events, commands and interactions. */
export const slack = defineSender({
  isSigned({ headers, body }, key) {
    const timestamp = onlyValue(headers, 'x-slack-request-timestamp') ?? '';
    const sent = onlyValue(headers, 'x-slack-signature');
    return isFresh(timestamp) && isHmac(sent, [`v0:${timestamp}:`, body], key, { prefix: 'v0=' });
  },
  // Commands and interactions have no event id. The signature identifies the delivery.
  findId: ({ headers, event }) =>
    textAt(event, 'event_id') ?? onlyValue(headers, 'x-slack-signature')?.toLowerCase(),
  answerChallenge({ event, form }) {
    const challenge = textAt(event, 'type') === 'url_verification' ? textAt(event, 'challenge') : undefined;
    if (challenge !== undefined) return new TextReply(200, 'application/json', JSON.stringify({ challenge }));
    return form?.get('ssl_check') === '1' ? new TextReply(200, 'text/plain', '') : undefined;
  },
  answerHandshake: (method, query) =>
    method === 'GET' && query.get('ssl_check') === '1' ? new TextReply(200, 'text/plain', '') : undefined,
});
