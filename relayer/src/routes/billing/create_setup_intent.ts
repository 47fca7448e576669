import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';

export const createSetupIntent = defineRoute({
  method: 'POST',
  path: `${prefix}/billing/create_setup_intent`,
  tag: 'billing',
  summary: 'Creates a setup intent, which stores a card for automatic top-ups',
  description:
    "Complete it with `client_secret` in the card processor's browser library, then call billing/set_auto_top_up. Nothing is charged.",
  auth: 'accountKeyOrWallet',
  waits: true,
  body: z.strictObject({}),
  reply: z.object({ client_secret: z.string(), setup_intent_id: z.string() }),
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  example: {
    body: {},
    reply: {
      client_secret: 'seti_1PqXyZ2eZvKYlo2C1a2B3c4D_secret_5e6F7g8H',
      setup_intent_id: 'seti_1PqXyZ2eZvKYlo2C1a2B3c4D',
    },
  },
  handle: async (
    { payments, paymentLimit }: Pick<Context, 'payments' | 'paymentLimit'>,
    { caller: { account, hash: owner }, idempotencyId, requestId },
  ) => {
    const { autoTopUp } = configuredPayments(payments);
    await paymentLimit.take(String(account));
    const setup = await autoTopUp.createSetup({ account, owner }, idempotencyId ?? requestId);
    return { client_secret: setup.clientSecret, setup_intent_id: setup.id };
  },
});
