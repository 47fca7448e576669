import { z } from 'zod';
import { closeSession } from '../../auth/sessions.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const logout = defineRoute({
  method: 'POST',
  path: '/api/logout',
  tag: 'login',
  summary: 'Ends the login of the request',
  auth: 'session',
  reply: z.object({ success: z.literal(true) }),
  errors: ['service_unavailable'],
  example: { reply: { success: true } },
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) => {
    await closeSession(db, caller.tokenHash);
    return { success: true as const };
  },
});
