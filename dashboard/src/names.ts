/** Names of what the account has, as people read them, and as options of selects. */
import { type Address, type Hex, isAddressEqual, numberToHex, zeroAddress } from 'viem';
import { visible } from './components/api-words.ts';
import type { Filter, Option } from './components/select-items.ts';
import { short } from './components/values.tsx';
import { t } from './i18n.ts';
import type { useActions, useGroups, useUsageKeys, useWallets } from './queries.ts';

type ItemOf<Hook extends () => { data: readonly unknown[] | undefined }> = NonNullable<
  ReturnType<Hook>['data']
>[number];
export type ListedGroup = ItemOf<typeof useGroups>;
export type ListedUsageKey = ItemOf<typeof useUsageKeys>;
export type ListedAction = ItemOf<typeof useActions>;
export type ListedWallet = ItemOf<typeof useWallets>;
export type AccountLists = {
  groups: ListedGroup[];
  keys: ListedUsageKey[];
  actions: ListedAction[];
  wallets: ListedWallet[];
};

/** A hash in its form on the wire. */
export const toWord = (hash: bigint): Hex => numberToHex(hash, { size: 32 });

export const nameOfGroup = ({ groupId, name }: ListedGroup): string =>
  visible(name ?? '') || t('Group {groupId}', { groupId });
export const nameOfKey = ({ usageKeyHash, name }: ListedUsageKey): string =>
  visible(name ?? '') || t('Key {short}', { short: short(toWord(usageKeyHash)) });

/** The names of groups by their ids; id 0 means every group. */
export function namesOfGroups(groupIds: readonly bigint[], groups: readonly ListedGroup[]): string[] {
  return groupIds.map((id) => {
    if (id === 0n) return t('Every group');
    const group = groups.find(({ groupId }) => groupId === id);
    return group ? nameOfGroup(group) : t('Group {id}', { id });
  });
}

/** The name of an action in a group; hash 0 means every action. */
export function nameOfAction(actions: readonly ListedAction[], hash: bigint): string {
  if (hash === 0n) return t('Every action');
  const { name = '' } = actions.find(({ cidHash }) => cidHash === hash) ?? {};
  return visible(name) || t('Action {short}', { short: short(toWord(hash)) });
}

/** The name of a wallet in a group; address 0 means every wallet. */
export function nameOfWallet(wallets: readonly ListedWallet[], address: Address): string {
  if (address === zeroAddress) return t('Every wallet');
  const wallet = wallets.find(({ walletAddress }) => isAddressEqual(walletAddress, address));
  return visible(wallet?.name ?? '') || t('Wallet {address}', { address: short(address) });
}

/** Equal names are told apart by their ids. */
const option = (name: string | undefined, id: string, value: string): Option => ({
  value,
  label: name ? `${visible(name)} · ${id}` : id,
});

export const groupOptions = (groups: readonly ListedGroup[], every?: string): Option[] => [
  ...(every === undefined ? [] : [{ value: '0', label: every }]),
  ...groups.map(({ groupId, name }) => option(name || t('Group'), String(groupId), String(groupId))),
];

export const keyOptions = (keys: readonly ListedUsageKey[]): Option[] =>
  keys.map(({ usageKeyHash, name }) => option(name, short(toWord(usageKeyHash)), String(usageKeyHash)));

export const actionOptions = (actions: readonly ListedAction[], every?: string): Option[] => [
  ...(every === undefined ? [] : [{ value: '0', label: every }]),
  ...actions.map(({ cidHash, name }) => option(name, short(toWord(cidHash)), String(cidHash))),
];

export const walletOptions = (wallets: readonly ListedWallet[], every?: string): Option[] => [
  ...(every === undefined ? [] : [{ value: zeroAddress as string, label: every }]),
  ...wallets.map(({ walletAddress, name }) => option(name, short(walletAddress), walletAddress)),
];

/** The filter of a list by group. Only the groups that exist are options. */
export const groupFilter = <Item>(
  groups: readonly ListedGroup[],
  has: (item: Item, group: ListedGroup) => boolean,
): Filter<Item> => ({
  name: 'group',
  label: t('Group'),
  options: groupOptions(groups),
  matches: (item, id) => groups.some((group) => String(group.groupId) === id && has(item, group)),
});
