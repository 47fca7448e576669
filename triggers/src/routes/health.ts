import { partHealth } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Returns the health of each part',
  description: '`degraded` while the relayer cannot run actions: events are accepted, and their runs wait.',
  auth: 'none',
  reply: z.object({ status: z.enum(['ok', 'degraded', 'down']), database: partHealth, core: partHealth }),
  statuses: { 503: 'The database does not answer.' },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const { database, core } = await checkHealth();
    if (!database.ok) setStatus(503);
    const status = !database.ok ? 'down' : core.ok ? 'ok' : 'degraded';
    return { status, database, core } as const;
  },
});
