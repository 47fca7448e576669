import { randomUUID } from 'node:crypto';
import { WebhookError } from '@latchkey/webhooks/post';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { ownAlertWebhook } from './record.ts';

export const testAlerts = defineRoute({
  method: 'POST',
  path: '/api/alerts/test',
  tag: 'alerts',
  summary: 'Sends a test alert',
  description: 'Makes one attempt and replies with its result. At most 10 per minute.',
  auth: 'agentOrSession',
  waits: true,
  reply: z.object({
    delivered: z.boolean(),
    error: z.string().nullable().meta({ description: 'Why the alert was not delivered.' }),
  }),
  errors: ['not_found', 'too_many_requests', 'service_unavailable'],
  example: { reply: { delivered: false, error: 'the reply has the status 500' } },
  handle: async (context: Pick<Context, 'db' | 'sealer' | 'limits' | 'postAlert'>, { caller }) => {
    const { url, secret, id } = await ownAlertWebhook(context, caller);
    await context.limits.alertTests.take(caller.id);
    const message = { type: 'alert.test', timestamp: new Date().toISOString(), data: {} };
    try {
      const opened = context.sealer.openText(secret, id);
      await context.postAlert({ url, secret: opened, id: randomUUID(), message });
      return { delivered: true, error: null };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { delivered: false, error: error.message };
    }
  },
});
