/**
 * A stand-in for Stripe, for tests and local stacks: the API that the Stripe SDK calls, test cards, webhooks, and
 * Stripe.js at `/v3/`. It keeps state and moves no money.
 *
 * Differences from Stripe: every card payment settles within its request (no `processing`, no manual capture);
 * limits of amounts are those of US dollars; confirming needs no `return_url`; concurrent duplicates get the first
 * request's reply instead of a 409; Radar, tax, Connect and other payment methods are not implemented, and their
 * parameters are refused as unknown.
 */
import { join } from 'node:path';
import { listen } from '@latchkey/http';
import cors from 'cors';
import express, { type ErrorRequestHandler } from 'express';
import { type ApiRequest, type Keys, nameRequest, serveApi } from './api.ts';
import type { Backend } from './backend.ts';
import { openControl } from './control.ts';
import { serveControl } from './control-routes.ts';
import { StripeApiError, serverError } from './errors.ts';
import { type Cause, type Emit, NO_CAUSE, newEvent } from './events.ts';
import { openFailures } from './failures.ts';
import { openStore } from './state.ts';
import { openWebhooks, type WebhookEndpoint } from './webhooks.ts';

export type StripeOptions = Keys & {
  /** Default 0: any free port. */
  port?: number;
  host?: string;
  /** Receivers of events; `setEndpoints` replaces them. */
  webhooks?: readonly WebhookEndpoint[];
  /** File of the state. Absent: the state is not kept. */
  file?: string;
};

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;

/** Starts the stand-in. Rejects when the port is in use, or when `file` has another content. */
export async function startStripe(options: StripeOptions) {
  const { secretKey, publishableKey, port = 0, host } = options;
  const store = openStore(options.file);
  const { state, save } = store;
  const webhooks = openWebhooks(store, options.webhooks ?? []);
  const failures = openFailures();
  const requests: ApiRequest[] = [];
  let url = '';

  const later = (effect: () => void): void => {
    setImmediate(() => {
      effect();
      void save();
    });
  };
  const backendFor = (cause: Cause): Backend => {
    const emit: Emit = (type, object, previous) => {
      const event = newEvent(cause, webhooks.endpoints().length, type, object, previous);
      state.events.set(event.id, event);
      webhooks.accept(event);
    };
    return { state, emit, url: () => url, later };
  };
  const control = openControl(store, backendFor(NO_CAUSE));

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'extended');
  app.use(cors({ exposedHeaders: ['Request-Id', 'Idempotent-Replayed'] }), nameRequest);
  app.get('/health', (_req, res) => {
    res.json({ ok: true });
  });
  app.get('/v3/', (_req, res) => res.sendFile(join(import.meta.dirname, 'stripe-js.js')));
  serveApi(app, {
    secretKey,
    publishableKey,
    store,
    failures,
    backendFor,
    onRequest: (request) => requests.push(request),
  });
  serveControl(app, { secretKey, publishableKey, state, control, failures, webhooks, requests });
  app.use(((error, _req, res, _next) => {
    const known = error instanceof StripeApiError ? error : serverError();
    if (known !== error) console.error(error);
    res.status(known.status).json({ error: known.error });
  }) satisfies ErrorRequestHandler);

  const listening = await listen(app, port, host);
  url = listening.url;
  webhooks.resume();

  const close = async (): Promise<void> => {
    await listening.close();
    await webhooks.close();
    await save();
  };
  return {
    /** `http://host:port`: host, port and protocol are settings of the SDK. */
    url,
    port: listening.port,
    /** All API requests so far, also failed ones. */
    requests,
    /** All deliveries so far. */
    attempts: webhooks.attempts,
    ...control,
    failNext: failures.plan,
    held: webhooks.held,
    setEndpoints: webhooks.setEndpoints,
    setDelivery: webhooks.setDelivery,
    deliver: webhooks.deliver,
    flush: webhooks.flush,
    idle: webhooks.idle,
    close,
    [Symbol.asyncDispose]: close,
  };
}
