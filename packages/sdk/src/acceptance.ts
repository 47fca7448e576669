import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { type AccountState, readAccountState } from './account-state.ts';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { signedNonce, word } from './values.ts';
import { prepareFunction, writeFunction } from './write.ts';
import { defaultDeadline, encodeWrite, type Write } from './write-definition.ts';

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

const acceptAccountWrite: Write<TransferredAccountParameters, object, never> = {
  name: 'acceptAccount',
  changes: ({ accountHash }) => [
    `Accepts the account ${word(accountHash)}: the wallet that transferred it can no longer take it back.`,
  ],
  chain: {
    calls: (_account, { accountHash }) => [encodeWrite('acceptAccount', [accountHash])],
    result: () => ({}),
  },
};

/**
 * Accepts an account that was transferred to the wallet. From then on the wallet's identity names it, unless the wallet has an own
 * account: then only the master hash does. Look at its usage keys first: they outlive the transfer.
 * @function
 */
export const acceptAccount = /* @__PURE__ */ writeFunction(acceptAccountWrite);

/** Prepares {@link acceptAccount} without sending it. @function */
export const prepareAcceptAccount = /* @__PURE__ */ prepareFunction(acceptAccountWrite);

const cancelTransferWrite: Write<TransferredAccountParameters, object, never> = {
  name: 'cancelTransfer',
  changes: ({ accountHash }) => [
    `Gives the account ${word(accountHash)} back to the wallet that transferred it.`,
  ],
  chain: {
    calls: (_account, { accountHash }) => [encodeWrite('cancelTransfer', [accountHash])],
    result: () => ({}),
  },
};

/**
 * Cancels a transfer that was not accepted: the wallet that transferred the account takes it back, or the new one refuses it.
 * @function
 */
export const cancelTransfer = /* @__PURE__ */ writeFunction(cancelTransferWrite);

/** Prepares {@link cancelTransfer} without sending it. @function */
export const prepareCancelTransfer = /* @__PURE__ */ prepareFunction(cancelTransferWrite);

export interface CancelNonceParameters {
  /** The nonce of the signed writes, or their `idempotencyKey`. */
  nonce: bigint | string;
}

const cancelNonceWrite: Write<CancelNonceParameters, object, never> = {
  name: 'cancelNonce',
  changes: ({ nonce }) => [`Cancels the signed writes with the nonce ${word(signedNonce(nonce))}.`],
  chain: {
    calls: (account, { nonce }) => [encodeWrite('cancelNonce', [account, signedNonce(nonce)])],
    result: () => ({}),
  },
};

/**
 * Cancels signed writes of the account that were not executed: their signatures are void from then on. Rejects with NonceAlreadyUsed
 * when they were executed.
 * @function
 */
export const cancelNonce = /* @__PURE__ */ writeFunction(cancelNonceWrite);

/** Prepares {@link cancelNonce} without sending it. @function */
export const prepareCancelNonce = /* @__PURE__ */ prepareFunction(cancelNonceWrite);
