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
          <Missing one="group" why="It may have been removed." to="/groups" />
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
      title: kind === 'addToGroup' ? 'Add to the group' : 'Remove from the group',
      done: 'The group was changed.',
      isDestructive: kind === 'removeFromGroup',
      prepare: (client) => client.prepare[kind]({ groupId, ...members }),
      refresh: ['groups', 'actions'],
    });
  return (
    <Page
      title={nameOfGroup(group)}
      about={[group.description, `Group ${groupId}`].filter(Boolean).join(' · ')}
      action={<Buttons group={group} isEditable={!isLarge} />}
    >
      {isLarge && (
        <Dimmed>
          Groups with more than {MAX_MEMBERS} actions or wallets are changed below. Their name and description
          stay.
        </Dimmed>
      )}
      <MemberCard
        title="Actions"
        about="Usage keys of this group can run them."
        one="action"
        members={cidHashes.map((hash) => ({
          id: String(hash),
          name: nameOfAction(actions, hash),
          link: <ActionLink actions={actions} hash={hash} />,
          shown: hash === 0n ? null : <Identifier value={toWord(hash)} label="the hash of the CID" />,
        }))}
        options={actionOptions(actions, 'Every action')}
        onAdd={(ids) => change('addToGroup', { cids: ids.map(BigInt) })}
        onRemove={(id) => change('removeFromGroup', { cids: [BigInt(id)] })}
      />
      <MemberCard
        title="Wallets"
        about="The actions of this group can use them."
        one="wallet"
        members={pkpIds.map((address) => ({
          id: address,
          name: nameOfWallet(wallets, address),
          link: <WalletLink wallets={wallets} address={address} />,
          shown: address === zeroAddress ? null : <Identifier value={address} label="the address" />,
        }))}
        options={walletOptions(wallets, 'Every wallet')}
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
        <DialogButton label="Edit" title="Edit the group">
          {(close) => <GroupForm group={group} onDone={close} />}
        </DialogButton>
      )}
      <RemoveButton
        one="group"
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
  const [chosen, setChosen] = useState<string[]>([]);
  const others = options.filter(
    ({ value }) => !members.some(({ id }) => id.toLowerCase() === value.toLowerCase()),
  );
  return (
    <Section title={title} about={about}>
      {members.length === 0 ? (
        <Text size="sm">This group has no {one} yet.</Text>
      ) : (
        <Paged items={members} of={`${one}s`} pageSize={10}>
          {(shown) => (
            <Removable
              label={`${title} of the group`}
              rows={shown.map(({ id, name, link, shown: identifier }) => ({
                id,
                cells: [link, identifier],
                removal: `Remove ${name} from the group`,
                onRemove: () => onRemove(id),
              }))}
            />
          )}
        </Paged>
      )}
      {others.length > 0 && (
        <Form
          label={`Add ${one}s`}
          send={() => onAdd(chosen)}
          onDone={() => setChosen([])}
          isInline
          button={{ disabled: chosen.length === 0 }}
        >
          <MemberSelect
            aria-label={`Add ${one}s`}
            one={one}
            data={others}
            value={chosen}
            onChange={setChosen}
          />
        </Form>
      )}
    </Section>
  );
}

function KeysOfGroup({ keys }: { keys: ListedUsageKey[] }) {
  return (
    <Section
      title="Usage keys"
      about={
        <>
          They run the actions of this group.{' '}
          <TextLink to="/keys" size="sm">
            Choose the groups of a key under Usage keys
          </TextLink>
          .
        </>
      }
    >
      <KeyLinks keys={keys} none="No usage key runs actions of this group yet." />
    </Section>
  );
}
