import { z } from 'zod';
import { defineRoute } from './define-route.ts';

export const me = defineRoute({
  method: 'GET',
  path: '/api/me',
  tag: 'agents',
  summary: 'Reads the account and label of a token or session',
  description: 'Replies 401 when the agent must be paired again.',
  auth: 'agentOrSession',
  reply: z.object({ id: z.string(), account: z.string(), label: z.string() }),
  errors: ['service_unavailable'],
  handle: (_context: unknown, { caller }) => caller,
});
