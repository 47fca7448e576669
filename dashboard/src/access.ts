/** Permissions as the lists of the account show them. For display only: the contract decides. */
import { type Address, zeroAddress } from 'viem';
import type { ListedGroup, ListedUsageKey } from './names.ts';

export const isExpired = ({ expiration }: Pick<ListedUsageKey, 'expiration'>): boolean =>
  expiration !== 0n && expiration * 1_000n <= BigInt(Date.now());

export const permitsAction = ({ cidHashes }: ListedGroup, hash: bigint): boolean =>
  cidHashes.includes(0n) || cidHashes.includes(hash);

export const permitsWallet = ({ pkpIds }: ListedGroup, address: Address): boolean =>
  pkpIds.some((pkpId) => pkpId === zeroAddress || pkpId.toLowerCase() === address.toLowerCase());

export const runsIn = ({ executeInGroups }: ListedUsageKey, { groupId }: ListedGroup): boolean =>
  executeInGroups.includes(0n) || executeInGroups.includes(groupId);

/** The keys that are permitted to run the action; with a wallet, the keys with a group that permits both. */
export function keysThatRun(
  keys: readonly ListedUsageKey[],
  groups: readonly ListedGroup[],
  action: bigint,
  wallet?: Address,
): ListedUsageKey[] {
  const permitting = groups.filter(
    (group) => permitsAction(group, action) && (wallet === undefined || permitsWallet(group, wallet)),
  );
  return keys.filter(
    (key) =>
      !isExpired(key) &&
      ((wallet === undefined && key.executeInGroups.includes(0n)) ||
        permitting.some((group) => runsIn(key, group))),
  );
}

/** The keys that run an action, and the wallets that it can use. Address 0 means every wallet. */
export type Access = { keys: ListedUsageKey[]; wallets: Address[] };

export function accessOf(
  { groups, keys }: { groups: readonly ListedGroup[]; keys: readonly ListedUsageKey[] },
  action: bigint,
): Access {
  const permitting = groups.filter((group) => permitsAction(group, action));
  return {
    keys: keysThatRun(keys, groups, action),
    wallets: [...new Set(permitting.flatMap(({ pkpIds }) => pkpIds))],
  };
}
