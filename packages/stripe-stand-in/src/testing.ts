/** Test utilities: Stripe's SDK against the stand-in, a payer with a publishable key, a webhook receiver. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { type StripeOptions, startStripe } from './index.ts';

export { signatureHeader } from './webhooks.ts';

export const SECRET_KEY = 'sk_test_standin';
export const PUBLISHABLE_KEY = 'pk_test_standin';

export async function startWithSdk(options: Partial<StripeOptions> = {}) {
  const standIn = await startStripe({
    secretKey: SECRET_KEY,
    publishableKey: PUBLISHABLE_KEY,
    ...options,
  });
  const sdk = sdkFor(standIn.port, SECRET_KEY);
  /** Creates a payment intent and confirms it with this card, by the secret key. */
  const pay = (payment_method = 'pm_card_visa', amount = 5_000): Promise<Stripe.PaymentIntent> =>
    sdk.paymentIntents.create({ amount, currency: 'usd', payment_method, confirm: true });
  return { standIn, sdk, pay, [Symbol.asyncDispose]: standIn.close };
}

export function sdkFor(port: number, key: string, config: Partial<Stripe.StripeConfig> = {}): Stripe {
  return new Stripe(key, {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    ...config,
  });
}

/** Returns the error of an SDK call; throws when the call succeeds. */
export async function catchError(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const result = await call.catch((error: unknown) => error);
  if (result instanceof Stripe.errors.StripeError) return result;
  throw new Error(`not an error of Stripe: ${JSON.stringify(result)}`);
}

export type PayerReply = Stripe.PaymentIntent & { error: Stripe.StripeRawError };

/** Posts a form as Stripe.js does, with the publishable key. */
export async function postAsPayer(
  url: string,
  form: Record<string, string>,
): Promise<{ status: number; body: PayerReply }> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${PUBLISHABLE_KEY}` },
    body: new URLSearchParams(form),
  });
  return { status: reply.status, body: (await reply.json()) as PayerReply };
}

/** Calls a control route. */
export async function postControl(url: string, path: string, body: object, key = SECRET_KEY) {
  const reply = await fetch(`${url}/_control${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: await reply.json() };
}

export type Received = { payload: string; signature: string };

/** Starts a receiver that replies with the statuses of `answers` first, and then with 200. */
export async function startReceiver(answers: number[] = []) {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    const payload = await text(req);
    received.push({ payload, signature: String(req.headers['stripe-signature']) });
    res.writeHead(answers.shift() ?? 200, { Location: '/elsewhere' }).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    received,
    types: (): string[] => received.map(({ payload }) => JSON.parse(payload).type),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
