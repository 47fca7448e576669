/** One group: its members, the keys that run in it, and its changes. */
import {
  ActionIcon,
  Button,
  Card,
  Group,
  Modal,
  MultiSelect,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { XIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type Address, zeroAddress } from 'viem';
import { runsIn } from '../access.ts';
import { LoadedAll, Paged } from '../components/lists.tsx';
import { Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { WriteForm } from '../components/write-form.tsx';
import {
  type AccountLists,
  actionOptions,
  type ListedGroup,
  type ListedUsageKey,
  nameOfAction,
  nameOfGroup,
  nameOfKey,
  nameOfWallet,
  type Option,
  toWord,
  walletOptions,
} from '../names.ts';
import { useAccountLists } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import { GroupForm, MAX_MEMBERS } from './groups/group-form.tsx';

export default function OneGroup() {
  const { id } = useParams({ from: '/groups/$id' });
  const queries = useAccountLists();
  return (
    <LoadedAll<AccountLists> queries={queries}>
      {(lists) => {
        const group = lists.groups.find(({ groupId }) => String(groupId) === id);
        return group ? <Members group={group} {...lists} /> : <Missing />;
      }}
    </LoadedAll>
  );
}

function Missing() {
  return (
    <Page title="There is no such group">
      <Text>
        It may have been removed. <TextLink to="/groups">Show all groups</TextLink>.
      </Text>
    </Page>
  );
}

function Members({ group, keys, actions, wallets }: { group: ListedGroup } & AccountLists) {
  const write = useWrite();
  const navigate = useNavigate();
  const [isEditing, editing] = useDisclosure(false);
  const { groupId, cidHashes, pkpIds } = group;
  const isLarge = Math.max(cidHashes.length, pkpIds.length) > MAX_MEMBERS;
  const remove = async (): Promise<void> => {
    const written = await write({
      title: 'Remove the group',
      done: 'The group was removed.',
      isDestructive: true,
      prepare: (client) => client.prepare.removeGroup({ groupId }),
      refresh: ['groups', 'keys'],
    });
    if (written) await navigate({ to: '/groups' });
  };
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
      action={
        <Group gap="xs">
          {!isLarge && (
            <Button variant="default" onClick={editing.open}>
              Edit
            </Button>
          )}
          <Button variant="outline" color="red" onClick={() => void remove()}>
            Remove the group
          </Button>
        </Group>
      }
    >
      {isLarge && (
        <Text size="sm" c="dimmed">
          Groups with more than {MAX_MEMBERS} actions or wallets are changed below. Their name and description
          stay.
        </Text>
      )}
      <MemberCard
        title="Actions"
        about="Usage keys of this group can run them."
        one="action"
        members={cidHashes.map((hash) => ({
          id: String(hash),
          name: nameOfAction(actions, hash),
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
          shown: address === zeroAddress ? null : <Identifier value={address} label="the address" />,
        }))}
        options={walletOptions(wallets, 'Every wallet')}
        onAdd={(ids) => change('addToGroup', { pkpIds: ids as Address[] })}
        onRemove={(id) => change('removeFromGroup', { pkpIds: [id as Address] })}
      />
      <KeysOfGroup keys={keys.filter((key) => runsIn(key, group))} />
      <Modal opened={isEditing} onClose={editing.close} title="Edit the group">
        <GroupForm group={group} actions={actions} wallets={wallets} onDone={editing.close} />
      </Modal>
    </Page>
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
  members: { id: string; name: string; shown: ReactNode }[];
  options: Option[];
  onAdd: (ids: string[]) => Promise<object | undefined>;
  onRemove: (id: string) => Promise<object | undefined>;
}) {
  const [chosen, setChosen] = useState<string[]>([]);
  const others = options.filter(
    ({ value }) => !members.some(({ id }) => id.toLowerCase() === value.toLowerCase()),
  );
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </div>
        {members.length === 0 ? (
          <Text size="sm">This group has no {one} yet.</Text>
        ) : (
          <Paged items={members} of={`${one}s`} pageSize={10}>
            {(shown) => (
              <Table aria-label={`${title} of the group`}>
                <Table.Tbody>
                  {shown.map(({ id, name, shown: identifier }) => (
                    <Table.Tr key={id}>
                      <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                      <Table.Td>{identifier}</Table.Td>
                      <Table.Td ta="right">
                        <ActionIcon
                          variant="subtle"
                          color="red"
                          aria-label={`Remove ${name} from the group`}
                          onClick={() => void onRemove(id)}
                        >
                          <XIcon size={16} aria-hidden />
                        </ActionIcon>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
          </Paged>
        )}
        {others.length > 0 && (
          <WriteForm
            label={`Add ${one}s`}
            send={() => onAdd(chosen)}
            onDone={() => setChosen([])}
            isInline
            isDisabled={chosen.length === 0}
          >
            <MultiSelect
              aria-label={`Add ${one}s`}
              placeholder={chosen.length === 0 ? `Choose ${one}s` : undefined}
              data={others}
              value={chosen}
              onChange={setChosen}
              maxValues={MAX_MEMBERS}
              nothingFoundMessage={`No ${one} has this name.`}
              searchable
              hidePickedOptions
            />
          </WriteForm>
        )}
      </Stack>
    </Card>
  );
}

function KeysOfGroup({ keys }: { keys: ListedUsageKey[] }) {
  return (
    <Card withBorder component="section" aria-label="Usage keys">
      <Title order={2} size="h4">
        Usage keys
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {keys.length === 0
          ? 'No usage key runs actions of this group yet. '
          : 'They run the actions of this group. '}
        <TextLink to="/keys" size="sm">
          Choose the groups of a key under Usage keys
        </TextLink>
        .
      </Text>
      <Group gap="xs">
        {keys.map((key) => (
          <TextLink
            key={String(key.usageKeyHash)}
            to="/keys/$hash"
            params={{ hash: toWord(key.usageKeyHash) }}
            size="sm"
          >
            {nameOfKey(key)}
          </TextLink>
        ))}
      </Group>
    </Card>
  );
}
