import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';

const MIN_AMOUNT_CENTS = 500;
/** The card processor's limit. */
const MAX_AMOUNT_CENTS = 99_999_999;

export const createPaymentIntent = defineRoute({
  method: 'POST',
  path: `${prefix}/billing/create_payment_intent`,
  tag: 'billing',
  summary: 'Creates a payment intent for a card payment',
  description:
    "Complete it with `client_secret` in the card processor's browser library, then call billing/confirm_payment.",
  auth: 'accountKeyOrWallet',
  waits: true,
  body: z.object({ amount_cents: z.int().min(MIN_AMOUNT_CENTS).max(MAX_AMOUNT_CENTS) }),
  reply: z.object({ client_secret: z.string(), payment_intent_id: z.string() }),
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { amount_cents: 500 },
    reply: {
      client_secret: 'pi_3PqXyZ2eZvKYlo2C1a2B3c4D_secret_5e6F7g8H',
      payment_intent_id: 'pi_3PqXyZ2eZvKYlo2C1a2B3c4D',
    },
  },
  handle: async (
    { payments, paymentLimit }: Pick<Context, 'payments' | 'paymentLimit'>,
    { body, caller: { account, hash: owner }, idempotencyId, requestId },
  ) => {
    const card = configuredPayments(payments);
    await paymentLimit.take(String(account));
    const intent = await card.createIntent({ account, owner }, body.amount_cents, idempotencyId ?? requestId);
    return { client_secret: intent.clientSecret, payment_intent_id: intent.id };
  },
});
