/** Turns an HTTP request into the reply: key, planned failure, idempotency, effect. */
import { timingSafeEqual } from 'node:crypto';
import express, { type Express, type Request, type Response } from 'express';
import { StripeApiError, serverError } from './errors.ts';
import type { Failures } from './failures.ts';
import { once, type Reply } from './idempotency.ts';
import { type Route, routes } from './routes.ts';
import type { Backend, Store } from './state.ts';

export type Keys = { secretKey: string; publishableKey: string };
type Caller = 'publishable' | 'secret';

export type ApiOptions = Keys & { store: Store; failures: Failures; backend: Backend };

export function serveApi(app: Express, options: ApiOptions): void {
  const forms = express.urlencoded({ extended: true });
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
  const { failures, store, backend } = options;
  const params: Record<string, unknown> = { ...req.query, ...req.body };
  const caller = authenticate(options, req.get('Authorization'));
  if (caller === 'publishable' && !(route.isForPayers && typeof params.client_secret === 'string'))
    throw secretKeyRequired();
  const failure = failures.take(req);
  if (failure === 'server_error') throw serverError();
  const run = route.prepare(params, String(req.params.id));
  const execute = (): Reply => executeReply(() => structuredClone(run(backend)), caller);
  const key = req.get('Idempotency-Key');
  const reply =
    key === undefined || route.method === 'get'
      ? execute()
      : once(store.state, { key: `${caller} ${key}`, path: req.path, params }, execute);
  if (route.method === 'post') await store.save();
  if (failure === 'lost_reply') req.socket.destroy();
  else res.status(reply.status).json(reply.body);
}

function executeReply(execute: () => object, caller: Caller): Reply {
  try {
    const body = execute();
    return { status: 200, body: caller === 'publishable' ? payersView(body) : body };
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    const { payment_intent, ...shown } = error.error;
    const isSeller = caller === 'secret' && payment_intent !== undefined;
    const body = isSeller ? { ...shown, payment_intent: structuredClone(payment_intent) } : shown;
    return { status: error.status, body: { error: body } };
  }
}

/** Returns an intent without the fields that a publishable key cannot read. */
function payersView(intent: object): object {
  const { amount_received, customer, latest_charge, metadata, ...shown } = intent as Record<string, unknown>;
  return shown;
}

/** Returns the caller. Throws the 401 of a missing or unknown key. */
export function authenticate({ secretKey, publishableKey }: Keys, authorization = ''): Caller {
  const isKey = (key: string) => {
    const [given, expected] = [Buffer.from(authorization), Buffer.from(`Bearer ${key}`)];
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  if (isKey(secretKey)) return 'secret';
  if (isKey(publishableKey)) return 'publishable';
  throw new StripeApiError(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });
}

export function secretKeyRequired(): StripeApiError {
  return new StripeApiError(403, {
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
  });
}
