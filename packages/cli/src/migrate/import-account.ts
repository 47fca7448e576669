/** Makes the writes of a plan, each once: the record has those that are made, and their idempotency keys are those of the record. */
import type { ApiClient } from '@latchkey/sdk';
import type { Client } from '../session.ts';
import { hex } from '../text.ts';
import type { ForeignKey } from './foreign-account.ts';
import { entry } from './names.ts';
import { ANY_WALLET, type GroupStep, nextMembers, type Plan, writesLeft } from './plan.ts';
import type { ImportRecord } from './record.ts';

type Import = {
  client: Client;
  record: ImportRecord;
  /** Stores the record. A write that is not recorded would be made again by another import only. */
  save: () => Promise<void>;
};

const isMade = (table: object, name: string): boolean => Object.hasOwn(table, name);

/** Returns the number of writes that are not made yet. */
export function countWrites({ wallets, actions, groups, keys }: Plan, record: ImportRecord): number {
  const open = <Item>(items: readonly Item[], isDone: (item: Item) => boolean): number =>
    items.filter((item) => !isDone(item)).length;
  return (
    open(wallets, ({ address }) => isMade(record.wallets, address)) +
    open([...new Set(actions.map(({ cid }) => cid))], (cid) => record.actions.includes(cid)) +
    open(keys, ({ hash }) => isMade(record.keys, hex(hash))) +
    groups.reduce((sum, group) => sum + writesLeft(group, entry(record.groups, `${group.id}`)), 0)
  );
}

async function importWallets({ client, record, save }: Import, { wallets }: Plan): Promise<void> {
  for (const { address, name, description } of wallets) {
    if (isMade(record.wallets, address)) continue;
    const idempotencyKey = `${record.id}-wallet-${address}`;
    const { walletAddress } = await client.createWallet({ name, description }, { idempotencyKey });
    record.wallets[address] = walletAddress;
    await save();
  }
}

async function importActions({ client, record, save }: Import, { actions }: Plan): Promise<void> {
  for (const { cid, name, description } of actions) {
    if (record.actions.includes(cid)) continue;
    await client.addAction({ cid, name, description }, { idempotencyKey: `${record.id}-action-${cid}` });
    record.actions.push(cid);
    await save();
  }
}

/** Returns what an item of the other system has become. An item without one is a mistake: it must not become every group. */
function made<Value>(table: Readonly<Record<string, Value>>, id: string): Value {
  const value = entry(table, id);
  if (value === undefined) throw new Error(`${id} is not imported`);
  return value;
}

async function importGroup({ client, record, save }: Import, group: GroupStep): Promise<void> {
  const { name, description } = group;
  const id = `${group.id}`;
  while (writesLeft(group, entry(record.groups, id)) > 0) {
    const before = entry(record.groups, id);
    const { cids, wallets } = nextMembers(group, before);
    const pkpIds = wallets.map((wallet) => (wallet === ANY_WALLET ? wallet : made(record.wallets, wallet)));
    const members = [...(before?.members ?? []), ...cids, ...wallets].map(String);
    const options = { idempotencyKey: `${record.id}-group-${id}-${before?.members.length ?? 'new'}` };
    const groupId = before
      ? BigInt(before.groupId)
      : (await client.addGroup({ name, description, cids, pkpIds }, options)).groupId;
    if (before) await client.addToGroup({ groupId, cids, pkpIds }, options);
    record.groups[id] = { groupId: `${groupId}`, members };
    await save();
  }
}

async function importKey({ client, record, save }: Import, key: ForeignKey): Promise<void> {
  const hash = hex(key.hash);
  if (isMade(record.keys, hash)) return;
  const groups = (ids: readonly bigint[]): bigint[] =>
    ids.map((id) => (id === 0n ? id : BigInt(made(record.groups, `${id}`).groupId)));
  const { hash: _hash, ...permissions } = key;
  const { usageKey } = await (client as ApiClient).addUsageApiKey(
    {
      ...permissions,
      manageIpfsIdsInGroups: groups(key.manageIpfsIdsInGroups),
      addPkpToGroups: groups(key.addPkpToGroups),
      removePkpFromGroups: groups(key.removePkpFromGroups),
      executeInGroups: groups(key.executeInGroups),
    },
    { idempotencyKey: `${record.id}-key-${hash}` },
  );
  record.keys[hash] = { name: key.name, usageKey };
  await save();
}

/** Makes the writes that are not made yet: wallets, actions, groups with both, and usage keys of the groups. */
export async function importAccount(parts: Import, plan: Plan): Promise<void> {
  // The idempotency keys must outlive a lost reply to the first write.
  await parts.save();
  await importWallets(parts, plan);
  await importActions(parts, plan);
  for (const group of plan.groups) await importGroup(parts, group);
  for (const key of plan.keys) await importKey(parts, key);
}
