import { notFound } from '@latchkey/http';
import type { CardPayments } from '../../parts/payments.ts';

/** Returns the card payments when the operator configured them; throws 404 otherwise. */
export function configuredPayments(payments: CardPayments | undefined): CardPayments {
  if (payments) return payments;
  throw notFound('This relayer accepts no payments: no card processor is configured.', {
    fix: 'The operator must set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRETS.',
  });
}
