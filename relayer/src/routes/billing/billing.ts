import { notFound, wireCodec } from '@latchkey/http';
import { z } from 'zod';
import type { Payments } from '../../billing/billing.ts';

/** Returns the card payments when the operator configured them; throws 404 otherwise. */
export function configured(payments: Payments | undefined): Payments {
  if (payments) return payments;
  throw notFound('This relayer accepts no payments: no card processor is configured.', {
    fix: 'The operator must set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRETS.',
  });
}

const MIN_AMOUNT_CENTS = 500;
/** The card processor's limits. */
const MAX_AMOUNT_CENTS = 99_999_999;

export const amountCents = z.int().min(MIN_AMOUNT_CENTS).max(MAX_AMOUNT_CENTS);

export const paymentIntentId = wireCodec(
  z.string().meta({ pattern: '^pi_\\w{1,250}$' }),
  z.string(),
  'expected the id of a payment intent',
  (text) => (/^pi_\w{1,250}$/.test(text) ? text : undefined),
  (text) => text,
);
