/** Changes of a write with the names of what they identify. */
import { cidHash } from '@latchkey/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type Address, isAddressEqual, zeroAddress } from 'viem';
import { t } from '../i18n.ts';
import { type AccountLists, nameOfAction, nameOfGroup, nameOfKey, nameOfWallet } from '../names.ts';
import { short } from './values.tsx';

/** Hashes, addresses, CIDs, and ids of groups in the text of a change. */
const IDENTIFIERS =
  /\b0x[0-9a-f]{64}\b|\b0x[0-9a-f]{40}\b|\bQm[1-9A-HJ-NP-Za-km-z]{44}\b|\bb[a-z2-7]{50,}\b|(?<=\bgroup )\d+\b/gi;

/** Returns the function that names what a change identifies, from the lists that the page has read. */
export function useNamedChanges(): (change: string) => string {
  const queries = useQueryClient();
  const read = <Name extends keyof AccountLists>(name: Name): AccountLists[Name] =>
    queries.getQueryData<AccountLists[Name]>([name]) ?? ([] as unknown as AccountLists[Name]);
  const [actions, wallets, groups, keys] = [read('actions'), read('wallets'), read('groups'), read('keys')];
  /** The identifier stays beside the name: others can choose the same name. */
  const named = (name: string | undefined, id: string): string =>
    name === undefined ? id : `“${name}” (${short(id)})`;
  const nameOf = (id: string): string => {
    if (!/^(0x|Qm|b)/i.test(id)) {
      const group = groups.find(({ groupId }) => String(groupId) === id);
      return group ? `“${nameOfGroup(group)}”` : id;
    }
    if (id.length === 42) {
      if (id === zeroAddress) return t('every wallet');
      const isKnown = wallets.some(({ walletAddress }) => isAddressEqual(walletAddress, id as Address));
      return named(isKnown ? nameOfWallet(wallets, id as Address) : undefined, id);
    }
    const hash = id.startsWith('0x') ? BigInt(id) : cidHash(id);
    if (hash === 0n) return t('every action');
    const key = keys.find(({ usageKeyHash }) => usageKeyHash === hash);
    if (key) return named(nameOfKey(key), id);
    return named(actions.some((one) => one.cidHash === hash) ? nameOfAction(actions, hash) : undefined, id);
  };
  return (change) => change.replace(IDENTIFIERS, nameOf);
}
