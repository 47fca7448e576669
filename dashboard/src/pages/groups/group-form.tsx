import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useState } from 'react';
import type { Address } from 'viem';
import { changes, Form, LabelFields, type Labels } from '../../components/form.tsx';
import type { Option } from '../../components/select-items.ts';
import { t } from '../../i18n.ts';
import {
  actionOptions,
  type ListedGroup,
  nameOfAction,
  nameOfGroup,
  nameOfWallet,
  walletOptions,
} from '../../names.ts';
import { useActions, useWallets } from '../../queries.ts';
import { useWrite } from '../../session/write.tsx';

/** A write of a group takes at most this many actions, and as many wallets. */
export const MAX_MEMBERS = 10;

/** Creates a group, or replaces one. */
export function GroupForm({ group, onDone }: { group?: ListedGroup; onDone: () => void }) {
  const write = useWrite();
  const { data: actions = [] } = useActions();
  const { data: wallets = [] } = useWallets();
  const [labels, setLabels] = useState<Labels>({
    name: group?.name ?? '',
    description: group?.description ?? '',
  });
  const [hashes, setHashes] = useState(group?.cidHashes.map(String) ?? []);
  const [addresses, setAddresses] = useState<string[]>(group?.pkpIds ?? []);
  const members = { cidHashes: hashes.map(BigInt), pkpIds: addresses as Address[] };
  const namesOf = ({ cidHashes, pkpIds }: typeof members) => ({
    [t('Actions')]: cidHashes.map((hash) => nameOfAction(actions, hash)).join(', ') || t('No action'),
    [t('Wallets')]: pkpIds.map((address) => nameOfWallet(wallets, address)).join(', ') || t('No wallet'),
  });
  const send = () => {
    const fields = { ...labels, cids: members.cidHashes, pkpIds: members.pkpIds };
    if (!group)
      return write({
        title: t('Create the group'),
        done: t('The group was created.'),
        prepare: (client) => client.prepare.addGroup(fields),
        refresh: ['groups', 'actions'],
      });
    return write({
      title: t('Change the group'),
      done: t('The group was changed.'),
      prepare: (client) => client.prepare.updateGroup({ groupId: group.groupId, ...fields }),
      compare: changes(
        { [t('Name')]: nameOfGroup(group), ...namesOf(group) },
        { [t('Name')]: labels.name, ...namesOf(members) },
      ),
      refresh: ['groups', 'actions'],
    });
  };
  return (
    <Form label={group ? t('Change the group') : t('Create the group')} send={send} onDone={onDone}>
      <LabelFields value={labels} onChange={setLabels} />
      <MemberSelect
        label={t('Actions')}
        description={t('Keys of the group can run them. You can add more later.')}
        one="action"
        data={actionOptions(actions, t('Every action'))}
        value={hashes}
        onChange={setHashes}
      />
      <MemberSelect
        label={t('Wallets')}
        description={t('The actions of the group can use them.')}
        one="wallet"
        data={walletOptions(wallets, t('Every wallet'))}
        value={addresses}
        onChange={setAddresses}
      />
    </Form>
  );
}

export function MemberSelect({
  one,
  value,
  ...props
}: Pick<MultiSelectProps, 'label' | 'description' | 'aria-label'> & {
  one: 'action' | 'wallet';
  data: Option[];
  value: string[];
  onChange: (ids: string[]) => void;
}) {
  return (
    <MultiSelect
      {...props}
      value={value}
      placeholder={
        value.length === 0 ? t('Choose {one, select, action {actions} other {wallets}}', { one }) : undefined
      }
      maxValues={MAX_MEMBERS}
      nothingFoundMessage={t('No {one, select, action {action} other {wallet}} has this name.', { one })}
      searchable
      hidePickedOptions
    />
  );
}
