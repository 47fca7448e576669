/**
 * Brings payments to the ledger. Confirm, webhook and reconciler all re-read the payment from Stripe. Each movement is
 * entered once, under an id that never changes. Movements never disappear at Stripe, so order and repetition do not
 * matter.
 */
import type Stripe from 'stripe';
import type { Database } from '../db/database.ts';
import { hashText } from '../db/text.ts';
import { move } from './ledger.ts';
import { MICROS_PER_CENT } from './money.ts';
import { lockTopUp, settleTopUp } from './top-ups.ts';

/** Master hash of an account, and the hash of the account key or the identity of the admin wallet that acts for it. */
export type Owner = { account: bigint; owner: bigint };

export type Movement = {
  kind: 'credit' | 'reverse';
  amountMicros: bigint;
  /** `stripe `, the id of Stripe's object, and its status if it has several entries. */
  externalId: string;
  reason: string;
};

export type Payment = {
  /** Id of the payment intent. */
  intent: string;
  account: bigint;
  status: string;
  /** Id of the charge of an automatic top-up. */
  charge?: string | undefined;
  /** Movements in an order that the ledger accepts. */
  movements: Movement[];
};

type Intent = Pick<Stripe.PaymentIntent, 'id' | 'status' | 'amount_received'>;
type Refund = Pick<Stripe.Refund, 'id' | 'status' | 'amount'>;
type Dispute = Pick<Stripe.Dispute, 'id' | 'amount' | 'currency' | 'status'> & {
  balance_transactions: Pick<Stripe.BalanceTransaction, 'id' | 'amount' | 'currency'>[];
};

/** Part of the disputed amount that makes it the whole one at another exchange rate. */
const WHOLE_SHARE = 0.9;

/** Returns the cents that a transaction returns: a lost dispute over a refunded payment returns only what was refunded. */
function returnedCents(
  dispute: Dispute,
  { amount, currency }: Dispute['balance_transactions'][number],
): number {
  const withdrawn = -(dispute.balance_transactions.find((earlier) => earlier.amount < 0)?.amount ?? 0);
  if (dispute.status !== 'lost' || withdrawn === 0) return dispute.amount;
  if (currency === dispute.currency) return Math.min(amount, dispute.amount);
  const share = amount / withdrawn;
  return share >= WHOLE_SHARE ? dispute.amount : Math.round(dispute.amount * share);
}

/**
 * Returns the ledger movements of a payment: paid, refunded (a refund can fail later), withdrawn and returned by
 * disputes.
 */
export function toMovements(intent: Intent, refunds: Refund[], disputes: Dispute[]): Movement[] {
  if (intent.status !== 'succeeded') return [];
  const movement = (kind: Movement['kind'], cents: number, id: string, reason: string): Movement => ({
    kind,
    amountMicros: BigInt(cents) * MICROS_PER_CENT,
    externalId: `stripe ${id}`,
    reason,
  });
  return [
    movement('credit', intent.amount_received, intent.id, `payment ${intent.id}`),
    ...refunds.flatMap(({ id, amount, status }) => [
      movement('reverse', amount, id, `refund ${id}`),
      ...(status === 'failed' || status === 'canceled'
        ? [movement('credit', amount, `${id} ${status}`, `refund ${id} ${status}`)]
        : []),
    ]),
    // An inquiry has no transactions. A dispute's transactions are in the payout currency and include the operator's
    // fees.
    ...disputes.flatMap((dispute) =>
      dispute.balance_transactions.map((transaction) => {
        const { id, amount, status } = dispute;
        const externalId = `${id} ${transaction.id}`;
        if (transaction.amount < 0) return movement('reverse', amount, externalId, `dispute ${id}`);
        const outcome = status === 'lost' ? 'lost in part' : 'won';
        return movement(
          'credit',
          returnedCents(dispute, transaction),
          externalId,
          `dispute ${id} ${outcome}`,
        );
      }),
    ),
  ];
}

/** Adds the missing movements of a payment to the ledger and settles its automatic top-up, atomically. Returns the movements that it added. */
export function applyPayment(db: Database, payment: Payment): Promise<Movement[]> {
  const { account, movements } = payment;
  return db.transaction(async (tx) => {
    if (payment.charge !== undefined) await lockTopUp(tx, hashText(account));
    const news: Movement[] = [];
    for (const { kind, amountMicros, ...cause } of movements)
      if (await move(tx, account, kind, amountMicros, cause)) news.push({ kind, amountMicros, ...cause });
    await settleTopUp(tx, payment, news);
    return news;
  });
}
