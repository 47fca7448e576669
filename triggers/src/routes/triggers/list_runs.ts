import { queryInteger } from '@latchkey/http';
import { and, desc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { runs } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { runRecord, runStatus, toRunRecord } from '../runs/record.ts';
import { ownTrigger, triggerParams } from './record.ts';

export const listRuns = defineRoute({
  method: 'GET',
  path: '/api/triggers/:id/runs',
  tag: 'runs',
  summary: 'Lists runs, the newest first',
  description: '`status=failed` lists the dead letters.',
  auth: 'agentOrSession',
  params: triggerParams,
  query: z.object({
    limit: queryInteger(1, 1_000, 50),
    offset: queryInteger(0, 1_000_000_000, 0),
    status: runStatus.optional(),
  }),
  reply: z.object({ runs: z.array(runRecord) }),
  errors: ['not_found'],
  handle: async (context: Pick<Context, 'db'>, { params, query, caller }) => {
    const { id } = await ownTrigger(context, params.id, caller);
    const found = await context.db
      .select()
      .from(runs)
      .where(and(eq(runs.triggerId, id), query.status && eq(runs.status, query.status)))
      .orderBy(desc(runs.createdAt), desc(runs.id))
      .limit(query.limit)
      .offset(query.offset);
    return { runs: found.map(toRunRecord) };
  },
});
