import { badRequest } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { exampleTopUp, topUpFields, topUpRecord, toTopUpRecord } from './auto-top-up-record.ts';
import { configuredPayments } from './configured-payments.ts';
import { processorId } from './processor-id.ts';

export const setAutoTopUp = defineRoute({
  method: 'POST',
  path: `${prefix}/billing/set_auto_top_up`,
  tag: 'billing',
  summary: 'Turns the automatic top-up of the account on, changes it, or ends its pause',
  description:
    'With `setup_intent_id` its card is stored instead of the former one. Without it the monthly limit cannot rise: 409. The settings and the card ' +
    'end when another key or wallet owns the account.',
  auth: 'accountKeyOrWallet',
  waits: true,
  body: z.strictObject({ ...topUpFields, setup_intent_id: processorId('seti', 'a setup intent').optional() }),
  reply: z.object({ auto_top_up: topUpRecord }),
  errors: ['forbidden', 'not_found', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: {
    body: {
      threshold_cents: 1_000,
      amount_cents: 2_000,
      monthly_limit_cents: 10_000,
      setup_intent_id: 'seti_1PqXyZ2eZvKYlo2C1a2B3c4D',
    },
    reply: { auto_top_up: exampleTopUp },
  },
  handle: async (
    { payments, paymentLimit }: Pick<Context, 'payments' | 'paymentLimit'>,
    { body, caller: { account, hash: owner } },
  ) => {
    const { autoTopUp } = configuredPayments(payments);
    const { threshold_cents: thresholdCents, amount_cents: amountCents } = body;
    const { monthly_limit_cents: monthlyLimitCents, setup_intent_id: setupIntent } = body;
    if (monthlyLimitCents < amountCents)
      throw badRequest('body.monthly_limit_cents: expected at least amount_cents');
    await paymentLimit.take(String(account));
    const settings = { thresholdCents, amountCents, monthlyLimitCents };
    const stored = await autoTopUp.set({ account, owner }, settings, setupIntent);
    return { auto_top_up: toTopUpRecord(stored) };
  },
});
