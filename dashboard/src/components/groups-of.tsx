/** The groups of an action or a wallet: which ones have it, and the changes. */
import { Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Address, zeroAddress } from 'viem';
import { t } from '../i18n.ts';
import { groupOptions, type ListedGroup, nameOfGroup } from '../names.ts';
import { useWrite } from '../session/write.tsx';
import { Form } from './form.tsx';
import { Removable } from './removable.tsx';
import { TextLink } from './text-link.tsx';

type Member = { cids: bigint[] } | { pkpIds: Address[] };

export function GroupsOf({
  member,
  one,
  groups,
  isIn,
  isInByWildcard,
}: {
  member: Member;
  one: 'action' | 'wallet';
  groups: readonly ListedGroup[];
  /** Whether the group has the member itself. */
  isIn: (group: ListedGroup) => boolean;
  /** Whether the group has every action, or every wallet. */
  isInByWildcard: (group: ListedGroup) => boolean;
}) {
  const write = useWrite();
  const having = groups.filter((group) => isIn(group) || isInByWildcard(group));
  const others = groups.filter((group) => !isIn(group));
  const change = (kind: 'addToGroup' | 'removeFromGroup', groupId: bigint) =>
    write({
      title: kind === 'addToGroup' ? t('Add to the group') : t('Remove from the group'),
      done:
        kind === 'addToGroup'
          ? t('The group has the {one, select, action {action} other {wallet}}.', { one })
          : t('The group no longer has the {one, select, action {action} other {wallet}}.', { one }),
      isDestructive: kind === 'removeFromGroup',
      prepare: (client) => client.prepare[kind]({ groupId, ...member }),
      refresh: ['groups'],
    });
  return (
    <Stack gap="sm">
      {having.length === 0 ? (
        <Text size="sm">
          {t('No group has this {one, select, action {action} other {wallet}} yet.', { one })}
        </Text>
      ) : (
        <Removable
          label={t('Groups of the {one, select, action {action} other {wallet}}', { one })}
          rows={having.map((group) => ({
            id: String(group.groupId),
            cells: [
              <Group key="name" gap="xs">
                <TextLink to="/groups/$id" params={{ id: String(group.groupId) }} size="sm">
                  {nameOfGroup(group)}
                </TextLink>
                {!isIn(group) && <HasEvery one={one} />}
              </Group>,
            ],
            removal: isIn(group) ? t('Remove it from {group}', { group: nameOfGroup(group) }) : undefined,
            onRemove: () => change('removeFromGroup', group.groupId),
          }))}
        />
      )}
      {others.length > 0 && <AddTo groups={others} send={(groupId) => change('addToGroup', groupId)} />}
    </Stack>
  );
}

const HasEvery = ({ one }: { one: 'action' | 'wallet' }) => (
  <Text size="xs" c="dimmed">
    {t('It has every {one, select, action {action} other {wallet}}.', { one })}
  </Text>
);

export function GroupsOfWallet({ address, groups }: { address: Address; groups: ListedGroup[] }) {
  return (
    <GroupsOf
      member={{ pkpIds: [address] }}
      one="wallet"
      groups={groups}
      isIn={({ pkpIds }) => pkpIds.includes(address)}
      isInByWildcard={({ pkpIds }) => pkpIds.includes(zeroAddress)}
    />
  );
}

function AddTo({
  groups,
  send,
}: {
  groups: ListedGroup[];
  send: (groupId: bigint) => Promise<object | undefined>;
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <Form
      label={t('Add to the group')}
      send={() => send(BigInt(chosen ?? 0))}
      onDone={() => setChosen(null)}
      isInline
      button={{ disabled: chosen === null }}
    >
      <Select
        label={t('Another group')}
        placeholder={t('Choose a group')}
        data={groupOptions(groups)}
        value={chosen}
        onChange={setChosen}
        searchable
      />
    </Form>
  );
}
