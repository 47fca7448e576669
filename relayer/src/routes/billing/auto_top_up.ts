import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { exampleTopUp, topUpRecord, toTopUpRecord } from './auto-top-up-record.ts';
import { configuredPayments } from './configured-payments.ts';

export const autoTopUp = defineRoute({
  method: 'GET',
  path: `${prefix}/billing/auto_top_up`,
  tag: 'billing',
  summary: 'Returns the automatic top-up of the account',
  description: 'Null while it is off. Settings of a former owner are not returned.',
  auth: 'accountKeyOrWallet',
  reply: z.object({ auto_top_up: topUpRecord.nullable() }),
  errors: ['forbidden', 'not_found'],
  example: { reply: { auto_top_up: exampleTopUp } },
  handle: async ({ payments }: Pick<Context, 'payments'>, { caller: { account, hash } }) => {
    const found = await configuredPayments(payments).autoTopUp.read({ account, owner: hash });
    return { auto_top_up: found ? toTopUpRecord(found) : null };
  },
});
