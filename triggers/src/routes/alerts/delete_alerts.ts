import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { alertWebhooks } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { noAlertWebhook } from './record.ts';

export const deleteAlerts = defineRoute({
  method: 'DELETE',
  path: '/api/alerts',
  tag: 'alerts',
  summary: 'Deletes the alert webhook, its secret and its alerts',
  auth: 'agentOrSession',
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) => {
    const { id } = alertWebhooks;
    const gone = await db.delete(alertWebhooks).where(eq(id, caller.id)).returning({ id });
    if (gone.length === 0) throw noAlertWebhook();
    return { success: true as const };
  },
});
