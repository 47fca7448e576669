import { z } from 'zod';
import { availableMicros } from '../../billing/ledger.ts';
import { displayCredit, MICROS_PER_CENT } from '../../billing/money.ts';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const balance = defineRoute({
  method: 'GET',
  path: `${prefix}/billing/balance`,
  tag: 'billing',
  summary: 'Returns the credit that the account can spend',
  description: 'Excludes credit reserved for in-flight writes and runs.',
  auth: 'anyKeyOrWallet',
  reply: z.object({
    balance_cents: z.int().meta({
      description:
        'Whole cents. NEGATIVE while the account has credit, as in a clearing account; positive when it owes.',
    }),
    balance_display: z.string().meta({ examples: ['$5.00 credit', 'No credits'] }),
    credit_micros: z.int().meta({ description: 'Available micro-credits; negative when the account owes.' }),
  }),
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) => {
    const micros = await availableMicros(db, caller.account);
    return {
      // Avoids negative zero.
      balance_cents: 0 - Number(micros / MICROS_PER_CENT),
      balance_display: displayCredit(micros),
      credit_micros: Number(micros),
    };
  },
});
