/** A plan in words, a sentence per write. */
import { hex } from '../text.ts';
import type { ForeignKey, Labels } from './foreign-account.ts';
import { ANY_WALLET, type GroupStep, type Plan } from './plan.ts';
import type { ImportRecord } from './record.ts';

const NEVER =
  'Not imported from any account: credit, funds of wallets, ciphertexts, private keys, and the values of usage keys.';

const labelled = ({ name, description }: Labels): string =>
  description === '' ? `“${name}”` : `“${name}” (${description})`;
const listed = (values: readonly (string | bigint)[]): string =>
  values.map((value) => (value === 0n || value === ANY_WALLET ? 'any' : value)).join(', ') || 'none';

function describeGroup(group: GroupStep): string {
  const { id, cids, wallets } = group;
  return `Creates the group ${labelled(group)} for ${id}. Actions: ${listed(cids)}. Wallets: ${listed(wallets)}`;
}

function describeKey(key: ForeignKey): string {
  const powers = [
    ...(key.canCreateGroups ? ['create groups'] : []),
    ...(key.canDeleteGroups ? ['delete groups'] : []),
    ...(key.canCreatePkps ? ['create wallets'] : []),
  ];
  const groups = {
    'run the actions of': key.executeInGroups,
    'change the actions of': key.manageIpfsIdsInGroups,
    'add wallets to': key.addPkpToGroups,
    'remove wallets from': key.removePkpFromGroups,
  };
  for (const [power, ids] of Object.entries(groups))
    if (ids.length > 0) powers.push(`${power} the groups ${listed(ids)}`);
  const end =
    key.expiration === 0n
      ? ''
      : `, until ${new Date(Number(key.expiration) * 1_000).toISOString().slice(0, 10)}`;
  return `Creates a usage key ${labelled(key)} for ${hex(key.hash)}. It can ${powers.join('; ') || 'do nothing'}${end}`;
}

/** Returns the writes, of which some can be made, and what is left out. Groups have the ids of the other system. */
export function describePlan({ wallets, actions, groups, keys, left }: Plan, record: ImportRecord): string[] {
  const sentence = (text: string, isMade: boolean): string => `${text}${isMade ? ' (made)' : ''}.`;
  return [
    ...wallets.map((wallet) =>
      sentence(
        `Creates the wallet ${labelled(wallet)} for ${wallet.address}`,
        Object.hasOwn(record.wallets, wallet.address),
      ),
    ),
    ...actions.map((action) =>
      sentence(
        `Registers the action ${action.cid} of ${action.file} as ${labelled(action)} for ${hex(action.hash)}`,
        record.actions.includes(action.cid),
      ),
    ),
    ...groups.map((group) => sentence(describeGroup(group), Object.hasOwn(record.groups, `${group.id}`))),
    ...keys.map((key) => sentence(describeKey(key), Object.hasOwn(record.keys, hex(key.hash)))),
    ...left.map((text) => `Not imported: ${text}`),
    NEVER,
  ];
}
