import { replay, replayDescription, replayFields, replayReply } from '@latchkey/webhooks/routes';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { alertTables } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { ownAlertWebhook } from './record.ts';

export const replayAlerts = defineRoute({
  method: 'POST',
  path: '/api/alerts/replay',
  tag: 'alerts',
  summary: 'Sends alerts again',
  description: replayDescription,
  auth: 'agentOrSession',
  body: z.object(replayFields),
  reply: replayReply,
  errors: ['not_found', 'conflict', 'service_unavailable'],
  example: { body: { failed_since: '2026-11-01T09:00:00.000Z' }, reply: { replayed: 3 } },
  handle: async ({ db }: Pick<Context, 'db'>, { body, caller }) =>
    replay(db, alertTables, await ownAlertWebhook({ db }, caller), body),
});
