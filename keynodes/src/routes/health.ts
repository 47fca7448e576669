import { partHealth } from '@latchkey/http';
import { serviceVersion } from '@latchkey/service/versions';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { ConsentView } from '../dealing/consent.ts';
import { defineRoute } from './define-route.ts';

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Returns the health of each part',
  description:
    '`approval` is what the node does with the group that the contract approves: whether its operator has accepted or refused it, or the node still waits, how long, and since which Unix time. It is null when the chain does not say.',
  auth: 'none',
  reply: z.object({
    status: z.enum(['ok', 'behind', 'down']),
    version: z.string(),
    chain: partHealth,
    block: partHealth,
    code: partHealth,
    share: partHealth,
    requests: partHealth,
    approval: z
      .object({
        state: z.enum(['none', 'accepted', 'refused', 'waiting', 'due']),
        remaining_sec: z.int(),
        since_sec: z.int().nullable(),
      })
      .nullable(),
  }),
  statuses: {
    503:
      'The chain does not answer, the code of the contract is not the pinned one, the node has no share of the published group, or it was started within the last two seconds. ' +
      'Or the node is behind: its newest block is too old or ahead of its clock, or its RPC endpoints disagree or are of another chain.',
  },
  handle: async ({ checkHealth, approval }: Pick<Context, 'checkHealth' | 'approval'>, { setStatus }) => {
    const [parts, approved] = await Promise.all([checkHealth(), approval().catch(() => undefined)]);
    const isOk = Object.values(parts).every(({ ok }) => ok);
    if (!isOk) setStatus(503);
    const isBehind = parts.chain.ok && !parts.block.ok;
    return {
      status: isOk ? 'ok' : isBehind ? 'behind' : 'down',
      version: serviceVersion,
      ...parts,
      approval: viewOf(approved),
    } as const;
  },
});

const viewOf = (found?: ConsentView) =>
  found ? { state: found.state, remaining_sec: found.remainingSec, since_sec: found.sinceSec } : null;
