import {
  deliveriesDescription,
  deliveryQuery,
  deliveryRecord,
  listDeliveries,
} from '@latchkey/webhooks/routes';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { alertTables } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { ownAlertWebhook } from './record.ts';

export const listAlertDeliveries = defineRoute({
  method: 'GET',
  path: '/api/alerts/deliveries',
  tag: 'alerts',
  summary: 'Lists the alerts that were sent or wait, newest first',
  description: deliveriesDescription,
  auth: 'agentOrSession',
  query: z.object(deliveryQuery),
  reply: z.object({ deliveries: z.array(deliveryRecord) }),
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { query, caller }) => {
    const { id } = await ownAlertWebhook({ db }, caller);
    return { deliveries: await listDeliveries(db, alertTables, id, query) };
  },
});
