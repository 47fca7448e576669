import { live as liveRoute, partHealth } from '@latchkey/http';
import { serviceVersion } from '@latchkey/service/versions';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const live = defineRoute(liveRoute);

export const ready = defineRoute({
  method: 'GET',
  path: '/ready',
  tag: 'service',
  summary: 'Returns 200 while this process can accept events',
  description: 'For load balancers: 503 while the database does not answer or takes no writes.',
  auth: 'none',
  reply: z.object({ ok: z.boolean() }),
  statuses: { 503: 'The database does not work.' },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const { ok } = (await checkHealth()).database;
    if (!ok) setStatus(503);
    return { ok };
  },
});

export const health = defineRoute({
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Returns the health of each part',
  description: '`degraded` while the relayer cannot run actions: events are accepted, and their runs wait.',
  auth: 'none',
  reply: z.object({
    status: z.enum(['ok', 'degraded', 'down']),
    version: z.string(),
    database: partHealth,
    core: partHealth,
    chains: partHealth,
  }),
  statuses: { 503: 'The database does not answer.' },
  handle: async ({ checkHealth }: Pick<Context, 'checkHealth'>, { setStatus }) => {
    const { database, core, chains } = await checkHealth();
    if (!database.ok) setStatus(503);
    const isWhole = core.ok && !chains.degraded;
    const status = !database.ok ? 'down' : isWhole ? 'ok' : 'degraded';
    return { status, version: serviceVersion, database, core, chains } as const;
  },
});
