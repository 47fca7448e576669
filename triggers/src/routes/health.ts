import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

const part = z.object({ ok: z.boolean(), detail: z.string().optional() });

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Reports the health of each part',
  auth: 'none',
  reply: z.object({ database: part, core: part }),
  statuses: { 503: 'At least one part is unhealthy.' },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const health = await checkHealth();
    if (!Object.values(health).every(({ ok }) => ok)) setStatus(503);
    return health;
  },
});
