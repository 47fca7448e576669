import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import type { Address, Hash } from 'viem';
import type { ApiBareClient, BareClient, ChainSecuredBareClient, Wallet } from './bare-client.ts';
import { readContract } from './contract.ts';
import type { CallOptions } from './deadline.ts';
import { get } from './http.ts';
import { prove } from './proof.ts';
import { labelled } from './values.ts';
import {
  defaultDeadline,
  encodeWrite,
  type Prepared,
  type PrepareOptions,
  prepareWrite,
  type Write,
  type WriteOptions,
  type Written,
  write,
} from './write.ts';

export interface NewAccountParameters {
  /** At most 128 bytes. */
  accountName: string;
  /** At most 1,024 bytes. */
  accountDescription: string;
}

/** A new account. API mode: includes its account key, which is shown once. */
export type NewAccountResult<client extends BareClient = BareClient> = {
  /** Master hash, which names the account on the chain. */
  apiKeyHash: bigint;
  /** API mode: the address of the account key. ChainSecured mode: the admin wallet. */
  walletAddress: Address;
} & (client extends ApiBareClient ? { apiKey: string } : object);

const newAccountWrite: Write<NewAccountParameters, NewAccountResult, '/core/v1/new_account'> = {
  name: 'newAccount',
  changes: ({ accountName, accountDescription }) => [
    `Creates the account ${labelled(accountName, accountDescription)}.`,
  ],
  api: {
    path: '/core/v1/new_account',
    body: ({ accountName, accountDescription }) => ({
      account_name: accountName,
      account_description: accountDescription,
    }),
    result: ({ api_key, wallet_address }) => ({
      apiKey: api_key,
      apiKeyHash: apiKeyHash(api_key),
      walletAddress: wallet_address as Address,
    }),
  },
  chain: {
    calls: (_account, { accountName, accountDescription }) => [
      encodeWrite('newChainSecuredAccount', [accountName, accountDescription]),
    ],
    result: (take) => {
      const { masterApiKeyHash, adminWalletAddress } = take('AccountCreated');
      return { apiKeyHash: masterApiKeyHash, walletAddress: adminWalletAddress };
    },
  },
};

/**
 * Creates an account. API mode: a managed account. Store its account key, which cannot be shown again, and create a
 * client with it. ChainSecured mode: an account that the wallet owns (`newChainSecuredAccount`).
 */
export function newAccount<client extends BareClient>(
  client: client,
  parameters: NewAccountParameters,
  options?: WriteOptions,
): Promise<Written<NewAccountResult<client>>> {
  return write(client, newAccountWrite, parameters, options) as Promise<Written<NewAccountResult<client>>>;
}

/** Prepares {@link newAccount} without sending it. */
export function prepareNewAccount<client extends BareClient>(
  client: client,
  parameters: NewAccountParameters,
  options?: PrepareOptions,
): Promise<Prepared<client, NewAccountResult<client>>> {
  return prepareWrite(client, newAccountWrite, parameters, options) as Promise<
    Prepared<client, NewAccountResult<client>>
  >;
}

/**
 * API mode: returns whether the key belongs to an account. ChainSecured mode: returns whether the wallet owns an
 * account now.
 */
export async function accountExists(client: BareClient, options?: CallOptions): Promise<boolean> {
  const deadline = defaultDeadline(client, options);
  if (client.mode === 'chainSecured') {
    const identity = walletIdentity(client.internals.wallet.account.address);
    return readContract(client, 'accountExistsAndIsMutable', [identity], deadline);
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
  apiKeyHash: bigint;
  /** The new admin wallet. */
  walletAddress: Address;
  transactionHash: Hash;
}

const convertWrite: Write<
  ConvertToChainSecuredAccountParameters,
  ConvertToChainSecuredAccountResult,
  '/core/v1/convert_to_chain_secured_account'
> = {
  name: 'convertToChainSecuredAccount',
  changes: ({ wallet }) => [
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
    result: ({ api_key_hash, wallet_address, transaction_hash }) => ({
      apiKeyHash: BigInt(api_key_hash),
      walletAddress: wallet_address as Address,
      transactionHash: transaction_hash as Hash,
    }),
  },
};

/** Converts the managed account of an API-mode client to ChainSecured. The conversion cannot be reversed. */
export function convertToChainSecuredAccount(
  client: ApiBareClient,
  parameters: ConvertToChainSecuredAccountParameters,
  options?: WriteOptions,
): Promise<Written<ConvertToChainSecuredAccountResult>> {
  return write(client, convertWrite, parameters, options);
}

/** Prepares {@link convertToChainSecuredAccount} without sending it. */
export function prepareConvertToChainSecuredAccount<client extends ApiBareClient>(
  client: client,
  parameters: ConvertToChainSecuredAccountParameters,
  options?: PrepareOptions,
): Promise<Prepared<client, ConvertToChainSecuredAccountResult>> {
  return prepareWrite(client, convertWrite, parameters, options);
}

export interface TransferOwnershipParameters {
  newAdminWalletAddress: Address;
}

const transferWrite: Write<TransferOwnershipParameters, object, never> = {
  name: 'transferOwnership',
  changes: ({ newAdminWalletAddress }) => [
    `Transfers the account to the wallet ${newAdminWalletAddress}; the current wallet can no longer write to it.`,
  ],
  chain: {
    calls: (account, { newAdminWalletAddress }) => [
      encodeWrite('transferChainSecuredAccountOwnership', [account, newAdminWalletAddress]),
    ],
    result: () => ({}),
  },
};

/** Transfers a ChainSecured account to another wallet, without asking that wallet. */
export function transferOwnership(
  client: ChainSecuredBareClient,
  parameters: TransferOwnershipParameters,
  options?: WriteOptions,
): Promise<Written> {
  return write(client, transferWrite, parameters, options);
}

/** Prepares {@link transferOwnership} without sending it. */
export function prepareTransferOwnership<client extends ChainSecuredBareClient>(
  client: client,
  parameters: TransferOwnershipParameters,
  options?: PrepareOptions,
): Promise<Prepared<client, object>> {
  return prepareWrite(client, transferWrite, parameters, options);
}
