import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix, success } from '../define-route.ts';
import { configuredPayments } from './configured-payments.ts';

export const removeAutoTopUp = defineRoute({
  method: 'POST',
  path: `${prefix}/billing/remove_auto_top_up`,
  tag: 'billing',
  summary: 'Turns the automatic top-up of the account off and removes its card',
  description: 'A charge whose request was already sent is credited. Succeeds also when it is off.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({}),
  reply: success,
  errors: ['forbidden', 'not_found'],
  example: { body: {}, reply: { success: true } },
  handle: async ({ payments }: Pick<Context, 'payments'>, { caller: { account } }) => {
    await configuredPayments(payments).autoTopUp.remove(account);
    return { success: true as const };
  },
});
