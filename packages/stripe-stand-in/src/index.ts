/**
 * A stand-in for Stripe, for tests and local stacks: the wire API that the Stripe SDK calls, test cards, webhooks. It
 * keeps state and takes no money.
 *
 * Where it differs from Stripe: every card payment is settled within its request (no `processing`, no manual capture);
 * limits of amounts are those of US dollars; confirming needs no `return_url`; duplicates at the same time get the
 * first one's reply instead of a 409; Radar, tax, Connect and other kinds of payment are not here, and their parameters
 * are refused as unknown.
 */
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
  /** 0, the default, is any free port. */
  port?: number;
  host?: string;
  /** Where events go; `setEndpoints` changes it later. */
  webhooks?: readonly WebhookEndpoint[];
  /** Where the state is kept. Absent: nowhere. */
  file?: string;
};

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;

/** Rejects when the port cannot be had, or when `file` holds something else. */
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
    /** Every request to the API so far, failed ones too. */
    requests,
    /** Every delivery so far. */
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
