import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix, success } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';
import { paymentIntentId } from './processor-id.ts';

export const confirmPayment = defineRoute({
  method: 'POST',
  path: `${prefix}/billing/confirm_payment`,
  tag: 'billing',
  summary: 'Credits a successful payment',
  description: 'Credits a payment once: a repeated confirm succeeds without a second credit.',
  auth: 'accountKeyOrWallet',
  waits: true,
  body: z.object({ payment_intent_id: paymentIntentId }),
  reply: success,
  errors: ['forbidden', 'not_found', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: { body: { payment_intent_id: 'pi_3PqXyZ2eZvKYlo2C1a2B3c4D' }, reply: { success: true } },
  handle: async (
    { payments, paymentLimit }: Pick<Context, 'payments' | 'paymentLimit'>,
    { body, caller: { account } },
  ) => {
    const card = configuredPayments(payments);
    await paymentLimit.take(String(account));
    await card.confirm(account, body.payment_intent_id);
    return { success: true as const };
  },
});
