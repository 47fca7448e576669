import { partHealth } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Returns the health of each part',
  auth: 'none',
  reply: z.object({
    ok: z.boolean(),
    chain: partHealth,
    indexer: partHealth,
    database: partHealth,
    runtime: partHealth,
    payers: partHealth,
    keys: partHealth,
  }),
  statuses: { 503: 'A part is unhealthy.' },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const parts = await checkHealth();
    const ok = Object.values(parts).every((state) => state.ok);
    if (!ok) setStatus(503);
    return { ok, ...parts };
  },
});
