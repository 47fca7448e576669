import {
  ChainUnavailableError,
  ContractRevertError,
  FeesTooHighError,
  TooMuchGasError,
} from '@latchkey/chain/errors';
import { badRequest, conflict, HttpError, notFound, paymentRequired, tooManyRequests } from '@latchkey/http';
import { OtherRequestError } from '@latchkey/outbox';
import { RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { isDatabaseUnavailable } from '@latchkey/service/database-errors';
import { LockLostError } from '@latchkey/service/locks';
import { TurnRefusedError } from '@latchkey/service/turns';
import type { KeyHolder } from '../auth/authenticators.ts';
import { WalletProofError } from '../auth/wallet-proof.ts';
import { CapError } from '../billing/caps.ts';
import { UnknownPaymentError, UnpaidError } from '../billing/card-payments.ts';
import { EventSignatureError, ProcessorUnavailableError } from '../billing/card-processor.ts';
import { InsufficientCreditError } from '../billing/ledger.ts';
import { RunUnpaidError } from '../billing/run-meter.ts';
import { CardNotStoredError, UnknownCardError } from '../billing/stored-cards.ts';
import { LimitRaisedError } from '../billing/top-ups.ts';
import { revertStatus } from '../chain/revert-status.ts';
import { GroupNotIndexedError, IndexerUnavailableError } from '../indexer-client.ts';
import {
  KeyNodesUnavailableError,
  RunInterruptedError,
  RunnerCrashedError,
  RunShareError,
} from '../runners/errors.ts';

const unavailable = (cause: Error, retryAfterSec: number, isPublic = false) =>
  new HttpError('service_unavailable', cause.message, { cause, retryAfterSec, isPublic });

/** Names the reached cap of the usage key and when it frees. Returns 402 for a spend cap, 429 for caps of runs. */
function capReached({ cap, freesAt }: CapError): HttpError {
  const message = `This usage key has reached its ${cap}.`;
  const retryAfterSec = freesAt === undefined ? 1 : (freesAt.getTime() - Date.now()) / 1_000;
  if (cap === 'max_concurrency')
    return tooManyRequests(`${message} It frees when a run ends.`, retryAfterSec);
  const when =
    freesAt === undefined ? 'It does not free by itself.' : `It frees at ${freesAt.toISOString()}.`;
  if (cap === 'max_runs_per_minute') return tooManyRequests(`${message} ${when}`, retryAfterSec);
  return new HttpError('payment_required', `${message} ${when}`, {
    fix: 'Change the caps of the key with update_usage_api_key.',
    ...(freesAt && { retryAfterSec }),
  });
}

function paymentError(thrown: unknown): HttpError | undefined {
  if (thrown instanceof UnknownPaymentError)
    return notFound('The account does not have this payment.', {
      fix: 'Send the payment_intent_id of billing/create_payment_intent, with a credential of the account that called it.',
    });
  if (thrown instanceof UnknownCardError)
    return notFound('The owner of the account has not stored this card.', {
      fix: 'Store a card with billing/create_setup_intent and send its setup_intent_id.',
    });
  if (thrown instanceof CardNotStoredError)
    return conflict(`The card is not stored: the status of its setup is ${thrown.status}.`, {
      fix: 'Complete the setup with the client_secret of its intent.',
    });
  if (thrown instanceof LimitRaisedError)
    return conflict('The holder of the stored card has agreed to a lower monthly limit.', {
      fix: 'Store the card again with billing/create_setup_intent and send its setup_intent_id, or send at most the present monthly_limit_cents.',
    });
  if (thrown instanceof UnpaidError)
    return conflict(`The payment has not succeeded: its status is ${thrown.status}.`, {
      fix: 'Complete the payment with the client_secret of its intent.',
    });
  return undefined;
}

/** Converts a domain error of the relayer to an HTTP error; returns any other value unchanged. */
export function mapError(thrown: unknown, caller: KeyHolder | undefined): unknown {
  if (thrown instanceof ContractRevertError) return revertStatus(thrown, caller?.hash);
  if (thrown instanceof TooMuchGasError)
    return badRequest(`The write is too large: ${thrown.message}. Nothing was changed or charged.`, {
      fix: 'Name fewer groups, actions or wallets in one request: ids that are far apart cost the most.',
    });
  if (thrown instanceof FeesTooHighError) return unavailable(thrown, 30, true);
  if (thrown instanceof ChainUnavailableError || thrown instanceof IndexerUnavailableError)
    return unavailable(thrown, 5);
  if (thrown instanceof TurnRefusedError)
    return tooManyRequests(`Too many concurrent requests: ${thrown.message}. Retry when one has ended.`, 1);
  if (thrown instanceof KeyNodesUnavailableError) return unavailable(thrown, 1, true);
  // 502, because clients retry a 503, and the run could be the cause of the crash.
  if (thrown instanceof RunnerCrashedError)
    return new HttpError(
      'service_unavailable',
      'The runner crashed while it executed the run, which costs nothing.',
      {
        cause: thrown,
        status: 502,
        isPublic: true,
      },
    );
  if (
    thrown instanceof RuntimeUnavailableError ||
    thrown instanceof RunInterruptedError ||
    thrown instanceof LockLostError
  )
    return unavailable(thrown, 1);
  if (thrown instanceof ProcessorUnavailableError || thrown instanceof RunUnpaidError)
    return unavailable(thrown, 5);
  if (thrown instanceof RunShareError)
    return tooManyRequests(`Too many runs: ${thrown.message}. Retry when one has ended.`, 1);
  if (isDatabaseUnavailable(thrown)) return unavailable(thrown as Error, 1);
  if (thrown instanceof InsufficientCreditError)
    return paymentRequired('The account does not have enough credit.', {
      fix: 'Pay with billing/create_payment_intent. billing/balance returns the remaining credit.',
    });
  if (thrown instanceof CapError) return capReached(thrown);
  const ofPayment = paymentError(thrown);
  if (ofPayment) return ofPayment;
  if (thrown instanceof EventSignatureError)
    return badRequest('The signature of the event is invalid or older than 300 seconds.', {
      fix: 'Set STRIPE_WEBHOOK_SECRETS to the secrets of the endpoint at Stripe, and correct the clock.',
    });
  if (thrown instanceof WalletProofError)
    return badRequest('The wallet proof is invalid.', {
      fix: 'Sign a new envelope of this endpoint for this chain with the current time.',
    });
  if (thrown instanceof GroupNotIndexedError)
    return notFound('The account does not have this group.', { fix: 'Find its groups with list_groups.' });
  if (thrown instanceof OtherRequestError)
    return conflict('This Idempotency-Key was already used for another request.', {
      fix: 'Send a new Idempotency-Key for a new request.',
    });
  return thrown;
}
