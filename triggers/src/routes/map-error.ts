import { conflict, forbidden, serviceUnavailable, tooManyRequests, unauthorized } from '@latchkey/http';
import { isDatabaseUnavailable } from '@latchkey/service/database-errors';
import { ServiceChainUnavailableError, WalletLoginError } from '../auth/wallet-login.ts';
import { NotAcceptedError, RelayerUnavailableError } from '../relayer-client.ts';
import { QueueFullError, TriggerDisabledError } from '../runs/accept.ts';

/** Returns the reply to an error of the trigger service's domain, and any other value as it is. */
export function mapError(thrown: unknown): unknown {
  if (thrown instanceof WalletLoginError)
    return unauthorized('Wallet signature rejected.', {
      fix: 'Ask for a new message, and sign it unchanged with the wallet that it names, within five minutes.',
      cause: thrown,
    });
  if (thrown instanceof NotAcceptedError) {
    const { message, fix } = thrown;
    return forbidden(message, { ...(fix !== undefined && { fix }), cause: thrown });
  }
  if (thrown instanceof QueueFullError) {
    const { message, retryAfterSec: resetSec, perMinute: points } = thrown;
    const limit = { name: 'runs-of-trigger', periodSec: 60, remaining: 0, resetSec };
    return tooManyRequests(message, resetSec, points === undefined ? undefined : { ...limit, points });
  }
  if (thrown instanceof TriggerDisabledError)
    return conflict(thrown.message, {
      fix: 'Enable the trigger: PATCH /api/triggers/:id {"enabled": true}.',
    });
  if (thrown instanceof RelayerUnavailableError || thrown instanceof ServiceChainUnavailableError)
    return serviceUnavailable(thrown.message, { cause: thrown });
  if (isDatabaseUnavailable(thrown))
    return serviceUnavailable('The database does not answer.', { cause: thrown });
  return thrown;
}
