import { live as liveRoute, partHealth } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const live = defineRoute(liveRoute);

export const ready = defineRoute({
  method: 'GET',
  path: '/ready',
  tag: 'service',
  summary: 'Returns 200 while this process can serve requests',
  description:
    'For load balancers: 503 while the chain does not answer, or the database does not answer or takes no writes. The other parts serve some routes only, or are shared by all relayers: they are in `degraded`, and those routes reply 503 themselves.',
  auth: 'none',
  reply: z.object({ ok: z.boolean(), degraded: z.array(z.string()) }),
  statuses: { 503: 'The chain or the database does not work.' },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const parts = await checkHealth();
    const ok = parts.chain.ok && parts.database.ok;
    if (!ok) setStatus(503);
    const degraded = Object.entries(parts)
      .filter(([, part]) => !part.ok || part.degraded)
      .map(([name]) => name);
    return { ok, degraded };
  },
});

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Returns the health of each part',
  description:
    '`key_approvals` are the key nodes that wait: the contract approved a new group of nodes at `since`, and they give it the key at `until` (Unix seconds) unless their operators refuse.',
  auth: 'none',
  reply: z.object({
    ok: z.boolean(),
    chain: partHealth,
    /** The other chains on which wallets send. */
    chains: partHealth,
    indexer: partHealth,
    database: partHealth,
    runtime: partHealth,
    payers: partHealth,
    keys: partHealth,
    /** Unix seconds of each key node, by its position from 1. */
    key_approvals: z.array(z.object({ node: z.int(), since: z.int(), until: z.int() })),
  }),
  statuses: { 503: 'A part is unhealthy.' },
  handle: async ({ checkHealth, keyNodes }: Pick<Context, 'checkHealth' | 'keyNodes'>, { setStatus }) => {
    const [parts, waiting] = await Promise.all([checkHealth(), keyNodes.waiting()]);
    const ok = Object.values(parts).every((state) => state.ok);
    if (!ok) setStatus(503);
    return {
      ok,
      ...parts,
      key_approvals: waiting.map(({ node, sinceSec, untilSec }) => ({
        node,
        since: sinceSec,
        until: untilSec,
      })),
    };
  },
});
