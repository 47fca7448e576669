import { queryInteger } from '@latchkey/http';
import { desc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { triggers } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { toRecord, triggerRecord } from './record.ts';

export const listTriggers = defineRoute({
  method: 'GET',
  path: '/api/triggers',
  tag: 'triggers',
  summary: 'Lists triggers, the newest first',
  auth: 'agentOrSession',
  query: z.object({ limit: queryInteger(1, 1_000, 1_000), offset: queryInteger(0, 1_000_000_000, 0) }),
  reply: z.object({ triggers: z.array(triggerRecord) }),
  handle: async (context: Pick<Context, 'db' | 'publicUrl'>, { caller, query }) => {
    const found = await context.db
      .select()
      .from(triggers)
      .where(eq(triggers.userId, caller.id))
      .orderBy(desc(triggers.createdAt), desc(triggers.id))
      .limit(query.limit)
      .offset(query.offset);
    return { triggers: found.map((trigger) => toRecord(trigger, context)) };
  },
});
