import { randomUUID } from 'node:crypto';
import { WebhookError } from '@latchkey/webhooks/post';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { exampleWebhook, ownWebhook, webhookId } from './record.ts';

export const testWebhook = defineRoute({
  method: 'POST',
  path: `${prefix}/test_webhook`,
  tag: 'webhooks',
  summary: 'Sends an event of type `webhook.test`',
  description: 'Makes one attempt and replies with its result. At most 10 per minute and account.',
  auth: 'accountKeyOrWallet',
  waits: true,
  body: z.strictObject({ webhook_id: webhookId }),
  reply: z.object({
    delivered: z.boolean(),
    response_status: z.int().nullable(),
    error: z.string().nullable().meta({ description: 'Why the event was not delivered.' }),
  }),
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { webhook_id: exampleWebhook.id },
    reply: { delivered: false, response_status: 500, error: 'the reply has the status 500' },
  },
  handle: async (
    context: Pick<Context, 'db' | 'webhookSealer' | 'webhookTestLimit' | 'postWebhook'>,
    { body, caller, signal },
  ) => {
    const { id, url, secret } = await ownWebhook(context, caller, body.webhook_id);
    await context.webhookTestLimit.take(String(caller.account));
    const message = { type: 'webhook.test', timestamp: new Date().toISOString(), data: {} };
    try {
      const opened = context.webhookSealer.openText(secret, id);
      const status = await context.postWebhook({ url, secret: opened, id: randomUUID(), message }, signal);
      return { delivered: true, response_status: status, error: null };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { delivered: false, response_status: error.status ?? null, error: error.message };
    }
  },
});
