import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MICROS_PER_CENT } from './money.ts';
import { type Movement, toMovements } from './payments.ts';

type Refund = { id: string; amount: number; status: string };
type Dispute = {
  id: string;
  amount: number;
  status?: string;
  currency?: string;
  balance_transactions: { id: string; amount: number; currency?: string }[];
};
/** The card processor's state of one payment. */
type Facts = { status: string; refunds: Refund[]; disputes: Dispute[] };

const AMOUNT_CENTS = 5_000;
const look = ({ status, refunds, disputes }: Facts): Movement[] =>
  toMovements(
    { id: 'pi_1', status, amount_received: AMOUNT_CENTS } as never,
    refunds as never,
    disputes as never,
  );
const succeeded = (refunds: Refund[] = [], disputes: Dispute[] = []) =>
  look({ status: 'succeeded', refunds, disputes });
const inShort = (movements: Movement[]) =>
  movements.map(({ kind, amountMicros, externalId }) => [
    kind,
    Number(amountMicros / MICROS_PER_CENT),
    externalId,
  ]);
const paid = ['credit', AMOUNT_CENTS, 'stripe pi_1'];

describe('a payment', () => {
  test.each(['requires_payment_method', 'requires_action', 'processing', 'requires_capture', 'canceled'])(
    'that is %s adds no entry',
    (status) => {
      expect(look({ status, refunds: [], disputes: [] })).toEqual([]);
    },
  );

  test('that succeeded credits the received amount', () => {
    expect(succeeded()).toEqual([
      { kind: 'credit', amountMicros: 50_000_000n, externalId: 'stripe pi_1', reason: 'payment pi_1' },
    ]);
  });

  test.each(['pending', 'requires_action', 'succeeded'])(
    'with a %s refund is reversed by the refunded part',
    (status) => {
      expect(inShort(succeeded([{ id: 're_1', amount: 1_234, status }]))).toEqual([
        paid,
        ['reverse', 1_234, 'stripe re_1'],
      ]);
    },
  );

  test.each(['failed', 'canceled'])('with a %s refund is reversed and credited again', (status) => {
    expect(inShort(succeeded([{ id: 're_1', amount: 1_234, status }]))).toEqual([
      paid,
      ['reverse', 1_234, 'stripe re_1'],
      ['credit', 1_234, `stripe re_1 ${status}`],
    ]);
  });

  test('with an inquiry adds no entry', () => {
    expect(inShort(succeeded([], [{ id: 'du_1', amount: 700, balance_transactions: [] }]))).toEqual([paid]);
  });

  test('with a dispute is reversed by the disputed amount and credited again when it is won, whatever the bank booked', () => {
    // In the payout currency.
    const withdrawn = { id: 'txn_1', amount: -611 };
    const returned = { id: 'txn_2', amount: 599 };
    const dispute = (...balance_transactions: { id: string; amount: number }[]) =>
      inShort(succeeded([], [{ id: 'du_1', amount: 700, balance_transactions }]));
    expect(dispute(withdrawn)).toEqual([paid, ['reverse', 700, 'stripe du_1 txn_1']]);
    expect(dispute(withdrawn, returned)).toEqual([
      paid,
      ['reverse', 700, 'stripe du_1 txn_1'],
      ['credit', 700, 'stripe du_1 txn_2'],
    ]);
  });
});

test('a lost dispute over a payment that was refunded in part credits the part that is returned', () => {
  const returned = (currency: string, withdrawn: number, amount: number) => {
    const balance_transactions = [
      { id: 'txn_1', amount: -withdrawn, currency },
      { id: 'txn_2', amount, currency },
    ];
    const dispute = { id: 'du_1', amount: 4_000, status: 'lost', currency: 'usd', balance_transactions };
    return inShort(succeeded([], [dispute])).at(-1)?.[1];
  };
  expect(returned('usd', 4_000, 400)).toBe(400);
  expect(returned('usd', 4_000, 3_900)).toBe(3_900);
  expect(returned('usd', 4_000, 4_000)).toBe(4_000);
  // In the payout currency, at another rate.
  expect(returned('eur', 3_500, 350)).toBe(400);
  expect(returned('eur', 3_500, 3_300)).toBe(4_000);
});

/** One event of the payment; `what` chooses among its refunds or disputes. */
type Happening = {
  kind: 'succeed' | 'refund' | 'settle' | 'fail' | 'cancel' | 'dispute' | 'book';
  what: number;
  cents: number;
};
const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom('succeed', 'refund', 'settle', 'fail', 'cancel', 'dispute', 'book'),
  what: fc.nat(3),
  cents: fc.integer({ min: 1, max: AMOUNT_CENTS }),
});

/** The processor's facts after the event; it deletes none. */
function after(facts: Facts, { kind, what, cents }: Happening): Facts {
  const next = structuredClone(facts);
  const isPaid = facts.status === 'succeeded';
  const refund = next.refunds[what % next.refunds.length];
  const dispute = next.disputes[what % next.disputes.length];
  const isFinal = refund?.status === 'failed' || refund?.status === 'canceled';
  if (kind === 'succeed') next.status = 'succeeded';
  if (kind === 'refund' && isPaid)
    next.refunds.push({ id: `re_${next.refunds.length}`, amount: cents, status: 'pending' });
  if (kind === 'settle' && refund?.status === 'pending') refund.status = 'succeeded';
  if (kind === 'fail' && refund && !isFinal) refund.status = 'failed';
  if (kind === 'cancel' && refund?.status === 'pending') refund.status = 'canceled';
  if (kind === 'dispute' && isPaid)
    next.disputes.push({ id: `du_${next.disputes.length}`, amount: cents, balance_transactions: [] });
  if (kind === 'book' && dispute) {
    const { length } = dispute.balance_transactions;
    const amount = length % 2 === 0 ? -cents : cents;
    dispute.balance_transactions.push({ id: `txn_${dispute.id}_${length}`, amount });
  }
  return next;
}

/** The credit expected from the payment: paid, less refunds that did not fail, less disputes that are withdrawn now. */
function centsLeft({ status, refunds, disputes }: Facts): number {
  if (status !== 'succeeded') return 0;
  const refunded = refunds.filter((refund) => refund.status === 'pending' || refund.status === 'succeeded');
  const withdrawn = disputes.filter((dispute) => dispute.balance_transactions.length % 2 === 1);
  return [...refunded, ...withdrawn].reduce((left, { amount }) => left - amount, AMOUNT_CENTS);
}

test('repeated observations in any order give the same result as one at the end', () => {
  const story = fc.array(happening, { maxLength: 25, size: 'max' });
  // The last observation is not the last one to arrive.
  const looks = fc.array(fc.nat(25), { maxLength: 30, size: 'max' });
  let settled = 0;
  fc.assert(
    fc.property(story, looks, fc.nat(30), (happenings, moments, place) => {
      const history: Facts[] = [{ status: 'processing', refunds: [], disputes: [] }];
      for (const next of happenings) history.push(after(history.at(-1) as Facts, next));
      const end = history.at(-1) as Facts;
      const seen = moments.map((moment) => history[Math.min(moment, history.length - 1)] as Facts);
      seen.splice(Math.min(place, seen.length), 0, end);

      const ledger = new Map<string, Movement>();
      for (const facts of seen)
        for (const movement of look(facts)) {
          const known = ledger.get(movement.externalId);
          // The first entry of a fact counts, so every later observation must repeat it.
          if (known) expect(movement).toEqual(known);
          else ledger.set(movement.externalId, movement);
        }

      const once = look(end);
      expect(new Set(once.map(({ externalId }) => externalId)).size).toBe(once.length);
      expect([...ledger.values()].sort(byId)).toEqual(once.toSorted(byId));
      const micros = once.reduce(
        (sum, { kind, amountMicros }) => (kind === 'credit' ? sum + amountMicros : sum - amountMicros),
        0n,
      );
      expect(micros).toBe(BigInt(centsLeft(end)) * MICROS_PER_CENT);
      if (once.length > 3) settled++;
    }),
    { numRuns: 1_000 },
  );
  expect(settled).toBeGreaterThan(50);
});

const byId = (one: Movement, other: Movement) => (one.externalId < other.externalId ? -1 : 1);
