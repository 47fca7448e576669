import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { removeEndpoint } from '../../webhooks/endpoints.ts';
import { defineRoute, prefix, success } from '../define-route.ts';
import { exampleWebhook, noWebhook, webhookId } from './record.ts';

export const removeWebhook = defineRoute({
  method: 'POST',
  path: `${prefix}/remove_webhook`,
  tag: 'webhooks',
  summary: 'Deletes a webhook, its secret and its deliveries',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({ webhook_id: webhookId }),
  reply: success,
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  example: { body: { webhook_id: exampleWebhook.id }, reply: { success: true } },
  handle: async ({ db }: Pick<Context, 'db'>, { body, caller }) => {
    if (!(await removeEndpoint(db, hashText(caller.account), body.webhook_id))) throw noWebhook();
    return { success: true as const };
  },
});
