import { mount } from '@latchkey/http';
import type { Express } from 'express';
import { agentOrSession, agentToken } from './auth/authenticators.ts';
import type { Context } from './context.ts';
import { createPages } from './pages/index.ts';
import { routes } from './routes/index.ts';
import { mapError } from './routes/map-error.ts';

/** The HTTP application over a context. */
export function createApp(context: Context): Express {
  const { config, log, metrics } = context;
  return mount({
    routes,
    context,
    authenticators: { agentToken, agentOrSession },
    mapError,
    log,
    prefix: '/api',
    api: {
      title: 'Trigger service',
      version: '0.1.0',
      description: 'Webhooks, schedules and chain events that fire runs of actions.',
    },
    bodies: config.bodies,
    trustProxy: config.trustProxy,
    metrics,
    pages: createPages(context),
  });
}
