/** Automatic top-ups: a stored card is charged when the credit of the account is low. */
import { getAsOwner, postAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import type { GetReplyOf } from './http.ts';
import type { WriteOptions } from './write-definition.ts';

type WireTopUp = NonNullable<GetReplyOf<'/core/v1/billing/auto_top_up'>['auto_top_up']>;

export interface AutoTopUpSettings {
  /** The card is charged while the credit is below. */
  thresholdCents: number;
  /** Cents of a charge, 500 to 1,000,000. */
  amountCents: number;
  /** Cents that are charged in a calendar month (UTC) at most. */
  monthlyLimitCents: number;
}

/** The automatic top-up of an account. */
export interface AutoTopUp extends AutoTopUpSettings {
  /** Charges without a known outcome included. */
  chargedThisMonthCents: number;
  card: { brand: string; last4: string; expiryMonth: number; expiryYear: number };
  /** Why no charge is made until {@link setAutoTopUp} is called. Absent while it is active. */
  paused?:
    | {
        /**
         * `authentication_required`: {@link getTopUpPayment} returns the payment to complete. `payment_taken_back`: a payment of the account
         * was refunded or disputed.
         */
        reason: NonNullable<WireTopUp['paused']>['reason'];
        /** Stripe's code of a declined card. */
        declineCode?: string | undefined;
        at: Date;
      }
    | undefined;
}

const toAutoTopUp = (found: WireTopUp): AutoTopUp => ({
  thresholdCents: found.threshold_cents,
  amountCents: found.amount_cents,
  monthlyLimitCents: found.monthly_limit_cents,
  chargedThisMonthCents: found.charged_this_month_cents,
  card: {
    brand: found.card.brand,
    last4: found.card.last4,
    expiryMonth: found.card.expiry_month,
    expiryYear: found.card.expiry_year,
  },
  paused: found.paused
    ? {
        reason: found.paused.reason,
        declineCode: found.paused.decline_code ?? undefined,
        at: new Date(found.paused.at),
      }
    : undefined,
});

/** Returns the automatic top-up of the account; undefined while it is off. */
export async function getAutoTopUp(
  client: BareClient,
  options?: CallOptions,
): Promise<AutoTopUp | undefined> {
  const { json } = await getAsOwner(client, options, '/core/v1/billing/auto_top_up');
  return json.auto_top_up ? toAutoTopUp(json.auto_top_up) : undefined;
}

/** A setup of a card. */
export interface SetupIntent {
  setupIntentId: string;
  /** The secret with which the card processor's browser library completes this setup. It gives access to this setup only. */
  clientSecret: string;
}

/** Begins to store a card. Nothing is charged. Once the setup has succeeded, {@link setAutoTopUp} uses the card. */
export async function createSetupIntent(
  client: BareClient,
  options: WriteOptions = {},
): Promise<SetupIntent> {
  const { json } = await postAsOwner(client, options, '/core/v1/billing/create_setup_intent', {});
  return { setupIntentId: json.setup_intent_id, clientSecret: json.client_secret };
}

export interface SetAutoTopUpParameters extends AutoTopUpSettings {
  /** A setup that has succeeded. Absent: the stored card stays. */
  setupIntentId?: string | undefined;
}

/**
 * Turns the automatic top-up on, changes it, or ends its pause. Rejects with `not_found` when the owner has stored no card, and with `conflict`
 * when the setup has not succeeded, or the monthly limit rises without one.
 */
export async function setAutoTopUp(
  client: BareClient,
  { thresholdCents, amountCents, monthlyLimitCents, setupIntentId }: SetAutoTopUpParameters,
  options: WriteOptions = {},
): Promise<AutoTopUp> {
  const { json } = await postAsOwner(client, options, '/core/v1/billing/set_auto_top_up', {
    threshold_cents: thresholdCents,
    amount_cents: amountCents,
    monthly_limit_cents: monthlyLimitCents,
    ...(setupIntentId !== undefined && { setup_intent_id: setupIntentId }),
  });
  return toAutoTopUp(json.auto_top_up);
}

/** Turns the automatic top-up off and removes its card. */
export async function removeAutoTopUp(client: BareClient, options: WriteOptions = {}): Promise<void> {
  await postAsOwner(client, options, '/core/v1/billing/remove_auto_top_up', {});
}

/** A payment by the stored card that its holder must authenticate. */
export interface TopUpPayment {
  paymentIntentId: string;
  /** The secret with which the card processor's browser library completes this payment. */
  clientSecret: string;
  paymentMethodId: string;
}

/**
 * Returns the automatic payment that its card holder must authenticate. Complete it in the card processor's browser library, then call
 * `confirmPayment`. Rejects with `not_found` when there is none.
 */
export async function getTopUpPayment(client: BareClient, options?: CallOptions): Promise<TopUpPayment> {
  const { json } = await getAsOwner(client, options, '/core/v1/billing/top_up_payment');
  return {
    paymentIntentId: json.payment_intent_id,
    clientSecret: json.client_secret,
    paymentMethodId: json.payment_method_id,
  };
}
