import { TextReply } from '@latchkey/http';
import { z } from 'zod';
import { contentId, isHmac, isSame, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
export const meta = defineSender<{ verify_token?: string }>({
  fields: { verify_token: z.string().min(1).max(512).optional() },
  secretFields: ['verify_token'],
  isSigned: ({ headers, body }, key) =>
    isHmac(onlyValue(headers, 'x-hub-signature-256'), [body], key, { prefix: 'sha256=' }),
  // Events have no common id. They contain the times and ids of their entries.
  findId: ({ event }) => contentId(event),
  answerHandshake(method, query, { verify_token: token }) {
    const isRight =
      method === 'GET' && token !== undefined && isSame(query.get('hub.verify_token') ?? undefined, token);
    return isRight && query.get('hub.mode') === 'subscribe'
      ? new TextReply(200, 'text/plain', query.get('hub.challenge') ?? '')
      : undefined;
  },
});
