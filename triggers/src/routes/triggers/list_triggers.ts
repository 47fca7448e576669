import { desc, eq, inArray } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { triggers } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { nextOffset, pageQuery, readPage } from '../page.ts';
import { toRecord, triggerRecord } from './record.ts';

export const listTriggers = defineRoute({
  method: 'GET',
  path: '/api/triggers',
  tag: 'triggers',
  summary: 'Lists triggers, newest first',
  auth: 'agentOrSession',
  query: z.object(pageQuery(1_000)),
  reply: z.object({ triggers: z.array(triggerRecord), next_offset: nextOffset }),
  errors: ['service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'publicUrl' | 'sealer'>, { caller, query }) => {
    const { db } = context;
    const { items, ...page } = await readPage(query, {
      ids: (limit, offset) =>
        db
          .select({ id: triggers.id })
          .from(triggers)
          .where(eq(triggers.userId, caller.id))
          .orderBy(desc(triggers.createdAt), desc(triggers.id))
          .limit(limit)
          .offset(offset),
      rows: (ids) => db.select().from(triggers).where(inArray(triggers.id, ids)),
      toItem: (trigger) => toRecord(trigger, context),
    });
    return { triggers: items, ...page };
  },
});
