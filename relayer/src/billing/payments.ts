/**
 * From payments to the ledger. Whatever tells of a payment (a confirm, an event, the reconciler) only causes a look at what
 * Stripe says of it now, and each fact found moves money once, by an id that never changes. Facts do not vanish, so that it
 * does not matter in which order and how often one looks.
 */
import type Stripe from 'stripe';
import type { Database } from '../db/database.ts';
import { move } from './ledger.ts';
import { MICROS_PER_CENT } from './money.ts';

export type Movement = {
  kind: 'credit' | 'reverse';
  amountMicros: bigint;
  /** `stripe ` and the id of Stripe's object, with what became of it. */
  externalId: string;
  reason: string;
};

export type Payment = {
  /** Id of the payment intent. */
  intent: string;
  account: bigint;
  status: string;
  /** In an order in which they can have happened. */
  movements: Movement[];
};

type Intent = Pick<Stripe.PaymentIntent, 'id' | 'status' | 'amount_received'>;
type Refund = Pick<Stripe.Refund, 'id' | 'status' | 'amount'>;
type Dispute = Pick<Stripe.Dispute, 'id' | 'amount'> & {
  balance_transactions: Pick<Stripe.BalanceTransaction, 'id' | 'amount'>[];
};

/** What a payment means for the account: paid, refunded (a refund may fail afterwards), withdrawn and returned by disputes. */
export function movementsOf(intent: Intent, refunds: Refund[], disputes: Dispute[]): Movement[] {
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
    // An inquiry has no transactions. Theirs are in the currency of the payout, with fees that are ours.
    ...disputes.flatMap(({ id, amount, balance_transactions: transactions }) =>
      transactions.map((transaction) =>
        transaction.amount < 0
          ? movement('reverse', amount, `${id} ${transaction.id}`, `dispute ${id}`)
          : movement('credit', amount, `${id} ${transaction.id}`, `dispute ${id} won`),
      ),
    ),
  ];
}

/** Brings the ledger to what is known of a payment, all or nothing; returns what was new to it. */
export function applyPayment(db: Database, { account, movements }: Payment): Promise<Movement[]> {
  return db.transaction(async (tx) => {
    const news: Movement[] = [];
    for (const { kind, amountMicros, ...cause } of movements)
      if (await move(tx, account, kind, amountMicros, cause)) news.push({ kind, amountMicros, ...cause });
    return news;
  });
}
