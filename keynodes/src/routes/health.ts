import { partHealth } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Returns the health of each part',
  auth: 'none',
  reply: z.object({
    status: z.enum(['ok', 'down']),
    chain: partHealth,
    share: partHealth,
    requests: partHealth,
  }),
  statuses: {
    503: 'The chain does not answer, the node has no share of the published group, or it was started within the last two seconds.',
  },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const { chain, share, requests } = await checkHealth();
    const isOk = chain.ok && share.ok && requests.ok;
    if (!isOk) setStatus(503);
    return { status: isOk ? 'ok' : 'down', chain, share, requests } as const;
  },
});
