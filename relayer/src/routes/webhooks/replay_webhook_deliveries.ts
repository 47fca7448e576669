import { replay, replayDescription, replayFields, replayReply } from '@latchkey/webhooks/routes';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { webhookTables } from '../../webhooks/endpoints.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { exampleWebhook, ownWebhook, webhookId } from './record.ts';

export const replayWebhookDeliveries = defineRoute({
  method: 'POST',
  path: `${prefix}/replay_webhook_deliveries`,
  tag: 'webhooks',
  summary: 'Sends events again',
  description: replayDescription,
  auth: 'accountKeyOrWallet',
  body: z.strictObject({ webhook_id: webhookId, ...replayFields }),
  reply: replayReply,
  errors: ['forbidden', 'not_found', 'conflict', 'service_unavailable'],
  example: {
    body: { webhook_id: exampleWebhook.id, failed_since: '2026-11-01T09:00:00.000Z' },
    reply: { replayed: 3 },
  },
  handle: async ({ db }: Pick<Context, 'db'>, { body, caller }) =>
    replay(db, webhookTables, await ownWebhook({ db }, caller, body.webhook_id), body),
});
