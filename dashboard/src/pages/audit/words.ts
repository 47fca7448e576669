/** Changes of an account in sentences. */
import type { RecordedChange } from '@latchkey/sdk';
import type { Address } from 'viem';
import { visible } from '../../components/api-words.ts';
import { csvOf, textCell } from '../../components/csv.ts';
import { short } from '../../components/values.tsx';
import {
  type AccountLists,
  nameOfAction,
  nameOfGroup,
  nameOfKey,
  nameOfWallet,
  toWord,
} from '../../names.ts';

const sentences: { [event: string]: string } = {
  AccountCreated: 'Opened the account',
  AccountConvertedToChainSecured: 'Converted the account to ChainSecured, with the admin wallet {admin}',
  ChainSecuredAccountOwnershipTransferred: 'Transferred the account to {admin}',
  AccountAccepted: 'Accepted the account',
  AccountTransferCancelled: 'Took the account back',
  AccountKeyRotated: 'Replaced the account key',
  UsageApiKeySet: 'Set the usage key “{key}”',
  UsageApiKeyMetadataUpdated: 'Renamed the usage key “{key}”',
  UsageApiKeyExpirationSet: 'Changed the expiry of the usage key “{key}”',
  UsageApiKeyRotated: 'Replaced the usage key “{key}”',
  UsageApiKeyRemoved: 'Removed the usage key “{key}”',
  AllUsageApiKeysRemoved: 'Removed all usage keys',
  GroupAdded: 'Added the group “{group}”',
  GroupUpdated: 'Replaced the content of the group “{group}”',
  GroupMetadataUpdated: 'Renamed the group “{group}”',
  GroupRemoved: 'Removed the group “{group}”',
  ActionAdded: 'Registered the action “{action}”',
  ActionMetadataUpdated: 'Renamed the action “{action}”',
  ActionRemoved: 'Removed the action “{action}”',
  ActionAddedToGroup: 'Permitted the action “{action}” in the group “{group}”',
  ActionRemovedFromGroup: 'Removed the action “{action}” from the group “{group}”',
  WalletDerivationRegistered: 'Added the wallet “{wallet}”',
  WalletDerivationRemoved: 'Removed the wallet “{wallet}”',
  PkpAddedToGroup: 'Permitted the wallet “{wallet}” in the group “{group}”',
  PkpRemovedFromGroup: 'Removed the wallet “{wallet}” from the group “{group}”',
  NonceCancelled: 'Cancelled a signed write',
};

/** Returns the change as a sentence. Items have the name that they got, or else their present one. */
export function whatOf({ event, data }: RecordedChange, lists: AccountLists): string {
  const text = (name: string): string => (typeof data[name] === 'string' ? data[name] : '');
  const own = visible(text('name'));
  const names: { [item: string]: () => string } = {
    admin: () => text('new_admin_wallet_address'),
    key: () => own || nameOfHash(lists, BigInt(text('usage_api_key_hash'))),
    group: () => own || nameOfId(lists, BigInt(text('group_id'))),
    action: () => own || nameOfAction(lists.actions, BigInt(text('action_hash'))),
    wallet: () => own || nameOfWallet(lists.wallets, text('pkp_id') as Address),
  };
  return (sentences[event] ?? event).replaceAll(/\{(\w+)\}/g, (_, item: string) => names[item]?.() ?? '');
}

const nameOfHash = ({ keys }: AccountLists, hash: bigint): string => {
  const key = keys.find(({ usageKeyHash }) => usageKeyHash === hash);
  return key ? nameOfKey(key) : `Key ${short(toWord(hash))}`;
};

const nameOfId = ({ groups }: AccountLists, id: bigint): string => {
  const group = groups.find(({ groupId }) => groupId === id);
  return group ? nameOfGroup(group) : `Group ${id}`;
};

/** Returns who caused the change, and how it was sent. */
export function whoOf(change: RecordedChange, lists: AccountLists): { who: string; sent: string } {
  const { signer, sender, isSentByService, usageKeyHash } = change;
  const sent = isSentByService ? 'sent by the service' : `sent by ${short(sender)}`;
  if (signer !== undefined) return { who: `Wallet ${short(signer)}`, sent: `signed, ${sent}` };
  if (!isSentByService) return { who: `Wallet ${short(sender)}`, sent: 'sent by itself' };
  return { who: usageKeyHash === undefined ? 'Account key' : nameOfHash(lists, usageKeyHash), sent };
}

const HEADER = 'time,block,transaction,event,what,who,sent,sender,signer,usage_key_hash,data';

export const toCsv = (changes: readonly RecordedChange[], lists: AccountLists): string =>
  csvOf(
    HEADER,
    changes.map((change) => {
      const { who, sent } = whoOf(change, lists);
      return [
        change.at.toISOString(),
        change.blockNumber,
        change.transactionHash,
        change.event,
        textCell(whatOf(change, lists)),
        textCell(who),
        textCell(sent),
        change.sender,
        change.signer ?? '',
        change.usageKeyHash === undefined ? '' : toWord(change.usageKeyHash),
        textCell(JSON.stringify(change.data)),
      ];
    }),
  );
