import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { ownTrigger, toRecord, triggerParams, triggerRecord } from './record.ts';

export const getTrigger = defineRoute({
  method: 'GET',
  path: '/api/triggers/:id',
  tag: 'triggers',
  summary: 'Reads a trigger',
  auth: 'agentOrSession',
  params: triggerParams,
  reply: triggerRecord,
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'publicUrl'>, { params, caller }) =>
    toRecord(await ownTrigger(context, params.id, caller), context),
});
