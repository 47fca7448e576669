import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';

export const processorConfig = defineRoute({
  method: 'GET',
  path: `${prefix}/billing/processor_config`,
  tag: 'billing',
  summary: 'Returns the publishable key of the card processor',
  description: 'Returns 404 when the relayer accepts no payments.',
  auth: 'none',
  reply: z.object({ publishable_key: z.string() }),
  errors: ['not_found'],
  handle: ({ payments }: Pick<Context, 'payments'>) => ({
    publishable_key: configuredPayments(payments).publishableKey,
  }),
});
