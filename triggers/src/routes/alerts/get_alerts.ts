import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { alertRecord, ownAlertWebhook, toAlertRecord } from './record.ts';

export const getAlerts = defineRoute({
  method: 'GET',
  path: '/api/alerts',
  tag: 'alerts',
  summary: 'Reads the alert webhook',
  auth: 'agentOrSession',
  reply: alertRecord,
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db'>, { caller }) =>
    toAlertRecord(await ownAlertWebhook(context, caller)),
});
