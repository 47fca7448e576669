/** The groups of an action or a wallet: which ones have it, and the changes. */
import { ActionIcon, Group, Select, Stack, Table, Text } from '@mantine/core';
import { XIcon } from 'lucide-react';
import { useState } from 'react';
import type { Address } from 'viem';
import { groupOptions, type ListedGroup, nameOfGroup } from '../names.ts';
import { useWrite } from '../session/write.tsx';
import { TextLink } from './text-link.tsx';
import { WriteForm } from './write-form.tsx';

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
  const [chosen, setChosen] = useState<string | undefined>();
  const having = groups.filter((group) => isIn(group) || isInByWildcard(group));
  const others = groups.filter((group) => !isIn(group));
  const add = (groupId: string) =>
    write({
      title: 'Add to the group',
      done: `The group has the ${one}.`,
      prepare: (client) => client.prepare.addToGroup({ groupId: BigInt(groupId), ...member }),
      refresh: ['groups'],
    });
  const remove = ({ groupId }: ListedGroup) =>
    write({
      title: 'Remove from the group',
      done: `The group no longer has the ${one}.`,
      isDestructive: true,
      prepare: (client) => client.prepare.removeFromGroup({ groupId, ...member }),
      refresh: ['groups'],
    });
  return (
    <Stack gap="sm">
      {having.length === 0 ? (
        <Text size="sm">No group has this {one} yet.</Text>
      ) : (
        <Table aria-label={`Groups of the ${one}`}>
          <Table.Tbody>
            {having.map((group) => (
              <Table.Tr key={String(group.groupId)}>
                <Table.Td>
                  <Group gap="xs">
                    <TextLink to="/groups/$id" params={{ id: String(group.groupId) }}>
                      {nameOfGroup(group)}
                    </TextLink>
                    {!isIn(group) && (
                      <Text size="xs" c="dimmed">
                        It has every {one}.
                      </Text>
                    )}
                  </Group>
                </Table.Td>
                <Table.Td ta="right">
                  {isIn(group) && (
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={`Remove it from ${nameOfGroup(group)}`}
                      onClick={() => void remove(group)}
                    >
                      <XIcon size={16} aria-hidden />
                    </ActionIcon>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {others.length > 0 && (
        <WriteForm
          label="Add to the group"
          send={async () => (chosen === undefined ? undefined : add(chosen))}
          onDone={() => setChosen(undefined)}
          isInline
          isDisabled={chosen === undefined}
        >
          <Select
            label="Another group"
            placeholder="Choose a group"
            data={groupOptions(others)}
            value={chosen ?? null}
            onChange={(id) => setChosen(id ?? undefined)}
            searchable
          />
        </WriteForm>
      )}
    </Stack>
  );
}
