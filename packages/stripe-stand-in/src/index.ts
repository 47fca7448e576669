/**
 * A stand-in for Stripe, for tests and local stacks: the part of the API that the product calls, test cards, webhooks,
 * and Stripe.js at `/v3/`. It keeps state and moves no money. Objects have the fields that the product reads.
 */
import { join } from 'node:path';
import { listen } from '@latchkey/http';
import cors from 'cors';
import express, { type ErrorRequestHandler } from 'express';
import { type Keys, serveApi } from './api.ts';
import { openControl } from './control.ts';
import { serveControl } from './control-routes.ts';
import { StripeApiError, serverError } from './errors.ts';
import { openFailures } from './failures.ts';
import { type Backend, openStore } from './state.ts';
import { openWebhooks, type WebhookEndpoint } from './webhooks.ts';

export type StripeOptions = Keys & {
  /** Default 0: any free port. */
  port?: number;
  host?: string;
  /** Receiver of events; `setEndpoint` replaces it. */
  webhook?: WebhookEndpoint;
  /** File of the state. Absent: the state is not kept. */
  file?: string;
};

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;

/** Starts the stand-in. Rejects when the port is in use, or when `file` has another content. */
export async function startStripe({ port = 0, host, webhook, file, ...keys }: StripeOptions) {
  const store = openStore(file);
  const { emit, close: closeWebhooks, ...webhooks } = openWebhooks(webhook);
  const failures = openFailures();
  let url = '';
  const backend: Backend = { state: store.state, emit, url: () => url };
  const control = openControl(store, backend);

  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'extended');
  app.use(cors());
  app.get('/health', (_req, res) => {
    res.json({ ok: true });
  });
  app.get('/v3/', (_req, res) => res.sendFile(join(import.meta.dirname, 'stripe-js.js')));
  serveApi(app, { ...keys, store, failures, backend });
  serveControl(app, { ...keys, state: store.state, control });
  app.use(((error, _req, res, _next) => {
    const known = error instanceof StripeApiError ? error : serverError();
    if (known !== error) console.error(error);
    res.status(known.status).json({ error: known.error });
  }) satisfies ErrorRequestHandler);

  const listening = await listen(app, port, host);
  url = listening.url;
  const close = async (): Promise<void> => {
    await listening.close();
    await closeWebhooks();
    await store.save();
  };
  return {
    /** `http://host:port`: host, port and protocol are settings of the SDK. */
    url,
    port: listening.port,
    ...control,
    ...webhooks,
    failNext: failures.plan,
    close,
    [Symbol.asyncDispose]: close,
  };
}
