import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { configured } from './billing.ts';

export const webhook = defineRoute({
  method: 'POST',
  path: `${prefix}/billing/webhook`,
  tag: 'billing',
  summary: 'Takes the events of the card processor',
  description:
    'Signed with one of its secrets, not older than 300 seconds. Any event about a payment makes the relayer look at what has become of it.',
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
    await configured(payments).receiveEvent(body, headers['stripe-signature']);
    return { received: true as const };
  },
});
