import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';

export const webhook = defineRoute({
  method: 'POST',
  path: `${prefix}/billing/webhook`,
  tag: 'billing',
  summary: 'Receives the events of the card processor',
  description:
    'Events must be signed with one of the webhook secrets and be at most 300 seconds old. An event about a payment makes the relayer re-read the payment from Stripe.',
  auth: 'none',
  rawBody: true,
  body: z.custom<Buffer>(),
  bodyLimitBytes: 256 * 1_024,
  headers: z.object({ 'stripe-signature': z.string() }),
  idempotent: false,
  reply: z.object({ received: z.literal(true) }),
  errors: ['not_found', 'service_unavailable'],
  example: {
    body: Buffer.from(
      '{"id":"evt_1","object":"event","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1"}}}',
    ),
    reply: { received: true },
  },
  handle: async ({ payments }: Pick<Context, 'payments'>, { body, headers }) => {
    await configuredPayments(payments).receiveEvent(body, headers['stripe-signature']);
    return { received: true as const };
  },
});
