/** What no API of Stripe's can do: the acts of banks, payers and networks. */

import type { Backend } from './backend.ts';
import { type DisputeOutcome, escalateInquiry, openDispute, resolveDispute } from './disputes.ts';
import { authenticateIntent } from './payments.ts';
import { failRefund, succeedRefund } from './refunds.ts';
import { type Charge, type Dispute, find, type PaymentIntent, type Refund, type Store } from './state.ts';

export type DisputeRequest = {
  /** Id of the charge, or of the payment intent that it paid. */
  of: string;
  /** Default: all of the charge. */
  amount?: number;
  /** Default `fraudulent`. */
  reason?: string;
  /** An inquiry withdraws no money. Default false. */
  isInquiry?: boolean;
};

export type Control = ReturnType<typeof openControl>;

/** Each throws a StripeApiError when the object is not there or not in a state for it; the results are copies. */
export function openControl({ state, save }: Store, backend: Backend) {
  const act = async <Result extends object>(effect: () => Result): Promise<Result> => {
    const result = structuredClone(effect());
    await save();
    return result;
  };
  const disputeOf = (id: string) => find(state.disputes, 'dispute', id);
  const refundOf = (id: string) => find(state.refunds, 'refund', id);
  const chargeOf = (id: string): Charge =>
    find(state.charges, 'charge', state.paymentIntents.get(id)?.latest_charge ?? id);
  return {
    /** Opens a dispute or an inquiry on a charge that succeeded. */
    openDispute: ({
      of,
      amount,
      reason = 'fraudulent',
      isInquiry = false,
    }: DisputeRequest): Promise<Dispute> =>
      act(() => {
        const charge = chargeOf(of);
        return openDispute(backend, charge, { amount: amount ?? charge.amount, reason, isInquiry });
      }),
    /** The bank decides; an inquiry ends as `warning_closed` only. */
    resolveDispute: (id: string, outcome: DisputeOutcome): Promise<Dispute> =>
      act(() => resolveDispute(backend, disputeOf(id), outcome)),
    /** Makes an inquiry a dispute. */
    escalateInquiry: (id: string): Promise<Dispute> => act(() => escalateInquiry(backend, disputeOf(id))),
    /** A pending refund arrives. */
    succeedRefund: (id: string): Promise<Refund> => act(() => succeedRefund(backend, refundOf(id))),
    /** A pending or succeeded refund comes back. */
    failRefund: (id: string, reason?: string): Promise<Refund> =>
      act(() => failRefund(backend, refundOf(id), reason)),
    /** Ends 3-D Secure of an intent that needs action. */
    authenticate: (id: string, isAuthenticated: boolean): Promise<PaymentIntent> =>
      act(() =>
        authenticateIntent(backend, find(state.paymentIntents, 'payment_intent', id), isAuthenticated),
      ),
    /** All events, oldest first, as `GET /v1/events` has them. */
    events: () => structuredClone([...state.events.values()]),
  };
}
