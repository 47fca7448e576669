/** Changes of an account in sentences. */
import type { RecordedChange } from '@latchkey/sdk';
import type { Address } from 'viem';
import { visible } from '../../components/api-words.ts';
import { csvOf, textCell } from '../../components/csv.ts';
import { short } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import {
  type AccountLists,
  nameOfAction,
  nameOfGroup,
  nameOfKey,
  nameOfWallet,
  toWord,
} from '../../names.ts';

/** The names of the items of a change, by their kinds. */
type Names = { [kind in 'admin' | 'key' | 'group' | 'action' | 'wallet']: () => string };

const sentences: { [event: string]: (names: Names) => string } = {
  AccountCreated: () => t('Opened the account'),
  AccountConvertedToChainSecured: ({ admin }) =>
    t('Converted the account to ChainSecured, with the admin wallet {admin}', { admin: admin() }),
  ChainSecuredAccountOwnershipTransferred: ({ admin }) =>
    t('Transferred the account to {admin}', { admin: admin() }),
  AccountAccepted: () => t('Accepted the account'),
  AccountTransferCancelled: () => t('Took the account back'),
  AccountKeyRotated: () => t('Replaced the account key'),
  UsageApiKeySet: ({ key }) => t('Set the usage key “{key}”', { key: key() }),
  UsageApiKeyMetadataUpdated: ({ key }) => t('Renamed the usage key “{key}”', { key: key() }),
  UsageApiKeyExpirationSet: ({ key }) => t('Changed the expiry of the usage key “{key}”', { key: key() }),
  UsageApiKeyRotated: ({ key }) => t('Replaced the usage key “{key}”', { key: key() }),
  UsageApiKeyRemoved: ({ key }) => t('Removed the usage key “{key}”', { key: key() }),
  AllUsageApiKeysRemoved: () => t('Removed all usage keys'),
  GroupAdded: ({ group }) => t('Added the group “{group}”', { group: group() }),
  GroupUpdated: ({ group }) => t('Replaced the content of the group “{group}”', { group: group() }),
  GroupMetadataUpdated: ({ group }) => t('Renamed the group “{group}”', { group: group() }),
  GroupRemoved: ({ group }) => t('Removed the group “{group}”', { group: group() }),
  ActionAdded: ({ action }) => t('Registered the action “{action}”', { action: action() }),
  ActionMetadataUpdated: ({ action }) => t('Renamed the action “{action}”', { action: action() }),
  ActionRemoved: ({ action }) => t('Removed the action “{action}”', { action: action() }),
  ActionAddedToGroup: ({ action, group }) =>
    t('Permitted the action “{action}” in the group “{group}”', { action: action(), group: group() }),
  ActionRemovedFromGroup: ({ action, group }) =>
    t('Removed the action “{action}” from the group “{group}”', { action: action(), group: group() }),
  WalletDerivationRegistered: ({ wallet }) => t('Added the wallet “{wallet}”', { wallet: wallet() }),
  WalletDerivationRemoved: ({ wallet }) => t('Removed the wallet “{wallet}”', { wallet: wallet() }),
  PkpAddedToGroup: ({ wallet, group }) =>
    t('Permitted the wallet “{wallet}” in the group “{group}”', { wallet: wallet(), group: group() }),
  PkpRemovedFromGroup: ({ wallet, group }) =>
    t('Removed the wallet “{wallet}” from the group “{group}”', { wallet: wallet(), group: group() }),
  NonceCancelled: () => t('Cancelled a signed write'),
};

/** Returns the change as a sentence. Items have the name that they got, or else their present one. */
export function whatOf({ event, data }: RecordedChange, lists: AccountLists): string {
  const text = (name: string): string => (typeof data[name] === 'string' ? data[name] : '');
  const own = visible(text('name'));
  const names: Names = {
    admin: () => text('new_admin_wallet_address'),
    key: () => own || nameOfHash(lists, BigInt(text('usage_api_key_hash'))),
    group: () => own || nameOfId(lists, BigInt(text('group_id'))),
    action: () => own || nameOfAction(lists.actions, BigInt(text('action_hash'))),
    wallet: () => own || nameOfWallet(lists.wallets, text('pkp_id') as Address),
  };
  return sentences[event]?.(names) ?? event;
}

const nameOfHash = ({ keys }: AccountLists, hash: bigint): string => {
  const key = keys.find(({ usageKeyHash }) => usageKeyHash === hash);
  return key ? nameOfKey(key) : t('Key {hash}', { hash: short(toWord(hash)) });
};

const nameOfId = ({ groups }: AccountLists, id: bigint): string => {
  const group = groups.find(({ groupId }) => groupId === id);
  return group ? nameOfGroup(group) : t('Group {id}', { id });
};

/** Returns who caused the change, and how it was sent. */
export function whoOf(change: RecordedChange, lists: AccountLists): { who: string; sent: string } {
  const { signer, sender, isSentByService, usageKeyHash } = change;
  if (signer !== undefined)
    return {
      who: t('Wallet {address}', { address: short(signer) }),
      sent: isSentByService
        ? t('signed, sent by the service')
        : t('signed, sent by {sender}', { sender: short(sender) }),
    };
  if (!isSentByService)
    return { who: t('Wallet {address}', { address: short(sender) }), sent: t('sent by itself') };
  return {
    who: usageKeyHash === undefined ? t('Account key') : nameOfHash(lists, usageKeyHash),
    sent: t('sent by the service'),
  };
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
