import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MICROS_PER_CENT } from './money.ts';
import { type Movement, movementsOf } from './payments.ts';

type Refund = { id: string; amount: number; status: string };
type Dispute = { id: string; amount: number; balance_transactions: { id: string; amount: number }[] };
/** What the card processor shows of one payment at some moment. */
type Facts = { status: string; refunds: Refund[]; disputes: Dispute[] };

const AMOUNT_CENTS = 5_000;
const look = ({ status, refunds, disputes }: Facts): Movement[] =>
  movementsOf(
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
    'that is %s moves nothing',
    (status) => {
      expect(look({ status, refunds: [], disputes: [] })).toEqual([]);
    },
  );

  test('that succeeded is credited with what was received', () => {
    expect(succeeded()).toEqual([
      { kind: 'credit', amountMicros: 50_000_000n, externalId: 'stripe pi_1', reason: 'payment pi_1' },
    ]);
  });

  test.each(['pending', 'requires_action', 'succeeded'])('a %s refund takes back its part', (status) => {
    expect(inShort(succeeded([{ id: 're_1', amount: 1_234, status }]))).toEqual([
      paid,
      ['reverse', 1_234, 'stripe re_1'],
    ]);
  });

  test.each(['failed', 'canceled'])('a %s refund is taken back and returned', (status) => {
    expect(inShort(succeeded([{ id: 're_1', amount: 1_234, status }]))).toEqual([
      paid,
      ['reverse', 1_234, 'stripe re_1'],
      ['credit', 1_234, `stripe re_1 ${status}`],
    ]);
  });

  test('an inquiry moves nothing', () => {
    expect(inShort(succeeded([], [{ id: 'du_1', amount: 700, balance_transactions: [] }]))).toEqual([paid]);
  });

  test('a dispute takes its own amount back, and returns it when it is won, whatever the bank booked', () => {
    // In the currency of the payout.
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

/** One thing that happens to the payment; `what` chooses among its refunds or disputes. */
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

/** The facts after it; the processor forgets none. */
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

/** What the account should have of it: paid, less refunds that did not come back, less disputes that are withdrawn now. */
function centsLeft({ status, refunds, disputes }: Facts): number {
  if (status !== 'succeeded') return 0;
  const refunded = refunds.filter((refund) => refund.status === 'pending' || refund.status === 'succeeded');
  const withdrawn = disputes.filter((dispute) => dispute.balance_transactions.length % 2 === 1);
  return [...refunded, ...withdrawn].reduce((left, { amount }) => left - amount, AMOUNT_CENTS);
}

test('looks at any moments, in any order and repeated, give what one look at the end gives', () => {
  const story = fc.array(happening, { maxLength: 25, size: 'max' });
  // The last look is not the last one to arrive.
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
          // The first one counts: it has to be what every later look says, too.
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
