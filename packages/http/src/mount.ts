import { randomUUID } from 'node:crypto';
import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Authenticator } from './authenticator.ts';
import { type BodyLimits, createBodyBudget, DEFAULT_BODY_LIMITS } from './body-budget.ts';
import { notFound } from './errors.ts';
import type { IdempotencyStore } from './idempotency.ts';
import { measureRequests } from './metrics.ts';
import { type ApiInfo, openapiDocument } from './openapi.ts';
import { type Locals, pipeline, sendError } from './pipeline.ts';
import { closeAfterUnreadBody } from './receive-body.ts';
import type { AnyRoute, CallerOf, ContextOf } from './route.ts';
import { swaggerUi } from './swagger-ui.ts';

export type MountOptions<Context, Routes extends readonly AnyRoute[]> = {
  routes: Routes;
  context: Context;
  authenticators: {
    [Auth in Exclude<Routes[number]['auth'], 'none'>]: Authenticator<Context, CallerOf<Routes[number], Auth>>;
  };
  log: Logger;
  /** Where `openapi.json` and `swagger-ui` are served, for example `/core/v1`. */
  prefix: string;
  api: ApiInfo;
  /** Says in the API description that routes with a caller take `X-Min-Block`: the service reads a chain. */
  minBlock?: true;
  /** Without a store no route takes `Idempotency-Key`. */
  idempotency?: IdempotencyStore;
  /** Of bodies larger than 64 KiB, all routes together. */
  bodies?: BodyLimits;
  /** Express' `trust proxy`: which peers may name the client's address. Nobody when absent. */
  trustProxy?: boolean | number | string;
  /** Served as `/metrics`; give one to add metrics of your own. */
  metrics?: Registry;
  /** Pages of the service itself, which may know their visitors by cookies: other origins are not let in. */
  pages?: RequestHandler;
};

/**
 * The Express application of a service: request ids, security headers, log, metrics, each route through its pipeline,
 * the API description, and the one error body for everything else.
 */
export function mount<Context extends ContextOf<Routes[number]>, const Routes extends readonly AnyRoute[]>(
  options: MountOptions<Context, Routes>,
): Express {
  const {
    routes,
    context,
    log,
    prefix,
    api,
    minBlock = false,
    idempotency,
    bodies = DEFAULT_BODY_LIMITS,
    trustProxy = false,
    metrics = new Registry(),
    pages,
  } = options;
  const authenticators = options.authenticators as unknown as Record<string, Authenticator<unknown, unknown>>;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', trustProxy);

  app.use(identify(log), secure, closeAfterUnreadBody, logRequests, measureRequests(metrics));
  if (pages) app.use(pages);
  app.use(openToBrowsers(routes));
  app.get('/metrics', async (_req, res) => {
    res.type(metrics.contentType).send(await metrics.metrics());
  });

  const bodyBudget = createBodyBudget(bodies);
  const methodsOf = new Map<string, string[]>();
  for (const route of routes) {
    const authenticator = route.auth === 'none' ? undefined : authenticators[route.auth];
    if (route.auth !== 'none' && !authenticator)
      throw new Error(`no authenticator ${route.auth} for ${route.path}`);
    const method = route.method.toLowerCase() as Lowercase<AnyRoute['method']>;
    app[method](route.path, pipeline({ route, context, authenticator, idempotency, bodyBudget }));
    methodsOf.set(route.path, [...(methodsOf.get(route.path) ?? []), route.method]);
  }

  const document = openapiDocument(routes, {
    ...api,
    authenticators,
    minBlock,
    idempotency: idempotency !== undefined,
  });
  app.get(`${prefix}/openapi.json`, (_req, res) => {
    res.json(document);
  });
  app.use(swaggerUi(`${prefix}/swagger-ui`, 'openapi.json', api.title));

  for (const [path, methods] of methodsOf)
    app.all(path, (req) => {
      throw notFound('There is no such endpoint.', {
        fix: `Use ${methods.join(' or ')} instead of ${req.method}.`,
      });
    });
  app.use(() => {
    throw notFound('There is no such endpoint.', { fix: `${prefix}/openapi.json lists all endpoints.` });
  });
  app.use(((error, _req, res, _next) => sendError(res, error)) satisfies ErrorRequestHandler);
  return app;
}

/** A request id of our own on every reply, and the client's correlation id when it is short and printable. */
function identify(log: Logger): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID();
    (res.locals as Locals).requestId = requestId;
    (res.locals as Locals).log = log.child({ request_id: requestId });
    res.set('X-Request-Id', requestId);
    const correlationId = req.get('X-Correlation-Id');
    if (correlationId !== undefined && /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/.test(correlationId))
      res.set('X-Correlation-Id', correlationId);
    next();
  };
}

const secure: RequestHandler = (_req, res, next) => {
  res.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  });
  next();
};

/**
 * Pages of every origin may call, without cookies: with `*` a browser keeps replies to requests with cookies from other
 * origins. Replies of routes that set headers are readable with them.
 */
function openToBrowsers(routes: readonly AnyRoute[]): RequestHandler {
  const own = routes.flatMap(({ replyHeaders = {} }) => Object.keys(replyHeaders));
  return cors({
    exposedHeaders: [...new Set(['X-Request-Id', 'X-Correlation-Id', 'Retry-After', ...own])],
    maxAge: 86_400,
  });
}

const logRequests: RequestHandler = (req, res, next) => {
  const startMs = performance.now();
  res.once('close', () => {
    const { log, errorCode, routePath } = res.locals as Locals;
    log.info(
      {
        method: req.method,
        route: routePath ?? 'other',
        status: res.writableFinished ? res.statusCode : 'aborted',
        ...(errorCode === undefined ? {} : { error: errorCode }),
        duration_ms: Math.round(performance.now() - startMs),
      },
      'request',
    );
  });
  next();
};
