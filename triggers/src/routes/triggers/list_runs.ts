import { and, eq } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { runs } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { readRuns, runList, runListQuery } from '../runs/list.ts';
import { ownTrigger, triggerParams } from './record.ts';

export const listRuns = defineRoute({
  method: 'GET',
  path: '/api/triggers/:id/runs',
  tag: 'runs',
  summary: 'Lists the runs of a trigger, newest first',
  description: 'Use `status=failed` to list the runs that need attention.',
  auth: 'agentOrSession',
  params: triggerParams,
  query: runListQuery,
  reply: runList,
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db'>, { params, query: { status, ...query }, caller }) => {
    const { id } = await ownTrigger(context, params.id, caller);
    return readRuns(context.db, query, and(eq(runs.triggerId, id), status && eq(runs.status, status)));
  },
});
