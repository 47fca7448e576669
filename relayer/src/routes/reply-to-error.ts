import { badRequest, conflict, HttpError, notFound } from '@latchkey/http';
import { WalletProofError } from '../auth/wallet-proof.ts';
import { ChainUnavailableError, ContractRevertError } from '../chain/errors.ts';
import { OtherRequestError, PayersBusyError } from '../chain/payers.ts';
import { revertStatus } from '../chain/revert-status.ts';
import { GroupNotIndexedError, IndexerUnavailableError } from '../indexer.ts';
import { RuntimeUnavailableError } from '../runtime/errors.ts';

const unavailable = (cause: Error, retryAfterSec: number) =>
  new HttpError('service_unavailable', cause.message, { cause, retryAfterSec });

/** What the errors of the domain are to a client; every other value is passed on. `callerHash`: of the key sent. */
export function replyToError(thrown: unknown, callerHash: bigint | undefined): unknown {
  if (thrown instanceof ContractRevertError) return revertStatus(thrown, callerHash);
  if (thrown instanceof ChainUnavailableError || thrown instanceof IndexerUnavailableError)
    return unavailable(thrown, 5);
  if (thrown instanceof PayersBusyError || thrown instanceof RuntimeUnavailableError)
    return unavailable(thrown, 1);
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
