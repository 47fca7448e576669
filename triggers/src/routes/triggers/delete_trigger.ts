import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { queueUsers, triggers } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { ownTrigger, triggerParams } from './record.ts';

export const deleteTrigger = defineRoute({
  method: 'DELETE',
  path: '/api/triggers/:id',
  tag: 'triggers',
  summary: 'Deletes a trigger and its runs',
  description: 'Does not stop a run that the relayer is already executing.',
  auth: 'agentOrSession',
  params: triggerParams,
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db'>, { params, caller }) => {
    const { id } = await ownTrigger(context, params.id, caller);
    await context.db.transaction(async (tx) => {
      // As a claim does before it changes runs and places in the queue: the two would wait for each other.
      const ofUser = eq(queueUsers.userId, caller.id);
      await tx.select({ userId: queueUsers.userId }).from(queueUsers).where(ofUser).for('no key update');
      await tx.delete(triggers).where(eq(triggers.id, id));
    });
    return { success: true as const };
  },
});
