import { z } from 'zod';
import { defineRoute } from './define-route.ts';

export const me = defineRoute({
  method: 'GET',
  path: '/api/me',
  tag: 'agents',
  summary: 'Who the token belongs to',
  description: '401 says that pairing has to be repeated.',
  auth: 'agentOrSession',
  reply: z.object({ id: z.string(), account: z.string(), label: z.string() }),
  errors: ['service_unavailable'],
  handle: (_context: unknown, { caller }) => caller,
});
