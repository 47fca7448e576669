import { isExportable } from '@latchkey/protocol';
import type { Address, Hex } from 'viem';
import type { BareClient } from './bare-client.ts';
import { isReading, type ReadingClient, readContract } from './contract.ts';
import type { CallOptions, Deadline } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { type PostReplyOf, post } from './http.ts';
import {
  endsBefore,
  type Labels,
  type ListSource,
  listPage,
  type Page,
  type PageParameters,
  view,
} from './pages.ts';
import { prove } from './proof.ts';
import { addressOfPublicKey, anyAddress, labelled, placeholderPath, usageKeyHash } from './values.ts';
import { verifyWalletAddress } from './wallet-certificate.ts';
import { defineWrite } from './write.ts';
import { encodeWrite } from './write-definition.ts';

export interface CreateWalletParameters {
  /** At most 128 bytes. Default empty. */
  name?: string | undefined;
  /** At most 1,024 bytes. Default empty. */
  description?: string | undefined;
  /** False: actions can sign and encrypt with the wallet, and can never get its private key. Default true. */
  exportable?: boolean | undefined;
}

export interface CreateWalletResult {
  /** The address by which groups and actions name the wallet. */
  walletAddress: Address;
  /** 0x04 and 128 hex digits, for `setSecret`. Undefined while the service is being upgraded: `recoverPublicKey` of viem gets it from a signature. */
  publicKey?: Hex | undefined;
}

type Minted = { wallet: Address; path: bigint; publicKey?: Hex | undefined };
type MintedReply = PostReplyOf<'/core/v1/create_wallet'>;

const readMinted = ({ wallet_address, derivation_path, public_key }: MintedReply): Minted => ({
  wallet: wallet_address as Address,
  path: BigInt(derivation_path),
  publicKey: (public_key as Hex | null) ?? undefined,
});

const unverified = (reason: string): LatchkeyError =>
  new LatchkeyError('unverified_address', `the relayer returned an address that ${reason}`, {
    fix: 'Do not use the wallet, and tell the operator of the service.',
  });

/**
 * Throws unless the path has the mark of a wallet that is not exportable, or has none, as it was asked for, and the address is of the public
 * key: the relayer could have the key of another one.
 */
function checked(minted: Minted, { exportable = true }: CreateWalletParameters): Minted {
  if (isExportable(minted.path) !== exportable)
    throw unverified(`belongs to a wallet that is ${exportable ? 'not ' : ''}exportable`);
  if (minted.publicKey && addressOfPublicKey(minted.publicKey) !== minted.wallet)
    throw unverified('does not match its public key');
  return minted;
}

/** Rejects when the key nodes of the contract have not signed the address: the relayer could have the key of such an address. */
async function requireSigned(client: ReadingClient, reply: MintedReply, deadline: Deadline): Promise<void> {
  const keyNodes = await readContract(client, 'nodeConfigurationValue', ['key-nodes'], deadline);
  const { wallet: walletAddress, path: derivationPath } = readMinted(reply);
  const { certificate } = reply;
  if (!(await verifyWalletAddress({ walletAddress, derivationPath, certificate, keyNodes })))
    throw unverified('the key nodes have not signed for its derivation path');
}

const resultOf = ({ wallet, publicKey }: Minted): CreateWalletResult => ({
  walletAddress: wallet,
  publicKey,
});

/**
 * Creates a wallet (PKP). In ChainSecured mode the client's wallet signs an envelope, for which the relayer mints the
 * new wallet, and a transaction that registers it.
 * @function
 */
export const createWallet = /* @__PURE__ */ defineWrite({
  name: 'createWallet',
  changes: ({ name = '', description = '', exportable = true }: CreateWalletParameters) => [
    `Creates the wallet ${labelled(name, description)}${exportable ? '' : ', whose private key is not exportable'}.`,
  ],
  api: {
    path: '/core/v1/create_wallet',
    body: ({ name = '', description = '', exportable = true }) => ({ name, description, exportable }),
    check: async (client, reply, deadline) => {
      const key = client.internals.apiKey();
      if (!isReading(client) || key === undefined) return;
      await requireSigned(client, reply, deadline);
      const { wallet, path } = readMinted(reply);
      // Signed wallets of other accounts exist.
      const owned = await readContract(client, 'getWalletDerivation', [usageKeyHash(key), wallet], deadline);
      if (path === 0n || owned !== path) throw unverified('the contract does not have in the account');
    },
    result: (reply, parameters): CreateWalletResult => resultOf(checked(readMinted(reply), parameters)),
  },
  chain: {
    mint: {
      primaryType: 'CreateWallet',
      standIn: (admin) => ({ wallet: anyAddress(), path: placeholderPath(admin) }),
      mint: async (client, deadline, parameters) => {
        const proof = await prove(client, client.internals.wallet, 'CreateWallet', deadline);
        const body = { ...proof, exportable: parameters.exportable ?? true };
        const { json } = await post(client, '/core/v1/create_wallet_with_signature', { body, deadline });
        await requireSigned(client, json, deadline);
        const minted = checked(readMinted(json), parameters);
        // Only for this wallet does the contract register the path.
        if (minted.path >> 96n !== BigInt(client.internals.wallet.account.address))
          throw unverified('was made for another wallet than this one');
        return minted;
      },
    },
    calls: (account, { name = '', description = '' }, { wallet, path }) => [
      encodeWrite('registerWalletDerivation', [account, wallet, path, name, description]),
    ],
    result: (_take, minted): CreateWalletResult => resultOf(minted),
  },
});

/** A listed wallet. */
export type WalletItem<client extends BareClient = BareClient> = Labels<client> & {
  /** In a group, the zero address means every wallet of the account. */
  walletAddress: Address;
  derivationPath: bigint;
  /** Whether actions can get the private key. */
  exportable: boolean;
};

const fromWire: ListSource<WalletItem, '/core/v1/list_wallets'>['fromWire'] = (item) => ({
  walletAddress: item.wallet_address as Address,
  derivationPath: BigInt(item.derivation_path),
  exportable: isExportable(BigInt(item.derivation_path)),
  name: item.name,
  description: item.description,
});
const fromView = ({ pkpId, derivationPath }: { pkpId: Address; derivationPath: bigint }) => ({
  walletAddress: pkpId,
  derivationPath,
  exportable: isExportable(derivationPath),
});

/** Lists the wallets of the account. */
export function listWallets<client extends BareClient>(
  client: client,
  parameters: PageParameters = {},
  options?: CallOptions,
): Promise<Page<WalletItem<client>>> {
  return listPage<WalletItem, '/core/v1/list_wallets', PageParameters>(
    client,
    {
      path: '/core/v1/list_wallets',
      indexed: 'wallets',
      fromWire,
      fromChain: async (window) => {
        const { account, pageNumber, pageSize, ask } = window;
        const [[, , size], pkps] = await ask([
          view('listSizes', [account]),
          view('listPkps', [account, pageNumber, pageSize]),
        ]);
        return { items: pkps.map(fromView), hasNextPage: endsBefore(window, size) };
      },
    },
    parameters,
    options,
  ) as Promise<Page<WalletItem<client>>>;
}

export interface ListWalletsInGroupParameters extends PageParameters {
  groupId: bigint;
}

/** Lists the wallets of a group. */
export function listWalletsInGroup<client extends BareClient>(
  client: client,
  parameters: ListWalletsInGroupParameters,
  options?: CallOptions,
): Promise<Page<WalletItem<client>, ListWalletsInGroupParameters>> {
  const { groupId } = parameters;
  return listPage<WalletItem, '/core/v1/list_wallets_in_group', ListWalletsInGroupParameters>(
    client,
    {
      path: '/core/v1/list_wallets_in_group',
      indexed: 'wallets',
      groupId,
      fromWire,
      fromChain: async ({ account, pageNumber, pageSize, ask }) => {
        const [pkps, next] = await ask([
          view('listWalletsInGroup', [account, groupId, pageNumber, pageSize]),
          view('listWalletsInGroup', [account, groupId, (pageNumber + 1n) * pageSize, 1n]),
        ]);
        return { items: pkps.map(fromView), hasNextPage: next.length > 0 };
      },
    },
    parameters,
    options,
  ) as Promise<Page<WalletItem<client>, ListWalletsInGroupParameters>>;
}
