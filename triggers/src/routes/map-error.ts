import { serviceUnavailable, unauthorized } from '@latchkey/http';
import { ServiceChainUnavailableError, WalletLoginError } from '../auth/wallet-login.ts';
import { CoreUnavailableError } from '../core.ts';

/** Returns the reply to an error of the trigger service's domain, and any other value as it is. */
export function mapError(thrown: unknown): unknown {
  if (thrown instanceof WalletLoginError)
    return unauthorized('The signature of the wallet is not accepted.', { fix: 'Try again.', cause: thrown });
  if (thrown instanceof CoreUnavailableError || thrown instanceof ServiceChainUnavailableError)
    return serviceUnavailable(thrown.message, { cause: thrown });
  return thrown;
}
