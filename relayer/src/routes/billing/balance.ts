import { z } from 'zod';
import { availableMicros } from '../../billing/ledger.ts';
import { displayCredit, MICROS_PER_CENT } from '../../billing/money.ts';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const balance = defineRoute({
  method: 'GET',
  path: `${prefix}/billing/balance`,
  tag: 'billing',
  summary: 'The credit that the account can spend',
  description: 'What is reserved for writes and runs under way is not in it.',
  auth: 'keyOrWallet',
  reply: z.object({
    balance_cents: z.int().meta({
      description:
        'NEGATIVE while there is credit, as a clearing account has it; positive is owed. Whole cents.',
    }),
    balance_display: z.string().meta({ examples: ['$5.00 credit', 'No credits'] }),
    credit_micros: z.int().meta({ description: 'Credit in millionths; below zero is owed.' }),
  }),
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) => {
    const micros = await availableMicros(db, caller.account);
    return {
      // Zero minus zero has no sign.
      balance_cents: 0 - Number(micros / MICROS_PER_CENT),
      balance_display: displayCredit(micros),
      credit_micros: Number(micros),
    };
  },
});
