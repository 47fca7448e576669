/** Accounts that were transferred and wait for their new admin wallet, which may know nothing of them. */
import { forbidden, type HttpError } from '@latchkey/http';
import { walletIdentity } from '@latchkey/protocol';
import type { Address } from 'viem';
import { hashText } from '../db/text.ts';
import type { KeyRegistry } from './key-registry.ts';

/**
 * Returns the refusal for an account that was not accepted. Such an account takes no payment, opens no session and mints nothing, because
 * the wallet that transferred it can take it back, and its usage keys spend its credit.
 *
 * @param account Master hash.
 */
export function accountNotAccepted(account: bigint): HttpError {
  const hash = hashText(account);
  return forbidden(`The account ${hash} was transferred to a wallet that has not accepted it.`, {
    fix:
      `From that wallet, accept the account by acceptAccount(${hash}) of the contract (acceptAccount of the SDK), or refuse it by ` +
      `cancelTransfer(${hash}).`,
  });
}

/** Rejects for a wallet that has no account while one waits for it: its holder could take that account for an own one. */
export async function requireNoUnaccepted(
  keyRegistry: Pick<KeyRegistry, 'findUnaccepted'>,
  wallet: Address,
): Promise<void> {
  const unaccepted = await keyRegistry.findUnaccepted(walletIdentity(wallet), 0n);
  if (unaccepted !== undefined) throw accountNotAccepted(unaccepted);
}
