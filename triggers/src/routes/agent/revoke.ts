import { unauthorized } from '@latchkey/http';
import { z } from 'zod';
import { revokeAgent } from '../../auth/agents.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const revoke = defineRoute({
  method: 'POST',
  path: '/agent/revoke',
  tag: 'agents',
  summary: 'Revokes the token of the request',
  auth: 'agentToken',
  reply: z.object({ success: z.literal(true) }),
  example: { reply: { success: true } },
  handle: async ({ db }: Pick<Context, 'db'>, { caller: tokenHash }) => {
    if (!(await revokeAgent(db, tokenHash))) throw unauthorized('The token is not paired.');
    return { success: true as const };
  },
});
