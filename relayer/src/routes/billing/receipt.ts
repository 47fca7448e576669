import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';
import { paymentIntentId } from './processor-id.ts';

export const receipt = defineRoute({
  method: 'GET',
  path: `${prefix}/billing/receipt`,
  tag: 'billing',
  summary: 'Returns the receipt of a payment that was credited',
  auth: 'accountKeyOrWallet',
  waits: true,
  query: z.object({ payment_intent_id: paymentIntentId }),
  reply: z.object({
    payment_intent_id: z.string(),
    account: z.string().meta({ description: 'Master hash of the account.' }),
    amount_cents: z.int().meta({ description: 'US cents.' }),
    paid_at: z.iso.datetime().meta({ description: 'When the payment was credited.' }),
    receipt_url: z.string().nullable().meta({
      description:
        "The card processor's receipt, which shows the last digits of the card. Null for a payment of a former owner, and of versions that did not store who had paid.",
    }),
  }),
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  handle: async (
    { payments, paymentLimit }: Pick<Context, 'payments' | 'paymentLimit'>,
    { query: { payment_intent_id: id }, caller: { account, hash: owner } },
  ) => {
    const card = configuredPayments(payments);
    await paymentLimit.take(String(account));
    const { amountCents, paidAt, url } = await card.receipt({ account, owner }, id);
    return {
      payment_intent_id: id,
      account: hashText(account),
      amount_cents: amountCents,
      paid_at: paidAt.toISOString(),
      receipt_url: url ?? null,
    };
  },
});
