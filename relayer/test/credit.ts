/** Credit as a client sees it, control of the payer's bank, and a relayer with its own Stripe stand-in. */

import { startStripe } from '@latchkey/stripe-stand-in';
import { call, pay, payAndConfirm, stack } from '@latchkey/testing/stack';
import Stripe from 'stripe';
import { expect } from 'vitest';
import { ownRelayer } from './own-relayer.ts';

export const CENT = 10_000;

export type Entry = {
  number: number;
  kind: 'credit' | 'reserve' | 'capture' | 'release' | 'reverse';
  amount_micros: number;
  available_micros_after: number;
  reason: string;
  reserve: number | null;
  api_key_hash: string | null;
  created_at: string;
};
type Headers = Record<string, string>;

/** Returns the whole ledger, oldest first (at most 1,000 entries), and checks the running balance. */
export async function readLedger(headers: Headers, url = stack.url): Promise<Entry[]> {
  const { status, body } = await call('GET', 'billing/ledger?page_size=1000', { headers }, url);
  expect(status).toBe(200);
  const entries = (body as Entry[]).toReversed();
  let available = 0;
  for (const [index, entry] of entries.entries()) {
    expect(entry.number).toBe(index + 1);
    const sign = { credit: 1, release: 1, reserve: -1, reverse: -1, capture: 0 }[entry.kind];
    available += sign * entry.amount_micros;
    expect(entry.available_micros_after).toBe(available);
  }
  return entries;
}

/** Returns each entry as its kind, its cents and its reason. */
export const inShort = (entries: Entry[]) =>
  entries.map(({ kind, amount_micros, reason }) => [kind, amount_micros / CENT, reason]);

/** Returns the available micro-credits. */
export async function readCredit(headers: Headers, url = stack.url): Promise<number> {
  const { status, body } = await call('GET', 'billing/balance', { headers }, url);
  expect(status).toBe(200);
  return (body as { credit_micros: number }).credit_micros;
}

const stripeAt = (url: string, key = 'sk_test_local'): Stripe =>
  new Stripe(key, {
    protocol: 'http',
    host: '127.0.0.1',
    port: new URL(url).port,
    maxNetworkRetries: 0,
    telemetry: false,
  });
/** The stand-in of the shared stack. */
export const stripe = stripeAt(stack.stripeUrl);

/** One act of a bank, payer or network: a control route of the shared stack's Stripe stand-in. */
export async function bank(path: string, body: object = {}): Promise<{ id: string }> {
  const reply = await fetch(`${stack.stripeUrl}/_control/${path}`, {
    method: 'POST',
    headers: { Authorization: 'Bearer sk_test_local', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as { id: string };
}

/** Lowers the account's credit to this amount with a payment that is refunded and charged back. */
export async function leaveCents(headers: Headers, cents: number): Promise<void> {
  const excess = (await readCredit(headers)) / CENT - cents;
  const intent = await pay(headers, { cents: excess });
  await stripe.refunds.create({ payment_intent: intent });
  await bank('disputes', { of: intent });
  const confirmed = await call('POST', 'billing/confirm_payment', {
    headers,
    body: { payment_intent_id: intent },
  });
  expect(confirmed.status).toBe(200);
  expect(await readCredit(headers)).toBe(cents * CENT);
}

/** A relayer with its own Stripe stand-in: accounts of the shared stack have no credit there. */
export async function ownPayments(settings: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack();
  const standIn = opened.use(
    await startStripe({ secretKey: 'sk_test_local', publishableKey: 'pk_test_local' }),
  );
  const relayer = opened.use(
    await ownRelayer({ STRIPE_API_URL: standIn.url, STRIPE_WEBHOOK_SECRETS: 'whsec_1,whsec_2', ...settings }),
  );
  const { url, databaseUrl } = relayer;
  const webhookUrl = `${url}/core/v1/billing/webhook`;
  standIn.setEndpoint({ url: webhookUrl, secrets: ['whsec_1'] });
  const at = { url, stripeUrl: standIn.url };
  const kept = opened.move();
  return {
    url,
    databaseUrl,
    webhookUrl,
    standIn,
    stripe: stripeAt(standIn.url),
    pay: (headers: Headers, options: Parameters<typeof pay>[1] = {}) => pay(headers, { ...at, ...options }),
    payAndConfirm: (headers: Headers, options: Parameters<typeof pay>[1] = {}) =>
      payAndConfirm(headers, { ...at, ...options }),
    ledger: (headers: Headers) => readLedger(headers, url),
    credit: (headers: Headers) => readCredit(headers, url),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export type OwnPayments = Awaited<ReturnType<typeof ownPayments>>;
