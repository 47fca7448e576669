import { TextReply } from '@latchkey/http';
import { contentId, ed25519Key, integerAt, isEd25519, isFresh, onlyValue, textAt } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://discord.com/developers/docs/interactions/overview Interactions and webhook events. */
export const discord = defineSender({
  keyField: 'public_key',
  findFault: (_config, keys) =>
    keys.every(ed25519Key) ? undefined : 'public_key: expected 32 bytes in hex or base64',
  isSigned({ headers, body }, key) {
    const timestamp = onlyValue(headers, 'x-signature-timestamp') ?? '';
    const sent = onlyValue(headers, 'x-signature-ed25519');
    return isFresh(timestamp) && isEd25519(sent, [timestamp, body], ed25519Key(key));
  },
  findId: ({ event }) => textAt(event, 'id') ?? contentId(event),
  answerChallenge({ event }) {
    const isWebhookEvent = typeof event === 'object' && event !== null && 'event' in event;
    const type = integerAt(event, 'type');
    if (type === 0) return new TextReply(204, 'application/json', '');
    return type === 1 && !isWebhookEvent
      ? new TextReply(200, 'application/json', JSON.stringify({ type: 1 }))
      : undefined;
  },
});
