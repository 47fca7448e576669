import { accountWalletAddress, apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { type Address, type Hash, isAddressEqual } from 'viem';
import { readAccountState } from './account-state.ts';
import type { ApiBareClient, BareClient, Wallet } from './bare-client.ts';
import { solveChallenge } from './challenge.ts';
import { type CallOptions, defaultDeadline } from './deadline.ts';
import { get } from './http.ts';
import { prove } from './proof.ts';
import { labelled, newKeyHash, word } from './values.ts';
import { defineApiWrite, defineWrite, type Preparable } from './write.ts';
import { encodeWrite, type WriteOptions, type Written } from './write-definition.ts';

export interface NewAccountParameters {
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
}

/** A new account. API mode: includes its account key, which is shown once. */
export type NewAccountResult<client extends BareClient = BareClient> = {
  /** Master hash, which names the account on the chain. */
  accountHash: bigint;
  /** API mode: the address of the account key. ChainSecured mode: the admin wallet. */
  walletAddress: Address;
} & (client extends ApiBareClient ? { apiKey: string } : object);

/**
 * Creates an account. API mode: a managed account. It trusts the payers of the relayer and the owner of the contract
 * with the keys of its wallets. Store its account key, which cannot be shown again, and create a client with it. While many accounts are opened, this solves the relayer's challenge, which takes seconds. ChainSecured mode: an account that the wallet owns (`newChainSecuredAccount`).
 * @function
 */
export const newAccount = /* @__PURE__ */ defineWrite({
  name: 'newAccount',
  changes: ({ name, description }: NewAccountParameters) => [
    `Creates the account ${labelled(name, description)}.`,
  ],
  api: {
    path: '/core/v1/new_account',
    body: ({ name, description }) => ({ account_name: name, account_description: description }),
    onLimited: solveChallenge,
    result: ({ api_key, wallet_address }): NewAccountResult => ({
      apiKey: api_key,
      accountHash: apiKeyHash(api_key),
      walletAddress: wallet_address as Address,
    }),
  },
  chain: {
    calls: (_account, { name, description }) => [encodeWrite('newChainSecuredAccount', [name, description])],
    result: (take) => {
      const { masterApiKeyHash, adminWalletAddress } = take('AccountCreated');
      return { accountHash: masterApiKeyHash, walletAddress: adminWalletAddress };
    },
  },
}) as Preparable &
  (<client extends BareClient>(
    client: client,
    parameters: NewAccountParameters,
    options?: WriteOptions,
  ) => Promise<Written<NewAccountResult<client>>>);

/**
 * API mode: returns whether the key belongs to an account. ChainSecured mode: returns whether the wallet owns an
 * account now, and has accepted it.
 */
export async function accountExists(client: BareClient, options?: CallOptions): Promise<boolean> {
  const deadline = defaultDeadline(client, options);
  if (client.mode === 'chainSecured') {
    const { address } = client.internals.wallet.account;
    const found = await readAccountState(client, walletIdentity(address), deadline);
    return found.accepted && !found.managed && isAddressEqual(found.walletAddress, address);
  }
  const { json } = await get(client, '/core/v1/account_exists', {
    key: client.internals.apiKey(),
    seesOwnWrites: true,
    deadline,
  });
  return json;
}

export interface ConvertToChainSecuredAccountParameters {
  /** The new admin wallet. It signs an envelope and sends no transaction. */
  wallet: Wallet;
}

export interface ConvertToChainSecuredAccountResult {
  /** Master hash, which does not change. */
  accountHash: bigint;
  /** The new admin wallet. */
  walletAddress: Address;
  transactionHash: Hash;
}

/**
 * Converts the managed account of an API-mode client to ChainSecured. The conversion cannot be reversed.
 * @function
 */
export const convertToChainSecuredAccount = /* @__PURE__ */ defineApiWrite({
  name: 'convertToChainSecuredAccount',
  changes: ({ wallet }: ConvertToChainSecuredAccountParameters) => [
    `Converts the account to ChainSecured with the admin wallet ${wallet.account.address}, permanently.`,
    'The account key can no longer write; groups, actions, wallets, usage keys and credit are kept.',
  ],
  api: {
    path: '/core/v1/convert_to_chain_secured_account',
    body: ({ wallet }) => ({ new_admin_wallet_address: wallet.account.address }),
    proof: {
      primaryType: 'ConvertAccount',
      prove: (client, { wallet }, deadline) => prove(client, wallet, 'ConvertAccount', deadline),
    },
    result: ({ api_key_hash, wallet_address, transaction_hash }): ConvertToChainSecuredAccountResult => ({
      accountHash: BigInt(api_key_hash),
      walletAddress: wallet_address as Address,
      transactionHash: transaction_hash as Hash,
    }),
  },
});

export interface TransferOwnershipParameters {
  newAdminWalletAddress: Address;
}

/**
 * Transfers a ChainSecured account to another wallet, which accepts it by `acceptAccount`. Until then either wallet can undo the
 * transfer by `cancelTransfer`, and the account takes no payment. Usage keys outlive a transfer: the new admin removes those that
 * others know.
 * @function
 */
export const transferOwnership = /* @__PURE__ */ defineWrite({
  name: 'transferOwnership',
  changes: ({ newAdminWalletAddress }: TransferOwnershipParameters) => [
    `Transfers the account to the wallet ${newAdminWalletAddress}; the current wallet can no longer write to it.`,
    'Until that wallet accepts the account, the current wallet can take it back.',
  ],
  chain: {
    calls: (account, { newAdminWalletAddress }) => [
      encodeWrite('transferChainSecuredAccountOwnership', [account, newAdminWalletAddress]),
    ],
  },
});

export interface RotateAccountKeyParameters {
  /** The new account key: base64 of 32 random bytes. Store it before the call. Only its hash and its address are sent. */
  newApiKey: string;
}

/**
 * Replaces the account key of a managed account; everything else stays. Create a client with the new key afterwards. When
 * a retry after a lost reply fails with 401, the new key is in force. Sessions and agents of the trigger service end: log in
 * with the new key and pair the agents again.
 * @function
 */
export const rotateAccountKey = /* @__PURE__ */ defineApiWrite({
  name: 'rotateAccountKey',
  changes: (_parameters: RotateAccountKeyParameters) => [
    'Replaces the account key: the old one is refused from then on and can never be used again.',
  ],
  api: {
    path: '/core/v1/rotate_account_key',
    body: ({ newApiKey }) => ({
      new_api_key: word(newKeyHash(newApiKey)),
      new_wallet_address: accountWalletAddress(newApiKey),
    }),
  },
});

export interface RetireAccountParameters {
  /** Master hash of the account, as a confirmation. */
  accountHash: bigint;
}

/**
 * Ends an account permanently. Credit that is left can no longer be spent.
 * @function
 */
export const retireAccount = /* @__PURE__ */ defineWrite({
  name: 'retireAccount',
  changes: ({ accountHash }: RetireAccountParameters) => [
    `Ends the account ${word(accountHash)}, permanently: no write and no run is possible afterwards.`,
    'The keys of its wallets are never released again, and remaining credit can no longer be spent.',
  ],
  api: {
    path: '/core/v1/retire_account',
    body: ({ accountHash }) => ({ api_key_hash: word(accountHash) }),
  },
  chain: {
    calls: (_account, { accountHash }) => [encodeWrite('retireAccount', [accountHash])],
  },
});
