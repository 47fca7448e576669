import { mount } from '@latchkey/http';
import type { Express } from 'express';
import { agentOrSession, agentToken } from './auth/authenticators.ts';
import type { Context } from './context.ts';
import { createPages } from './pages/index.ts';
import { routes } from './routes/index.ts';

/** Code that is larger is registered as an action, and its CID given. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** The HTTP application over a context. */
export function createApp(context: Context): Express {
  const { config, log, metrics } = context;
  return mount({
    routes,
    context,
    authenticators: { agentToken, agentOrSession },
    log,
    prefix: '/api',
    api: {
      title: 'Trigger service',
      version: '0.1.0',
      description: 'Webhooks, schedules and chain events that fire runs of actions.',
    },
    bodyLimitBytes: BODY_LIMIT_BYTES,
    trustProxy: config.trustProxy,
    metrics,
    pages: createPages(context),
  });
}
