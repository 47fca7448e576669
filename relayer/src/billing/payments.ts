/**
 * Brings payments to the ledger. Confirm, webhook and reconciler all re-read the payment from Stripe. Each movement is
 * entered once, under an id that never changes. Movements never disappear at Stripe, so order and repetition do not
 * matter.
 */
import type Stripe from 'stripe';
import type { Database } from '../db/database.ts';
import { move } from './ledger.ts';
import { MICROS_PER_CENT } from './money.ts';

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
  /** In an order that is possible for the ledger. */
  movements: Movement[];
};

type Intent = Pick<Stripe.PaymentIntent, 'id' | 'status' | 'amount_received'>;
type Refund = Pick<Stripe.Refund, 'id' | 'status' | 'amount'>;
type Dispute = Pick<Stripe.Dispute, 'id' | 'amount'> & {
  balance_transactions: Pick<Stripe.BalanceTransaction, 'id' | 'amount'>[];
};

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
    ...disputes.flatMap(({ id, amount, balance_transactions: transactions }) =>
      transactions.map((transaction) =>
        transaction.amount < 0
          ? movement('reverse', amount, `${id} ${transaction.id}`, `dispute ${id}`)
          : movement('credit', amount, `${id} ${transaction.id}`, `dispute ${id} won`),
      ),
    ),
  ];
}

/** Adds the missing movements of a payment to the ledger atomically and returns them. */
export function applyPayment(db: Database, { account, movements }: Payment): Promise<Movement[]> {
  return db.transaction(async (tx) => {
    const news: Movement[] = [];
    for (const { kind, amountMicros, ...cause } of movements)
      if (await move(tx, account, kind, amountMicros, cause)) news.push({ kind, amountMicros, ...cause });
    return news;
  });
}
