/** Groups: which actions can use which wallets. */
import { command, showPage, type Topic, write } from '../command.ts';
import * as options from '../options.ts';
import { parseAction, parseWallet } from '../parse.ts';
import { hex, table } from '../text.ts';

const contents = {
  action: { value: 'cid', many: true, parse: parseAction, help: 'an action: CID, hash or "any"; repeatable' },
  wallet: {
    value: 'address',
    many: true,
    parse: parseWallet,
    help: 'a wallet: address or "any"; repeatable',
  },
} as const;

const showActions = (hashes: readonly bigint[]): string =>
  hashes.map((hash) => (hash === 0n ? 'any' : hex(hash))).join(', ');
const showWallets = (addresses: readonly string[]): string =>
  addresses.map((address) => (/^0x0{40}$/.test(address) ? 'any' : address)).join(', ');

export const groups: Topic = {
  summary: 'groups: which actions can use which wallets',
  commands: {
    list: command({
      summary: 'lists the groups with their contents',
      options: options.pages,
      examples: ['groups list', 'groups list --json'],
      run: async (session, input) => (await session.client()).listGroups(input),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            GROUP: ({ groupId }) => groupId,
            NAME: ({ name }) => name,
            WALLETS: ({ pkpIds }) => showWallets(pkpIds),
            ACTIONS: ({ cidHashes }) => showActions(cidHashes),
          }),
        ),
    }),
    add: write({
      summary: 'creates a group',
      arguments: { name: { required: true, help: 'name of the group' } },
      options: { description: options.description, ...contents },
      examples: ['groups add Signers', 'groups add Signers --wallet 0x… --action Qm…'],
      prepare: (client, { name, description = '', action, wallet }) =>
        client.prepare.addGroup({ name, description, cids: action, pkpIds: wallet }),
      show: ({ groupId }) => `group ${groupId}`,
    }),
    update: write({
      summary: 'replaces labels and contents of a group',
      arguments: { group: options.group },
      options: { name: { ...options.name, required: true }, description: options.description, ...contents },
      examples: ['groups update 1 --name Signers --wallet any --action Qm…'],
      prepare: (client, { group, name, description = '', action, wallet }) =>
        client.prepare.updateGroup({ groupId: group, name, description, cids: action, pkpIds: wallet }),
      show: () => 'the group is updated',
    }),
    remove: write({
      summary: 'removes a group, also from every usage key',
      arguments: { group: options.group },
      examples: ['groups remove 1', 'groups remove 1 --yes'],
      asks: true,
      prepare: (client, { group }) => client.prepare.removeGroup({ groupId: group }),
      show: () => 'the group is removed',
    }),
    'add-action': write({
      summary: 'permits an action in a group',
      arguments: { group: options.group, action: options.action },
      examples: ['groups add-action 1 Qm…'],
      prepare: (client, { group, action }) =>
        client.prepare.addActionToGroup({ groupId: group, cid: action }),
      show: () => 'the action is in the group',
    }),
    'remove-action': write({
      summary: 'removes an action from a group',
      arguments: { group: options.group, action: options.action },
      examples: ['groups remove-action 1 Qm…'],
      prepare: (client, { group, action }) =>
        client.prepare.removeActionFromGroup({ groupId: group, cid: action }),
      show: () => 'the action is not in the group',
    }),
    'add-wallet': write({
      summary: 'permits the actions of a group to use a wallet',
      arguments: { group: options.group, wallet: options.wallet },
      examples: ['groups add-wallet 1 0x…'],
      prepare: (client, { group, wallet }) => client.prepare.addPkpToGroup({ groupId: group, pkpId: wallet }),
      show: () => 'the wallet is in the group',
    }),
    'remove-wallet': write({
      summary: 'removes a wallet from a group',
      arguments: { group: options.group, wallet: options.wallet },
      examples: ['groups remove-wallet 1 0x…'],
      prepare: (client, { group, wallet }) =>
        client.prepare.removePkpFromGroup({ groupId: group, pkpId: wallet }),
      show: () => 'the wallet is not in the group',
    }),
  },
};
