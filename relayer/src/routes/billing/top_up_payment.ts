import { notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';

export const topUpPayment = defineRoute({
  method: 'GET',
  path: `${prefix}/billing/top_up_payment`,
  tag: 'billing',
  summary: 'Returns the automatic payment that its card holder must authenticate',
  description:
    "Confirm it with `client_secret` and `payment_method_id` in the card processor's browser library, then call billing/confirm_payment, " +
    'which ends the pause of the top-up.',
  auth: 'accountKeyOrWallet',
  waits: true,
  reply: z.object({
    client_secret: z.string(),
    payment_intent_id: z.string(),
    payment_method_id: z.string(),
  }),
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  handle: async (
    { payments, paymentLimit }: Pick<Context, 'payments' | 'paymentLimit'>,
    { caller: { account, hash: owner } },
  ) => {
    const { autoTopUp } = configuredPayments(payments);
    await paymentLimit.take(String(account));
    const found = await autoTopUp.readPayment({ account, owner });
    if (!found)
      throw notFound('No payment of this owner waits for its authentication.', {
        fix: 'billing/auto_top_up says why the automatic top-up is paused.',
      });
    const { intent, clientSecret, paymentMethod } = found;
    return { client_secret: clientSecret, payment_intent_id: intent, payment_method_id: paymentMethod };
  },
});
