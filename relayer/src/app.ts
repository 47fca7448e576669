import { createRequestTurns, mount } from '@latchkey/http';
import { protocols } from '@latchkey/service/versions';
import type { Express } from 'express';
import { authenticators, type KeyHolder } from './auth/authenticators.ts';
import type { Context } from './context.ts';
import { apiInfo } from './openapi.ts';
import { requests } from './routes/accounts/requests.ts';
import { prefix } from './routes/define-route.ts';
import { routes } from './routes/index.ts';
import { mapError } from './routes/map-error.ts';

export function createApp(context: Context): Express {
  const { config, idempotency, log, metrics, requestLog, version } = context;
  return mount({
    routes,
    context,
    authenticators,
    mapError,
    log,
    prefix,
    api: { ...apiInfo, version: version.version },
    protocol: protocols.relayer,
    awaitBlock: context.awaitBlock,
    takeTurn: createRequestTurns<KeyHolder & { account?: bigint }>({
      poolSize: config.secrets.database.poolSize,
      manyPerSecond: config.payers.manyPerSecond,
      accountOf: ({ account }) => account,
      activity: context.activity,
    }),
    idempotency,
    trustProxy: config.trustProxy,
    metrics,
    bodies: config.bodies,
    // A list that is watched would fill itself.
    onEnd: (ended) => ended.route === requests.path || requestLog.add(ended),
  });
}
