import { mount } from '@latchkey/http';
import type { Express } from 'express';
import { agentOrSession, agentToken } from './auth/authenticators.ts';
import type { Context } from './context.ts';
import { createPages } from './pages/index.ts';
import { routes } from './routes/index.ts';
import { mapError } from './routes/map-error.ts';

/** Creates the HTTP application. */
export function createApp(context: Context): Express {
  const { config, idempotency, log, metrics } = context;
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
      description: 'Fires runs of actions on webhooks, schedules and chain events.',
    },
    idempotency,
    bodies: config.bodies,
    trustProxy: config.trustProxy,
    metrics,
    pages: createPages(context),
  });
}
