import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import type { Address } from 'viem';
import { LabelFields, type Labels, WriteForm } from '../../components/write-form.tsx';
import {
  actionOptions,
  type ListedAction,
  type ListedGroup,
  type ListedWallet,
  nameOfAction,
  nameOfGroup,
  nameOfWallet,
  walletOptions,
} from '../../names.ts';
import { useWrite } from '../../session/write.tsx';

/** A write of a group takes at most this many actions, and as many wallets. */
export const MAX_MEMBERS = 10;

/** Creates a group, or replaces one. */
export function GroupForm({
  group,
  actions,
  wallets,
  onDone,
}: {
  group?: ListedGroup;
  actions: ListedAction[];
  wallets: ListedWallet[];
  onDone: () => void;
}) {
  const write = useWrite();
  const [labels, setLabels] = useState<Labels>({
    name: group?.name ?? '',
    description: group?.description ?? '',
  });
  const [hashes, setHashes] = useState(group?.cidHashes.map(String) ?? []);
  const [addresses, setAddresses] = useState<string[]>(group?.pkpIds ?? []);
  const members = { cids: hashes.map(BigInt), pkpIds: addresses as Address[] };
  const namesOf = ({ cids, pkpIds }: typeof members) => ({
    actions: cids.map((hash) => nameOfAction(actions, hash)).join(', ') || 'No action',
    wallets: pkpIds.map((address) => nameOfWallet(wallets, address)).join(', ') || 'No wallet',
  });

  const create = () =>
    write({
      title: 'Create the group',
      done: 'The group was created.',
      prepare: (client) => client.prepare.addGroup({ ...labels, ...members }),
      refresh: ['groups', 'actions'],
    });
  const update = (before: ListedGroup) => {
    const [old, next] = [namesOf({ cids: before.cidHashes, pkpIds: before.pkpIds }), namesOf(members)];
    return write({
      title: 'Change the group',
      done: 'The group was changed.',
      prepare: (client) => client.prepare.updateGroup({ groupId: before.groupId, ...labels, ...members }),
      compare: [
        { label: 'Name', before: nameOfGroup(before), after: labels.name },
        { label: 'Actions', before: old.actions, after: next.actions },
        { label: 'Wallets', before: old.wallets, after: next.wallets },
      ],
      refresh: ['groups', 'actions'],
    });
  };
  return (
    <WriteForm
      label={group ? 'Change the group' : 'Create the group'}
      send={() => (group ? update(group) : create())}
      onDone={onDone}
    >
      <LabelFields value={labels} onChange={setLabels} />
      <MultiSelect
        label="Actions"
        description="Keys of the group can run them. You can add more later."
        placeholder={hashes.length === 0 ? 'Choose actions' : undefined}
        data={actionOptions(actions, 'Every action')}
        value={hashes}
        onChange={setHashes}
        maxValues={MAX_MEMBERS}
        nothingFoundMessage="No action has this name."
        searchable
        hidePickedOptions
      />
      <MultiSelect
        label="Wallets"
        description="The actions of the group can use them."
        placeholder={addresses.length === 0 ? 'Choose wallets' : undefined}
        data={walletOptions(wallets, 'Every wallet')}
        value={addresses}
        onChange={setAddresses}
        maxValues={MAX_MEMBERS}
        nothingFoundMessage="No wallet has this name."
        searchable
        hidePickedOptions
      />
    </WriteForm>
  );
}
