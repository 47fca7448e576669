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
    status: z.enum(['ok', 'behind', 'down']),
    chain: partHealth,
    block: partHealth,
    share: partHealth,
    requests: partHealth,
  }),
  statuses: {
    503:
      'The chain does not answer, the node has no share of the published group, or it was started within the last two seconds. ' +
      'Or the node is behind: its newest block is too old or ahead of its clock, or its RPC endpoints disagree or are of another chain.',
  },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const parts = await checkHealth();
    const isOk = Object.values(parts).every(({ ok }) => ok);
    if (!isOk) setStatus(503);
    const isBehind = parts.chain.ok && !parts.block.ok;
    return { status: isOk ? 'ok' : isBehind ? 'behind' : 'down', ...parts } as const;
  },
});
