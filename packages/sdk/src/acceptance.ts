import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { type AccountState, readAccountState } from './account-state.ts';
import type { BareClient } from './bare-client.ts';
import { type CallOptions, defaultDeadline } from './deadline.ts';
import { signedNonce, word } from './values.ts';
import { defineWrite } from './write.ts';
import { encodeWrite } from './write-definition.ts';

export interface AccountStateParameters {
  /** Hash of a key, or identity of a wallet. Default: of the client's key or wallet. */
  hash?: bigint | undefined;
}

/**
 * Returns what a hash is on the chain: by default the client's key, or the identity of its wallet, so that a wallet learns whether an
 * account waits for it. API mode needs `publicClient`.
 */
export async function accountState(
  client: BareClient,
  { hash }: AccountStateParameters = {},
  options?: CallOptions,
): Promise<AccountState> {
  const own = () =>
    client.mode === 'chainSecured'
      ? walletIdentity(client.internals.wallet.account.address)
      : apiKeyHash(client.internals.apiKey() ?? '');
  return readAccountState(client, hash ?? own(), defaultDeadline(client, options));
}

export interface TransferredAccountParameters {
  /** Master hash of the account that was transferred: `accountHash` of {@link accountState}. */
  accountHash: bigint;
}

/**
 * Accepts an account that was transferred to the wallet. From then on the wallet's identity names it, unless the wallet has an own
 * account: then only the master hash does. Look at its usage keys first: they outlive the transfer.
 * @function
 */
export const acceptAccount = /* @__PURE__ */ defineWrite({
  name: 'acceptAccount',
  changes: ({ accountHash }: TransferredAccountParameters) => [
    `Accepts the account ${word(accountHash)}: the wallet that transferred it can no longer take it back.`,
  ],
  chain: {
    calls: (_account, { accountHash }) => [encodeWrite('acceptAccount', [accountHash])],
  },
});

/**
 * Cancels a transfer that was not accepted: the wallet that transferred the account takes it back, or the new one refuses it.
 * @function
 */
export const cancelTransfer = /* @__PURE__ */ defineWrite({
  name: 'cancelTransfer',
  changes: ({ accountHash }: TransferredAccountParameters) => [
    `Gives the account ${word(accountHash)} back to the wallet that transferred it.`,
  ],
  chain: {
    calls: (_account, { accountHash }) => [encodeWrite('cancelTransfer', [accountHash])],
  },
});

export interface CancelNonceParameters {
  /** The nonce of the signed writes, or their `idempotencyKey`. */
  nonce: bigint | string;
}

/**
 * Cancels signed writes of the account that were not executed: their signatures are void from then on. Rejects with NonceAlreadyUsed
 * when they were executed.
 * @function
 */
export const cancelNonce = /* @__PURE__ */ defineWrite({
  name: 'cancelNonce',
  changes: ({ nonce }: CancelNonceParameters) => [
    `Cancels the signed writes with the nonce ${word(signedNonce(nonce))}.`,
  ],
  chain: {
    calls: (account, { nonce }) => [encodeWrite('cancelNonce', [account, signedNonce(nonce)])],
  },
});
