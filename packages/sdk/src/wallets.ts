import type { Address } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { post } from './http.ts';
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
import { anyAddress, labelled, placeholderPath } from './values.ts';
import { encodeWrite, prepareFunction, type Write, writeFunction } from './write.ts';

export interface CreateWalletParameters {
  /** At most 128 bytes. Default empty. */
  name?: string | undefined;
  /** At most 1,024 bytes. Default empty. */
  description?: string | undefined;
}

export interface CreateWalletResult {
  /** The address by which groups and actions name the wallet. */
  walletAddress: Address;
}

const createWalletWrite: Write<
  CreateWalletParameters,
  CreateWalletResult,
  '/core/v1/create_wallet',
  { wallet: Address; path: bigint }
> = {
  name: 'createWallet',
  changes: ({ name = '', description = '' }) => [`Creates the wallet ${labelled(name, description)}.`],
  api: {
    path: '/core/v1/create_wallet',
    body: ({ name = '', description = '' }) => ({ name, description }),
    result: ({ wallet_address }) => ({ walletAddress: wallet_address as Address }),
  },
  chain: {
    mint: {
      primaryType: 'CreateWallet',
      standIn: (admin) => ({ wallet: anyAddress(), path: placeholderPath(admin) }),
      mint: async (client, deadline) => {
        const body = await prove(client, client.internals.wallet, 'CreateWallet', deadline);
        const { json } = await post(client, '/core/v1/create_wallet_with_signature', { body, deadline });
        return { wallet: json.wallet_address as Address, path: BigInt(json.derivation_path) };
      },
    },
    calls: (account, { name = '', description = '' }, { wallet, path }) => [
      encodeWrite('registerWalletDerivation', [account, wallet, path, name, description]),
    ],
    result: (_take, { wallet }) => ({ walletAddress: wallet }),
  },
};

/**
 * Creates a wallet (PKP). In ChainSecured mode the client's wallet signs an envelope, for which the relayer mints the
 * new wallet, and a transaction that registers it.
 * @function
 */
export const createWallet = /* @__PURE__ */ writeFunction(createWalletWrite);

/**
 * Prepares {@link createWallet} without sending it.
 * @function
 */
export const prepareCreateWallet = /* @__PURE__ */ prepareFunction(createWalletWrite);

/** A listed wallet. */
export type WalletItem<client extends BareClient = BareClient> = Labels<client> & {
  /** In a group, the zero address means every wallet of the account. */
  walletAddress: Address;
  derivationPath: bigint;
};

const fromWire: ListSource<WalletItem, '/core/v1/list_wallets'>['fromWire'] = (item) => ({
  walletAddress: item.wallet_address as Address,
  derivationPath: BigInt(item.derivation_path),
  name: item.name,
  description: item.description,
});
const fromView = ({ pkpId, derivationPath }: { pkpId: Address; derivationPath: bigint }) => ({
  walletAddress: pkpId,
  derivationPath,
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
