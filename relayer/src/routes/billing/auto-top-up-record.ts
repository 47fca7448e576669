/** The wire form of the settings of an automatic top-up. */
import { z } from 'zod';
import type { TopUpState } from '../../billing/auto-top-up.ts';
import { MICROS_PER_CENT } from '../../billing/money.ts';
import { pauseReasons } from '../../db/schema.ts';

const MIN_AMOUNT_CENTS = 500;
const MAX_AMOUNT_CENTS = 1_000_000;
/** The card processor's limit of a payment. */
const MAX_CENTS = 99_999_999;

export const topUpFields = {
  threshold_cents: z.int().min(1).max(MAX_CENTS).meta({
    description: 'The card is charged while the credit is below. Reserved credit counts as not spent.',
  }),
  amount_cents: z
    .int()
    .min(MIN_AMOUNT_CENTS)
    .max(MAX_AMOUNT_CENTS)
    .meta({ description: 'Cents of a charge.' }),
  monthly_limit_cents: z
    .int()
    .min(MIN_AMOUNT_CENTS)
    .max(MAX_CENTS)
    .meta({ description: 'Cents that are charged in a calendar month (UTC) at most.' }),
};

export const topUpRecord = z.object({
  threshold_cents: z.int(),
  amount_cents: z.int(),
  monthly_limit_cents: z.int(),
  charged_this_month_cents: z.int().meta({ description: 'Charges without a known outcome included.' }),
  card: z.object({ brand: z.string(), last4: z.string(), expiry_month: z.int(), expiry_year: z.int() }),
  paused: z
    .object({
      reason: z.enum(pauseReasons).meta({
        description:
          '`authentication_required`: billing/top_up_payment returns the payment to complete. `card_declined`: `decline_code` says why. ' +
          '`payment_taken_back`: a payment of the account was refunded or disputed.',
      }),
      decline_code: z.string().nullable(),
      at: z.iso.datetime(),
    })
    .nullable()
    .meta({
      description: 'Why no charge is made until billing/set_auto_top_up is called. Null while it is active.',
    }),
});

export const exampleTopUp = {
  threshold_cents: 1_000,
  amount_cents: 2_000,
  monthly_limit_cents: 10_000,
  charged_this_month_cents: 4_000,
  card: { brand: 'visa', last4: '4242', expiry_month: 12, expiry_year: 2040 },
  paused: null,
};

export const toTopUpRecord = (found: TopUpState): z.output<typeof topUpRecord> => ({
  threshold_cents: Number(found.thresholdMicros / MICROS_PER_CENT),
  amount_cents: found.amountCents,
  monthly_limit_cents: found.monthlyLimitCents,
  charged_this_month_cents: found.chargedCents,
  card: {
    brand: found.brand,
    last4: found.last4,
    expiry_month: found.expiryMonth,
    expiry_year: found.expiryYear,
  },
  paused: found.pauseReason && {
    reason: found.pauseReason,
    decline_code: found.declineCode,
    at: (found.pausedAt ?? new Date(0)).toISOString(),
  },
});
