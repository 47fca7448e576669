/** Plans the import of an account: the writes in their order, and the parts that are left out. */
import { oneLine } from '@latchkey/command/text';
import type { Address } from 'viem';
import { hex } from '../text.ts';
import type { ActionFile } from './action-files.ts';
import type { ForeignAccount, ForeignGroup, ForeignKey, Labels } from './foreign-account.ts';

/** The limits of the contract for one call. */
const GROUP_ENTRIES = 10;
const KEY_GROUPS = 50;
const MAX_EXPIRATION = (1n << 40n) - 1n;
export const ANY_WALLET: Address = `0x${'0'.repeat(40)}`;

/** A group. Wallets are those of the other system, or the zero address for every wallet. */
export type GroupStep = Labels & { id: bigint; cids: (string | bigint)[]; wallets: Address[] };

export type Plan = {
  wallets: (Labels & { address: Address })[];
  actions: (Labels & { hash: bigint; cid: string; file: string })[];
  groups: GroupStep[];
  keys: ForeignKey[];
  /** Parts that are not imported, a sentence each. */
  left: string[];
};

const quoted = ({ name }: Labels): string => `“${name}”`;

function planActions(account: ForeignAccount, files: Map<bigint, ActionFile>, left: string[]) {
  const inGroups = account.groups.flatMap(({ cidHashes }) => cidHashes).filter((hash) => hash !== 0n);
  const listed = new Map(account.actions.map((action) => [action.hash, action]));
  const all = [...new Set([...listed.keys(), ...inGroups])].filter((hash) => hash !== 0n);
  return all.flatMap((hash) => {
    const { name, description } = listed.get(hash) ?? { name: '', description: '' };
    const found = files.get(hash);
    if (found && 'cid' in found) return [{ hash, name, description, cid: found.cid, file: found.file }];
    const reason = found ? found.reason : 'no file of --actions has its code';
    left.push(`The action ${hex(hash)} “${name}”: ${reason}.`);
    return [];
  });
}

/** Returns the CID that takes the place of an action, or nothing for one without code. 0 is every action. */
function codeOf(hash: bigint, cids: Map<bigint, string>): (string | bigint)[] {
  const found = hash === 0n ? hash : cids.get(hash);
  return found === undefined ? [] : [found];
}

function planGroup(
  group: ForeignGroup,
  cids: Map<bigint, string>,
  own: Set<Address>,
  left: string[],
): GroupStep {
  const { id, name, description } = group;
  const missing = group.wallets.filter((wallet) => wallet !== ANY_WALLET && !own.has(wallet));
  for (const wallet of missing)
    left.push(`The wallet ${wallet} of the group ${id} ${quoted(group)}: the account does not have it.`);
  return {
    id,
    name,
    description,
    // Two versions of an action can have the same new code.
    cids: [...new Set(group.cidHashes.flatMap((hash) => codeOf(hash, cids)))],
    wallets: group.wallets.filter((wallet) => !missing.includes(wallet)),
  };
}

const groupFields = [
  'manageIpfsIdsInGroups',
  'addPkpToGroups',
  'removePkpFromGroups',
  'executeInGroups',
] as const;

/** Returns the key without groups that do not exist, or nothing for a key that cannot be imported. */
function planKey(key: ForeignKey, ids: Set<bigint>, now: bigint, left: string[]): ForeignKey[] {
  const title = `The usage key ${hex(key.hash)} ${quoted(key)}`;
  if (key.expiration !== 0n && key.expiration <= now) {
    left.push(`${title}: it has expired.`);
    return [];
  }
  const planned = { ...key, expiration: key.expiration > MAX_EXPIRATION ? 0n : key.expiration };
  for (const field of groupFields) {
    planned[field] = key[field].filter((id) => id === 0n || ids.has(id));
    if (planned[field].length < key[field].length)
      left.push(`${title}, some groups of ${field}: the account does not have them.`);
    if (planned[field].length <= KEY_GROUPS) continue;
    left.push(`${title}: it has more than ${KEY_GROUPS} groups.`);
    return [];
  }
  return [planned];
}

/** @param now Unix seconds. */
export function planImport(account: ForeignAccount, files: Map<bigint, ActionFile>, now: bigint): Plan {
  const left: string[] = [];
  const actions = planActions(account, files, left);
  const cids = new Map(actions.map(({ hash, cid }) => [hash, cid]));
  const own = new Set(account.wallets.map(({ address }) => address));
  const groups = account.groups.map((group) => planGroup(group, cids, own, left));
  const ids = new Set(groups.map(({ id }) => id));
  return {
    wallets: account.wallets,
    actions,
    groups,
    keys: account.keys.flatMap((key) => planKey(key, ids, now, left)),
    left: left.map(oneLine),
  };
}

type Made = { members: readonly string[] } | undefined;

/** Returns the members of a group that the next write adds. */
export function nextMembers({ cids, wallets }: GroupStep, made: Made) {
  const isOpen = (member: string | bigint): boolean => !made?.members.includes(`${member}`);
  return {
    cids: cids.filter(isOpen).slice(0, GROUP_ENTRIES),
    wallets: wallets.filter(isOpen).slice(0, GROUP_ENTRIES),
  };
}

/** Returns the number of writes that are left for a group. */
export function writesLeft({ cids, wallets }: GroupStep, made: Made): number {
  const open = [cids, wallets].map(
    (members) => members.filter((member) => !made?.members.includes(`${member}`)).length,
  );
  return Math.max(made ? 0 : 1, Math.ceil(Math.max(...open) / GROUP_ENTRIES));
}
