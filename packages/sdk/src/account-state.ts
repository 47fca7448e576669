/** The state of accounts on the chain, and the account that the wallet of a client writes. */
import { type HashState, hashStateOf, walletIdentity } from '@latchkey/protocol';
import { type Address, isAddressEqual, zeroAddress } from 'viem';
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import { isReading, readContract } from './contract.ts';
import type { Deadline } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { word } from './values.ts';

/** The state of a hash in the contract, and the account that it names or belonged to. */
export interface AccountState {
  state: HashState;
  /** Master hash of the account, 0 when there is none. */
  accountHash: bigint;
  /** The admin wallet, of a managed account the address of its key. The zero address when there is none. */
  walletAddress: Address;
  managed: boolean;
  /** False while the account waits for the wallet that it was transferred to. It takes no payment then. */
  accepted: boolean;
  /** The wallet that can take the account back while it is not accepted. */
  giver: Address | undefined;
  /** True when the account key was replaced by another one than the master hash. */
  rotated: boolean;
  /** True when the account is managed and the api payers are frozen: writes are refused. */
  frozen: boolean;
  /** Of a usage key: Unix seconds from which it is refused, 0 for no expiry. */
  expiration: bigint;
}

/** Reads the state of a hash at the client's own last write or later. */
export async function readAccountState(
  client: BareClient,
  hash: bigint,
  deadline: Deadline,
): Promise<AccountState> {
  if (!isReading(client))
    throw new LatchkeyError('configuration', 'accountState needs a node of the chain', {
      fix: 'Set publicClient and contractAddress.',
    });
  const found = await readContract(client, 'accountState', [hash], deadline);
  const { managed, accepted, rotated, frozen, expiration } = found;
  return {
    state: hashStateOf(found.state),
    accountHash: found.masterApiKeyHash,
    walletAddress: found.adminWalletAddress,
    giver: found.giver === zeroAddress ? undefined : found.giver,
    managed,
    accepted,
    rotated,
    frozen,
    expiration,
  };
}

/**
 * Returns the hash by which writes name the wallet's account: its master hash, or the wallet's identity when it has none. A write with
 * the master hash would accept an account that waits for the wallet: rejects for one, unless `isWaitingAllowed`.
 */
export async function ownAccount(
  client: ChainSecuredBareClient,
  deadline: Deadline,
  isWaitingAllowed = false,
): Promise<bigint> {
  const { internals } = client;
  const { address } = internals.wallet.account;
  const identity = walletIdentity(address);
  if (internals.account !== undefined) return internals.account;
  const found = await readAccountState(client, identity, deadline);
  const { accepted, accountHash } = found;
  // The identity of a wallet that transferred its account still names it.
  if (found.managed || !isAddressEqual(found.walletAddress, address)) return identity;
  if (accepted) internals.account = accountHash;
  else if (!isWaitingAllowed)
    throw new LatchkeyError(
      'account_not_accepted',
      `the account ${word(accountHash)} was transferred to the wallet, which has not accepted it`,
      {
        fix: `Call acceptAccount, or cancelTransfer to give it back, each with accountHash ${word(accountHash)}. newAccount opens an own account.`,
      },
    );
  return internals.account ?? identity;
}
