/** Wallets of the account. */
import { command, showPage, type Topic, write } from '../command.ts';
import * as options from '../options.ts';
import { parseGroup } from '../parse.ts';
import { fields, table } from '../text.ts';

export const wallets: Topic = {
  summary: 'wallets of the account',
  commands: {
    list: command({
      summary: 'lists the wallets of the account or of a group',
      options: {
        group: { value: 'id', parse: parseGroup, help: 'only the wallets of this group' },
        ...options.pages,
      },
      examples: ['wallets list', 'wallets list --group 1'],
      run: async (session, { group, ...page }) => {
        const client = await session.client();
        return group === undefined
          ? client.listWallets(page)
          : client.listWalletsInGroup({ groupId: group, ...page });
      },
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            WALLET: ({ walletAddress }) => walletAddress,
            NAME: ({ name }) => name,
            EXPORTABLE: ({ exportable }) => exportable,
          }),
        ),
    }),
    add: write({
      summary: 'creates a wallet',
      arguments: { name: { help: 'name of the wallet' } },
      options: {
        description: options.description,
        notExportable: { help: 'actions can sign with the wallet, and never get its private key' },
      },
      examples: ['wallets add Signer', 'wallets add Signer --not-exportable'],
      prepare: (client, { name, description, notExportable }) =>
        client.prepare.createWallet({ name, description, exportable: !notExportable }),
      show: ({ walletAddress, publicKey }) => fields({ wallet: walletAddress, 'public key': publicKey }),
    }),
  },
};
