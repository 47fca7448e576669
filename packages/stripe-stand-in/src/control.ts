/** Acts of banks, payers and networks, which no API of Stripe offers. */
import { type DisputeOutcome, escalateInquiry, openDispute, resolveDispute } from './disputes.ts';
import { authenticateIntent } from './payments.ts';
import { failRefund, succeedRefund } from './refunds.ts';
import { authenticateSetup } from './setups.ts';
import {
  type Backend,
  type Dispute,
  find,
  type PaymentIntent,
  type Refund,
  type SetupIntent,
  type Store,
} from './state.ts';

export type DisputeRequest = {
  /** Id of the payment intent. */
  of: string;
  /** Default: the whole payment. */
  amount?: number;
  /** An inquiry withdraws no money (default false). */
  isInquiry?: boolean;
};

export type Control = ReturnType<typeof openControl>;

/** Every method throws a StripeApiError when the object does not exist or has the wrong state; results are copies. */
export function openControl({ state, save }: Store, backend: Backend) {
  const act = async <Result extends object>(effect: () => Result): Promise<Result> => {
    const result = structuredClone(effect());
    await save();
    return result;
  };
  const findDispute = (id: string) => find(state.disputes, 'dispute', id);
  const findRefund = (id: string) => find(state.refunds, 'refund', id);
  const findIntent = (id: string) => find(state.paymentIntents, 'payment_intent', id);
  return {
    /** Opens a dispute or an inquiry on a successful payment. */
    openDispute: ({ of, amount, isInquiry = false }: DisputeRequest): Promise<Dispute> =>
      act(() => {
        const intent = findIntent(of);
        return openDispute(backend, intent, { amount: amount ?? intent.amount, isInquiry });
      }),
    /** Applies the bank's decision; an inquiry can end only as `warning_closed`. */
    resolveDispute: (id: string, outcome: DisputeOutcome): Promise<Dispute> =>
      act(() => resolveDispute(backend, findDispute(id), outcome)),
    /** Turns an inquiry into a dispute. */
    escalateInquiry: (id: string): Promise<Dispute> => act(() => escalateInquiry(backend, findDispute(id))),
    /** Settles a pending refund. */
    succeedRefund: (id: string): Promise<Refund> => act(() => succeedRefund(backend, findRefund(id))),
    /** Returns a pending or succeeded refund to the balance. */
    failRefund: (id: string): Promise<Refund> => act(() => failRefund(backend, findRefund(id))),
    /** Completes or fails 3-D Secure of an intent that requires action. */
    authenticate: (id: string, isAuthenticated: boolean): Promise<PaymentIntent> =>
      act(() => authenticateIntent(backend, findIntent(id), isAuthenticated)),
    /** Completes or fails 3-D Secure of a setup intent that requires action. */
    authenticateSetup: (id: string, isAuthenticated: boolean): Promise<SetupIntent> =>
      act(() => authenticateSetup(backend, find(state.setupIntents, 'setup_intent', id), isAuthenticated)),
  };
}
