import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

const part = z.object({ ok: z.boolean() });

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Whether each part works',
  auth: 'none',
  reply: z.object({ database: part, core: part }),
  statuses: { 503: 'A part does not work.' },
  handle: async ({ ping, core }: Pick<Context, 'ping' | 'core'>, { setStatus }) => {
    const works = (check: Promise<unknown>) =>
      check.then(
        () => ({ ok: true }),
        () => ({ ok: false }),
      );
    const [database, coreHealth] = await Promise.all([works(ping()), works(core.ping())]);
    if (!database.ok || !coreHealth.ok) setStatus(503);
    return { database, core: coreHealth };
  },
});
