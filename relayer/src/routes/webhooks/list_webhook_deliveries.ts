import {
  deliveriesDescription,
  deliveryQuery,
  deliveryRecord,
  listDeliveries,
} from '@latchkey/webhooks/routes';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { webhookTables } from '../../webhooks/endpoints.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownWebhook, webhookId } from './record.ts';

export const listWebhookDeliveries = defineRoute({
  method: 'GET',
  path: `${prefix}/list_webhook_deliveries`,
  tag: 'webhooks',
  summary: 'Lists the deliveries of a webhook, newest first',
  description: deliveriesDescription,
  auth: 'accountKeyOrWallet',
  query: z.object({ webhook_id: webhookId, ...deliveryQuery }),
  reply: z.array(deliveryRecord),
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { query, caller }) => {
    const { id } = await ownWebhook({ db }, caller, query.webhook_id);
    return listDeliveries(db, webhookTables, id, query);
  },
});
