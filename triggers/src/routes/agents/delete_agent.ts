import { notFound } from '@latchkey/http';
import { z } from 'zod';
import { agentId, revokeAgent } from '../../auth/agents.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const deleteAgent = defineRoute({
  method: 'DELETE',
  path: '/api/agents/:id',
  tag: 'agents',
  summary: 'Revokes an agent',
  description: 'Its token gets 401 immediately. For people: the token of an agent gets 403.',
  auth: 'session',
  params: z.object({ id: agentId }),
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { params, caller }) => {
    if (!(await revokeAgent(db, params.id, caller.id)))
      throw notFound('Agent not found.', { fix: 'Find the agents with GET /api/agents.' });
    return { success: true as const };
  },
});
