/**
 * `/_control`: the control methods over HTTP with the secret key, as JSON. `/3d_secure/:id`: the page of the payer's
 * bank, with the client secret of the intent.
 */
import express, { type Express, type Request, type Response } from 'express';
import { z } from 'zod';
import { authenticate, type Keys } from './api.ts';
import type { Control } from './control.ts';
import { resourceMissing, secretKeyRequired } from './errors.ts';
import type { Failures } from './failures.ts';
import { readParams } from './params.ts';
import type { PaymentIntent, State } from './state.ts';
import type { Webhooks } from './webhooks.ts';

export type ControlParts = Keys & {
  state: State;
  control: Control;
  failures: Failures;
  webhooks: Webhooks;
  requests: readonly object[];
};

const text = z.string().min(1);
const disputeRequest = z.strictObject({
  of: text,
  amount: z.int().exactOptional(),
  reason: text.exactOptional(),
  isInquiry: z.boolean().exactOptional(),
});
const resolution = z.strictObject({ outcome: z.enum(['lost', 'warning_closed', 'won']) });
const refundFailure = z.strictObject({ reason: text.exactOptional() });
const authentication = z.strictObject({ outcome: z.enum(['failed', 'succeeded']) });
const failure = z.strictObject({
  kind: z.enum(['lost_reply', 'rate_limit', 'server_error', 'server_error_after_effect']),
  times: z.int().min(1).exactOptional(),
  method: text.exactOptional(),
  path: text.exactOptional(),
});
const delivery = z.strictObject({
  isHeld: z.boolean().exactOptional(),
  delayMs: z.int().min(0).exactOptional(),
  copies: z.int().min(1).exactOptional(),
});
const flushing = z.strictObject({ order: z.enum(['created', 'reversed', 'shuffled']).exactOptional() });
const eventIds = z.strictObject({ events: z.array(text) });
const endpoints = z.strictObject({
  endpoints: z.array(z.strictObject({ url: z.url(), secrets: z.array(text).min(1) })),
});

export function serveControl(app: Express, parts: ControlParts): void {
  const { control, failures, webhooks, requests } = parts;
  const json = express.json();
  const on = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    act: (input: z.output<Schema>, id: string) => unknown,
  ): void => {
    app.post(`/_control${path}`, json, async (req: Request, res: Response) => {
      requireSecretKey(parts, req);
      res.json((await act(readParams(schema, req.body ?? {}), String(req.params.id))) ?? {});
    });
  };
  const show = (path: string, list: () => readonly unknown[]): void => {
    app.get(`/_control${path}`, (req, res) => {
      requireSecretKey(parts, req);
      res.json({ data: list() });
    });
  };
  on('/disputes', disputeRequest, control.openDispute);
  on('/disputes/:id/resolve', resolution, ({ outcome }, id) => control.resolveDispute(id, outcome));
  on('/disputes/:id/escalate', z.strictObject({}), (_input, id) => control.escalateInquiry(id));
  on('/refunds/:id/succeed', z.strictObject({}), (_input, id) => control.succeedRefund(id));
  on('/refunds/:id/fail', refundFailure, ({ reason }, id) => control.failRefund(id, reason));
  on('/payment_intents/:id/authenticate', authentication, ({ outcome }, id) =>
    control.authenticate(id, outcome === 'succeeded'),
  );
  on('/failures', failure, failures.plan);
  on('/delivery', delivery, webhooks.setDelivery);
  on('/flush', flushing, async ({ order }) => ({ data: await webhooks.flush(order) }));
  on('/deliver', eventIds, async ({ events }) => ({ data: await webhooks.deliver(events) }));
  on('/webhooks', endpoints, (input) => webhooks.setEndpoints(input.endpoints));
  show('/requests', () => requests);
  show('/attempts', () => webhooks.attempts);
  show('/events', control.events);
  show('/held', webhooks.held);
  servePayersBank(app, parts);
}

function requireSecretKey(keys: Keys, req: Request): void {
  if (authenticate(keys, req.get('Authorization')) !== 'secret') throw secretKeyRequired();
}

function servePayersBank(app: Express, { state, control }: ControlParts): void {
  const findIntent = (req: Request): PaymentIntent => {
    const id = String(req.params.id);
    const intent = state.paymentIntents.get(id);
    if (!intent || intent.client_secret !== req.query.client_secret)
      throw resourceMissing('payment_intent', id);
    return intent;
  };
  app.get('/3d_secure/:id', (req, res) => {
    const { amount, currency } = findIntent(req);
    res.type('html').send(bankPage(amount, currency));
  });
  app.post('/3d_secure/:id', express.urlencoded(), async (req: Request, res: Response) => {
    const intent = findIntent(req);
    const { outcome } = readParams(authentication, req.body ?? {});
    const returnUrl = intent.next_action?.redirect_to_url?.return_url;
    const { id, client_secret, status } = await control.authenticate(intent.id, outcome === 'succeeded');
    if (!returnUrl) {
      res.json({ id, status });
      return;
    }
    const target = new URL(returnUrl);
    target.searchParams.set('payment_intent', id);
    target.searchParams.set('payment_intent_client_secret', client_secret);
    target.searchParams.set('redirect_status', status === 'succeeded' ? 'succeeded' : 'failed');
    res.redirect(303, target.href);
  });
}

function bankPage(amount: number, currency: string): string {
  return `<!doctype html>
<html lang="en"><title>3-D Secure</title>
<h1>Your bank asks</h1>
<p>Do you pay ${amount} of the smallest unit of ${currency}?</p>
<form method="post">
<button name="outcome" value="succeeded">Complete</button>
<button name="outcome" value="failed">Fail</button>
</form></html>
`;
}
