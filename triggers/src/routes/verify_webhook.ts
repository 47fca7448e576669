import { z } from 'zod';
import type { Context } from '../context.ts';
import { greet } from '../sources/webhook.ts';
import { defineRoute } from './define-route.ts';
import { requireWebhook, webhookId } from './webhook-delivery.ts';

export const verifyWebhook = defineRoute({
  method: 'GET',
  path: '/webhook/:id',
  tag: 'webhooks',
  summary: 'Answers a sender that verifies the URL',
  description:
    'Answers the requests of Meta (`hub.challenge`), Microsoft Graph (`validationToken`) and Slack (`ssl_check`) to triggers ' +
    'with their schemes. Fires no run.',
  auth: 'none',
  params: z.object({ id: z.string() }),
  reply: z.string(),
  textReply: 'The text that the sender expects.',
  errors: ['not_found', 'gone', 'too_many_requests'],
  handle: async (
    context: Pick<Context, 'limits' | 'sealer' | 'webhookTriggers'>,
    { params: { id }, rawQuery: search, ip },
  ) => {
    await context.limits.webhookIp.take(ip);
    const trigger = await context.webhookTriggers.read(webhookId(id));
    return greet(requireWebhook(trigger), search, context);
  },
});
