import { badRequest, conflict, HttpError, notFound, paymentRequired, tooManyRequests } from '@latchkey/http';
import { isDatabaseUnavailable } from '@latchkey/service/database-errors';
import type { KeyHolder } from '../auth/authenticators.ts';
import { WalletProofError } from '../auth/wallet-proof.ts';
import { UnknownPaymentError, UnpaidError } from '../billing/billing.ts';
import { CapError } from '../billing/caps.ts';
import { EventSignatureError, ProcessorUnavailableError } from '../billing/card-processor.ts';
import { InsufficientCreditError } from '../billing/ledger.ts';
import { RunUnpaidError } from '../billing/run-meter.ts';
import { ChainUnavailableError, ContractRevertError } from '../chain/errors.ts';
import { PayersBusyError } from '../chain/payer-pool.ts';
import { OtherRequestError } from '../chain/payers.ts';
import { revertStatus } from '../chain/revert-status.ts';
import { GroupNotIndexedError, IndexerUnavailableError } from '../indexer-client.ts';
import { RunShareError, RuntimeUnavailableError } from '../runtime/errors.ts';

const unavailable = (cause: Error, retryAfterSec: number) =>
  new HttpError('service_unavailable', cause.message, { cause, retryAfterSec });

/** Which cap of the usage key is reached, and when it frees. A cap of money is 402, one of runs 429. */
function capReached({ cap, freesAt }: CapError): HttpError {
  const message = `This usage key has reached its ${cap}.`;
  const retryAfterSec = freesAt === undefined ? 1 : (freesAt.getTime() - Date.now()) / 1_000;
  if (cap === 'max_concurrency')
    return tooManyRequests(`${message} It frees when a run ends.`, retryAfterSec);
  const when =
    freesAt === undefined ? 'It does not free by itself.' : `It frees at ${freesAt.toISOString()}.`;
  if (cap === 'max_runs_per_minute') return tooManyRequests(`${message} ${when}`, retryAfterSec);
  return new HttpError('payment_required', `${message} ${when}`, {
    fix: 'update_usage_api_key changes the caps of a key.',
    ...(freesAt && { retryAfterSec }),
  });
}

/** Returns the reply to an error of the relayer's domain, and any other value as it is. */
export function mapError(thrown: unknown, caller: KeyHolder | undefined): unknown {
  if (thrown instanceof ContractRevertError) return revertStatus(thrown, caller?.hash);
  if (thrown instanceof ChainUnavailableError || thrown instanceof IndexerUnavailableError)
    return unavailable(thrown, 5);
  if (thrown instanceof PayersBusyError || thrown instanceof RuntimeUnavailableError)
    return unavailable(thrown, 1);
  if (thrown instanceof ProcessorUnavailableError || thrown instanceof RunUnpaidError)
    return unavailable(thrown, 5);
  if (thrown instanceof RunShareError)
    return tooManyRequests(`Too many runs: ${thrown.message}. Send it again when one has ended.`, 1);
  if (isDatabaseUnavailable(thrown)) return unavailable(thrown as Error, 1);
  if (thrown instanceof InsufficientCreditError)
    return paymentRequired('The account has not enough credit.', {
      fix: 'Pay with billing/create_payment_intent; billing/balance says what is left.',
    });
  if (thrown instanceof CapError) return capReached(thrown);
  if (thrown instanceof UnknownPaymentError) return notFound('The account has no such payment.');
  if (thrown instanceof UnpaidError)
    return conflict(`The payment has not succeeded: it is ${thrown.status}.`, {
      fix: 'Complete it with the client_secret of its intent.',
    });
  if (thrown instanceof EventSignatureError)
    return badRequest('The signature of the event is not valid, or older than 300 seconds.');
  if (thrown instanceof WalletProofError)
    return badRequest('The proof of the wallet is not valid.', {
      fix: 'Sign the envelope of this endpoint anew, for this chain and with the time of now.',
    });
  if (thrown instanceof GroupNotIndexedError)
    return notFound('The account has no such group.', { fix: 'list_groups shows its groups.' });
  if (thrown instanceof OtherRequestError)
    return conflict('This Idempotency-Key was used with another request.', {
      fix: 'Use a new key for a new request.',
    });
  return thrown;
}
