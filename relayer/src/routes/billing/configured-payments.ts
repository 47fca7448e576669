import { notFound } from '@latchkey/http';
import type { Payments } from '../../billing/card-payments.ts';

/** Returns the card payments when the operator configured them; throws 404 otherwise. */
export function configuredPayments(payments: Payments | undefined): Payments {
  if (payments) return payments;
  throw notFound('This relayer accepts no payments: no card processor is configured.', {
    fix: 'The operator must set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRETS.',
  });
}
