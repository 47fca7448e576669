import { and, desc, eq, inArray } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { runs } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { nextOffset, pageQuery, readPage } from '../page.ts';
import { runRecord, runStatus, toRunRecord } from '../runs/record.ts';
import { ownTrigger, triggerParams } from './record.ts';

export const listRuns = defineRoute({
  method: 'GET',
  path: '/api/triggers/:id/runs',
  tag: 'runs',
  summary: 'Lists the runs of a trigger, newest first',
  description: 'Use `status=failed` to list the runs that need attention.',
  auth: 'agentOrSession',
  params: triggerParams,
  query: z.object({
    ...pageQuery(50),
    status: runStatus.optional(),
  }),
  reply: z.object({ runs: z.array(runRecord), next_offset: nextOffset }),
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db'>, { params, query: { status, ...query }, caller }) => {
    const { db } = context;
    const { id } = await ownTrigger(context, params.id, caller);
    const { items, ...page } = await readPage(query, {
      ids: (limit, offset) =>
        db
          .select({ id: runs.id })
          .from(runs)
          .where(and(eq(runs.triggerId, id), status && eq(runs.status, status)))
          .orderBy(desc(runs.createdAt), desc(runs.id))
          .limit(limit)
          .offset(offset),
      rows: (ids) => db.select().from(runs).where(inArray(runs.id, ids)),
      toItem: toRunRecord,
    });
    return { runs: items, ...page };
  },
});
