/** One group: its members, the keys that run in it, and its changes. */
import { Group, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Address, zeroAddress } from 'viem';
import { runsIn } from '../access.ts';
import { DialogButton, RemoveButton } from '../components/dialog.tsx';
import { Form } from '../components/form.tsx';
import { LoadedAll, Paged } from '../components/lists.tsx';
import { ActionLink, KeyLinks, WalletLink } from '../components/names.tsx';
import { Missing, Page } from '../components/page.tsx';
import { Removable } from '../components/removable.tsx';
import { Dimmed, Section } from '../components/section.tsx';
import type { Option } from '../components/select-items.ts';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import {
  type AccountLists,
  actionOptions,
  type ListedGroup,
  type ListedUsageKey,
  nameOfAction,
  nameOfGroup,
  nameOfWallet,
  toWord,
  walletOptions,
} from '../names.ts';
import { useAccountLists } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import { GroupForm, MAX_MEMBERS, MemberSelect } from './groups/group-form.tsx';

export default function OneGroup() {
  const { id } = useParams({ from: '/groups/$id' });
  const queries = useAccountLists();
  return (
    <LoadedAll<AccountLists> queries={queries}>
      {(lists) => {
        const group = lists.groups.find(({ groupId }) => String(groupId) === id);
        return group ? (
          <Members group={group} {...lists} />
        ) : (
          <Missing title={t('There is no such group')} why={t('It may have been removed.')} to="/groups" />
        );
      }}
    </LoadedAll>
  );
}

function Members({ group, keys, actions, wallets }: { group: ListedGroup } & AccountLists) {
  const write = useWrite();
  const { groupId, cidHashes, pkpIds } = group;
  const isLarge = Math.max(cidHashes.length, pkpIds.length) > MAX_MEMBERS;
  const change = (kind: 'addToGroup' | 'removeFromGroup', members: { cids?: bigint[]; pkpIds?: Address[] }) =>
    write({
      title: kind === 'addToGroup' ? t('Add to the group') : t('Remove from the group'),
      done: t('The group was changed.'),
      isDestructive: kind === 'removeFromGroup',
      prepare: (client) => client.prepare[kind]({ groupId, ...members }),
      refresh: ['groups', 'actions'],
    });
  return (
    <Page
      title={nameOfGroup(group)}
      about={[group.description, t('Group {groupId}', { groupId })].filter(Boolean).join(' · ')}
      action={<Buttons group={group} isEditable={!isLarge} />}
    >
      {isLarge && (
        <Dimmed>
          {t(
            'Groups with more than {max} actions or wallets are changed below. Their name and description stay.',
            { max: MAX_MEMBERS },
          )}
        </Dimmed>
      )}
      <MemberCard
        title={t('Actions')}
        about={t('Usage keys of this group can run them.')}
        one="action"
        members={cidHashes.map((hash) => ({
          id: String(hash),
          name: nameOfAction(actions, hash),
          link: <ActionLink actions={actions} hash={hash} />,
          shown:
            hash === 0n ? null : <Identifier value={toWord(hash)} label={t('Copy the hash of the CID')} />,
        }))}
        options={actionOptions(actions, t('Every action'))}
        onAdd={(ids) => change('addToGroup', { cids: ids.map(BigInt) })}
        onRemove={(id) => change('removeFromGroup', { cids: [BigInt(id)] })}
      />
      <MemberCard
        title={t('Wallets')}
        about={t('The actions of this group can use them.')}
        one="wallet"
        members={pkpIds.map((address) => ({
          id: address,
          name: nameOfWallet(wallets, address),
          link: <WalletLink wallets={wallets} address={address} />,
          shown:
            address === zeroAddress ? null : <Identifier value={address} label={t('Copy the address')} />,
        }))}
        options={walletOptions(wallets, t('Every wallet'))}
        onAdd={(ids) => change('addToGroup', { pkpIds: ids as Address[] })}
        onRemove={(id) => change('removeFromGroup', { pkpIds: [id as Address] })}
      />
      <KeysOfGroup keys={keys.filter((key) => runsIn(key, group))} />
    </Page>
  );
}

function Buttons({ group, isEditable }: { group: ListedGroup; isEditable: boolean }) {
  return (
    <Group gap="xs">
      {isEditable && (
        <DialogButton label={t('Edit')} title={t('Edit the group')}>
          {(close) => <GroupForm group={group} onDone={close} />}
        </DialogButton>
      )}
      <RemoveButton
        title={t('Remove the group')}
        done={t('The group was removed.')}
        to="/groups"
        prepare={(client) => client.prepare.removeGroup({ groupId: group.groupId })}
        refresh={['groups', 'keys']}
      />
    </Group>
  );
}

function MemberCard({
  title,
  about,
  one,
  members,
  options,
  onAdd,
  onRemove,
}: {
  title: string;
  about: string;
  one: 'action' | 'wallet';
  members: { id: string; name: string; link: ReactNode; shown: ReactNode }[];
  options: Option[];
  onAdd: (ids: string[]) => Promise<object | undefined>;
  onRemove: (id: string) => Promise<object | undefined>;
}) {
  const others = options.filter(
    ({ value }) => !members.some(({ id }) => id.toLowerCase() === value.toLowerCase()),
  );
  return (
    <Section title={title} about={about}>
      {members.length === 0 ? (
        <Text size="sm">
          {t('This group has no {one, select, action {action} other {wallet}} yet.', { one })}
        </Text>
      ) : (
        <Paged items={members} pageSize={10}>
          {(shown) => (
            <Removable
              label={t('{one, select, action {Actions} other {Wallets}} of the group', { one })}
              rows={shown.map(({ id, name, link, shown: identifier }) => ({
                id,
                cells: [link, identifier],
                removal: t('Remove {name} from the group', { name }),
                onRemove: () => onRemove(id),
              }))}
            />
          )}
        </Paged>
      )}
      {others.length > 0 && <AddMembers one={one} others={others} onAdd={onAdd} />}
    </Section>
  );
}

function AddMembers({
  one,
  others,
  onAdd,
}: {
  one: 'action' | 'wallet';
  others: Option[];
  onAdd: (ids: string[]) => Promise<object | undefined>;
}) {
  const [chosen, setChosen] = useState<string[]>([]);
  const label = t('Add {one, select, action {actions} other {wallets}}', { one });
  return (
    <Form
      label={label}
      send={() => onAdd(chosen)}
      onDone={() => setChosen([])}
      isInline
      button={{ disabled: chosen.length === 0 }}
    >
      <MemberSelect aria-label={label} one={one} data={others} value={chosen} onChange={setChosen} />
    </Form>
  );
}

function KeysOfGroup({ keys }: { keys: ListedUsageKey[] }) {
  return (
    <Section
      title={t('Usage keys')}
      about={t(
        'They run the actions of this group. <link>Choose the groups of a key under Usage keys</link>.',
        {
          link: (inner) => (
            <TextLink to="/keys" size="sm">
              {inner}
            </TextLink>
          ),
        },
      )}
    >
      <KeyLinks keys={keys} none={t('No usage key runs actions of this group yet.')} />
    </Section>
  );
}
