/** Turns an HTTP request into the reply: key, planned failure, idempotency, effect. */
import { timingSafeEqual } from 'node:crypto';
import express, { type Express, type Request, type Response } from 'express';
import Stripe from 'stripe';
import type { Backend } from './backend.ts';
import {
  invalidParameter,
  rateLimited,
  StripeApiError,
  secretKeyRequired,
  serverError,
  unauthorized,
} from './errors.ts';
import type { Cause } from './events.ts';
import type { FailureKind, Failures } from './failures.ts';
import { executeReply, once, type Reply } from './idempotency.ts';
import { newId } from './ids.ts';
import { expand, payersView } from './replies.ts';
import { type Route, routes } from './routes.ts';
import type { Store } from './state.ts';

export type Keys = { secretKey: string; publishableKey: string };
type Caller = 'publishable' | 'secret';

export type ApiRequest = { method: string; path: string; idempotencyKey: string | null };

export type ApiOptions = Keys & {
  store: Store;
  failures: Failures;
  /** Returns the backend of a request with this cause. */
  backendFor: (cause: Cause) => Backend;
  onRequest: (request: ApiRequest) => void;
};

export function serveApi(app: Express, options: ApiOptions): void {
  const forms = express.urlencoded({ extended: true, limit: '1mb' });
  for (const route of routes)
    app[route.method](route.path, forms, (req, res) => serve(options, route, req, res));
  app.all('/v1/{*path}', (req) => {
    throw new StripeApiError(404, {
      type: 'invalid_request_error',
      message: `Unrecognized request URL (${req.method}: ${req.path}).`,
    });
  });
}

async function serve(options: ApiOptions, route: Route, req: Request, res: Response): Promise<void> {
  const requestId = String(res.getHeader('Request-Id'));
  const idempotencyKey = req.get('Idempotency-Key') ?? null;
  options.onRequest({ method: req.method, path: req.path, idempotencyKey });
  const { key: keyParam, ...params }: Record<string, unknown> = { ...req.query, ...req.body };
  const caller = authenticate(options, req.get('Authorization') ?? (keyParam && `Bearer ${keyParam}`));
  const version = req.get('Stripe-Version') ?? Stripe.API_VERSION;
  if (version !== Stripe.API_VERSION)
    throw invalidParameter(`Invalid Stripe API version: ${version}. It is ${Stripe.API_VERSION} here.`, {});
  res.set('Stripe-Version', version);
  if (caller === 'publishable' && !(route.isForPayers && typeof params.client_secret === 'string'))
    throw secretKeyRequired();
  const failure = options.failures.take(req);
  if (failure === 'rate_limit') throw rateLimited();
  if (failure === 'server_error') throw serverError();

  const cause = { requestId, idempotencyKey };
  const execute = () =>
    executeRoute(options, route, { cause, caller, params, id: String(req.params.id), failure });
  let reply: Reply & { original?: string };
  if (idempotencyKey === null || route.method === 'get') reply = execute();
  else {
    const keyed = { key: idempotencyKey, caller, path: req.path, params, requestId };
    reply = once(options.store.state, keyed, execute);
    res.set('Idempotency-Key', idempotencyKey);
  }
  if (reply.original !== undefined)
    res.set({ 'Idempotent-Replayed': 'true', 'Original-Request': reply.original });
  if (route.method === 'post') await options.store.save();
  if (failure === 'lost_reply') req.socket.destroy();
  else res.status(reply.status).json(reply.body);
}

type Execution = {
  cause: Cause;
  caller: Caller;
  params: Record<string, unknown>;
  id: string;
  failure: FailureKind | undefined;
};

function executeRoute(options: ApiOptions, route: Route, execution: Execution): Reply {
  const { cause, caller, params, id, failure } = execution;
  const { expand: paths } = route.read(params);
  const backend = options.backendFor(cause);
  const reply = executeReply(() => expand(backend.state, route.run(backend, params, id), paths));
  if (failure === 'server_error_after_effect') return { status: 500, body: { error: serverError().error } };
  return caller === 'publishable' ? { ...reply, body: asPayerSees(reply.body) } : reply;
}

function asPayerSees(body: object): object {
  if (!('error' in body)) return payersView(body);
  const { payment_intent: intent, ...error } = body.error as StripeApiError['error'];
  return { error: intent ? { ...error, payment_intent: payersView(intent) } : error };
}

/** Returns the caller. Throws the 401 of a missing or unknown key. */
export function authenticate({ secretKey, publishableKey }: Keys, authorization: unknown): Caller {
  const key = parseKey(String(authorization ?? ''));
  if (key === '')
    throw unauthorized('You did not provide an API key. Use the Authorization header, with Bearer auth.');
  if (isSame(key, secretKey)) return 'secret';
  if (isSame(key, publishableKey)) return 'publishable';
  throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`);
}

function parseKey(authorization: string): string {
  const [scheme = '', credentials = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() === 'basic')
    return Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '';
  return '';
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Gives every reply an id. */
export function nameRequest(_req: Request, res: Response, next: () => void): void {
  res.set('Request-Id', newId('req'));
  next();
}
