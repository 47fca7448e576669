import { isTracing } from '@latchkey/service/tracing';
import type { Protocol } from '@latchkey/service/versions';
import cors from 'cors';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Authenticator } from './authenticator.ts';
import { type BodyLimits, createBodyBudget, DEFAULT_BODY_LIMITS } from './body-budget.ts';
import { constantReply } from './constant-replies.ts';
import { notFound } from './errors.ts';
import type { IdempotencyStore } from './idempotency.ts';
import { type EndedRequest, logRequests } from './log-requests.ts';
import { measureRequests } from './metrics.ts';
import { negotiate } from './negotiate.ts';
import { type ApiInfo, openapiDocument } from './openapi.ts';
import { createPace } from './pace.ts';
import { pipeline, sendError, type TurnRequest } from './pipeline.ts';
import type { BadRequestLimit } from './rate-limit.ts';
import { rateLimitReplyHeaders } from './rate-limit-headers.ts';
import { closeAfterUnreadBody } from './receive-body.ts';
import { Locals } from './request-locals.ts';
import type { AnyCaller, AnyRoute, CallerOf, ContextOf } from './route.ts';
import { entrance, swaggerUi } from './swagger-ui.ts';
import { traceRequest } from './trace-request.ts';

export type MountOptions<Context, Routes extends readonly AnyRoute[]> = {
  routes: Routes;
  context: Context;
  authenticators: {
    [Auth in Exclude<Routes[number]['auth'], 'none'>]: Authenticator<Context, CallerOf<Routes[number], Auth>>;
  };
  log: Logger;
  /** Path under which `openapi.json` and `swagger-ui` are served, for example `/core/v1`. */
  prefix: string;
  api: ApiInfo;
  /** The protocol of other parts of Latchkey with this service. A request that offers other versions of it is refused. */
  protocol?: Protocol;
  /**
   * For services that read a chain: resolves when the service has the block of `X-Min-Block`, or rejects with the
   * error.
   */
  awaitBlock?: (block: bigint, ip: string) => Promise<void>;
  /**
   * Maps a domain error of a handler, an authenticator or `awaitBlock` to an `HttpError` and returns any other value
   * unchanged. `caller` is undefined before authentication and on routes without it.
   */
  mapError?: (thrown: unknown, caller: AnyCaller<Routes[number]> | undefined) => unknown;
  /**
   * Resolves to the turn of a request, which is disposed after its reply; undefined for a route that needs none. Rejections are
   * mapped by `mapError`.
   */
  takeTurn?: (
    route: AnyRoute,
    caller: AnyCaller<Routes[number]> | undefined,
    request: TurnRequest,
  ) => Promise<Disposable> | undefined;
  /** When absent, no route accepts `Idempotency-Key`. */
  idempotency?: IdempotencyStore;
  /** Limits for bodies over 64 KiB, shared by all routes. */
  bodies?: BodyLimits;
  /** Express' `trust proxy`: the peers that may set the client's address. Default: no peer. */
  trustProxy?: boolean | number | string;
  /** Refuses every POST of an address that sent too many malformed ones, before its body is read. Handlers can count others. */
  badPostLimit?: BadRequestLimit;
  /** The registry for request counts and durations; `metricsApp` serves it. */
  metrics?: Registry;
  /** Called after each request of a known account, whatever its reply. Must return quickly and not throw. */
  onEnd?: (ended: EndedRequest) => void;
  /** HTML pages of the service, which may use cookies: CORS does not apply to them. */
  pages?: RequestHandler;
};

/**
 * Returns the Express application of a service: request ids, security headers, log, metrics, the pipeline of each
 * route, the API description, and the error body for all other requests.
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
    awaitBlock,
    mapError = (thrown: unknown) => thrown,
    takeTurn = () => undefined,
    idempotency,
    bodies = DEFAULT_BODY_LIMITS,
    trustProxy = false,
    badPostLimit,
    metrics = new Registry(),
    pages,
  } = options;
  const authenticators = options.authenticators as unknown as Record<string, Authenticator<unknown, unknown>>;
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.enable('case sensitive routing').enable('strict routing');
  app.set('trust proxy', trustProxy);
  if (isTracing()) app.use(traceRequests);
  const logged = logRequests(log, options.onEnd);
  app.use(prepareAll(identify(log), secure, closeAfterUnreadBody, logged, measureRequests(metrics)));
  if (options.protocol) app.use(negotiate(options.protocol, api.title));
  if (pages) app.use(pages);
  app.use(openToBrowsers(routes));
  if (badPostLimit) app.use(limitBadPosts(badPostLimit));
  // Looked up before Express, which compares a path with each route in turn. Express has these routes too, and answers HEAD with them.
  const handlers = new Map<string, RequestHandler>();
  app.use((req, res, next) => (handlers.get(`${req.method} ${req.path}`) ?? pass)(req, res, next));

  const offers = { minBlock: awaitBlock !== undefined, idempotency: idempotency !== undefined };
  const document = openapiDocument(routes, { ...api, ...offers, authenticators });
  app.get(`${prefix}/openapi.json`, createPace(), constantJson(document));

  const methodsByPath = Map.groupBy(routes, ({ path }) => path);
  const bodyBudget = createBodyBudget(bodies);
  const shared = { context, idempotency, bodyBudget, awaitBlock, mapError, takeTurn };
  for (const route of routes) {
    const authenticator = route.auth === 'none' ? undefined : authenticators[route.auth];
    if (route.auth !== 'none' && !authenticator)
      throw new Error(`no authenticator ${route.auth} for ${route.path}`);
    addRoute(app, handlers, route, pipeline({ ...shared, route, authenticator }));
  }
  app.use(createPace());
  app.use(entrance(prefix, api.title));
  app.use(swaggerUi(`${prefix}/swagger-ui`, 'openapi.json', api.title));

  for (const [path, own] of methodsByPath) app.all(path, refuseMethod(...own.map(({ method }) => method)));
  app.use(() => {
    throw notFound('There is no such endpoint.', { fix: `${prefix}/openapi.json lists all endpoints.` });
  });
  app.use(((error, _req, res, _next) => sendError(res, error)) satisfies ErrorRequestHandler);
  return app;
}

const constantJson = (value: object): RequestHandler =>
  constantReply(() => ({ type: 'json', body: Buffer.from(JSON.stringify(value)) }));

const pass: RequestHandler = (_req, _res, next) => next();

const traceRequests: RequestHandler = (req, res, next) => {
  const describe = () => {
    const { routePath = 'other', errorCode: error } = res.locals as Locals;
    return { route: routePath, error };
  };
  traceRequest(req, res, { address: req.ip ?? '', describe }, next);
};

/** Adds the route to `handlers` too, unless its path has parameters or it has a pace. */
function addRoute(
  app: Express,
  handlers: Map<string, RequestHandler>,
  route: AnyRoute,
  handler: RequestHandler,
): void {
  const method = route.method.toLowerCase() as Lowercase<AnyRoute['method']>;
  // Other requests have other limits. Each route has its own pace, so that a flood of one route delays no health check.
  const isPaced = route.method === 'GET' && route.auth === 'none' && !route.unpaced;
  // Express passes a HEAD to the handler of GET, which has an effect when it has a price.
  if (route.method === 'GET' && route.price) app.head(route.path, refuseMethod('GET'));
  app[method](route.path, ...(isPaced ? [createPace(), handler] : [handler]));
  if (!isPaced && !route.path.includes(':')) handlers.set(`${route.method} ${route.path}`, handler);
}

function refuseMethod(...methods: string[]): RequestHandler {
  return (req) => {
    throw notFound('There is no such endpoint.', {
      fix: `Use ${methods.join(' or ')} instead of ${req.method}.`,
    });
  };
}

/** Statuses of requests that are malformed, too long, or of an unknown path. */
const malformed = new Set([400, 404, 413, 422]);

function limitBadPosts(limit: BadRequestLimit): RequestHandler {
  return (req, res, next) => {
    if (req.method !== 'POST') return next();
    const { ip } = res.locals as Locals;
    res.once('finish', () => {
      if (malformed.has(res.statusCode)) limit.count(ip);
    });
    limit.check(ip).then(() => next(), next);
  };
}

/** Prepares a request and its reply. */
type Preparation = (req: Request, res: Response) => void;

/** All steps in one handler: each handler that Express calls costs about 3 µs. */
const prepareAll =
  (...preparations: Preparation[]): RequestHandler =>
  (req, res, next) => {
    for (const prepare of preparations) prepare(req, res);
    next();
  };

/** Sets a new request id on every reply, and logs and echoes the client's correlation id when it is short and printable. */
function identify(log: Logger): Preparation {
  return (req, res) => {
    const locals = new Locals(req, res, log);
    res.locals = locals;
    res.setHeader('X-Request-Id', locals.requestId);
    const correlationId = req.get('X-Correlation-Id');
    if (correlationId === undefined || !/^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/.test(correlationId))
      return;
    locals.correlationId = correlationId;
    res.set('X-Correlation-Id', correlationId);
  };
}

const securityHeaders = new Map([
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]);

const secure: Preparation = (req, res) => {
  // Replies are not cached, but for constant ones: Express would answer 304 to `If-None-Match: *`, also to a request that had an effect.
  if (req.headers['if-none-match'] !== undefined) delete req.headers['if-none-match'];
  res.setHeaders(securityHeaders);
};

/**
 * CORS: any origin, no credentials. With `*` a browser hides replies to requests with cookies from other origins.
 * Headers that routes set are readable.
 */
function openToBrowsers(routes: readonly AnyRoute[]): RequestHandler {
  const own = routes.flatMap(({ replyHeaders = {} }) => Object.keys(replyHeaders));
  const readable = [
    ...new Set([
      'X-Request-Id',
      'X-Correlation-Id',
      'Retry-After',
      ...Object.keys(rateLimitReplyHeaders),
      ...own,
    ]),
  ].join();
  const preflight = cors({ maxAge: 86_400 });
  const headers = new Map([
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Expose-Headers', readable],
  ]);
  return (req, res, next) => {
    if (req.method === 'OPTIONS') return preflight(req, res, next);
    res.setHeaders(headers);
    next();
  };
}
