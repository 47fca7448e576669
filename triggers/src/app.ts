import { createRequestTurns, mount } from '@latchkey/http';
import type { Express } from 'express';
import type { Context } from './context.ts';
import { apiInfo, authenticators } from './openapi.ts';
import { createPages } from './pages/index.ts';
import { routes } from './routes/index.ts';
import { mapError } from './routes/map-error.ts';

export function createApp(context: Context): Express {
  const { config, idempotency, log, metrics } = context;
  return mount({
    routes,
    context,
    authenticators,
    mapError,
    log,
    prefix: '/api',
    api: apiInfo,
    takeTurn: createRequestTurns<{ id: string } | string>({
      poolSize: config.secrets.database.poolSize,
      manyPerSecond: config.busyAccountsPerSecond,
      accountOf: (caller) => (typeof caller === 'string' ? undefined : caller.id),
    }),
    idempotency,
    bodies: config.bodies,
    trustProxy: config.trustProxy,
    metrics,
    pages: createPages(context),
  });
}
