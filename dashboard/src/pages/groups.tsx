import { Button, Modal, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUsersGroup } from '@tabler/icons-react';
import { runsIn } from '../access.ts';
import { LoadedAll, Names, Paged } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { nameOfAction, nameOfGroup, nameOfKey, nameOfWallet } from '../names.ts';
import { useAccountLists } from '../queries.ts';
import { Ask } from './groups/ask.tsx';
import { GroupForm } from './groups/group-form.tsx';
import { Matrix } from './groups/matrix.tsx';

export default function Groups() {
  const queries = useAccountLists();
  const [isCreating, creating] = useDisclosure(false);
  return (
    <Page
      title="Groups"
      about="A group says which actions may use which wallets. Usage keys get permissions in groups."
      action={<Button onClick={creating.open}>New group</Button>}
    >
      <LoadedAll queries={queries}>
        {({ groups, keys, actions, wallets }) => (
          <>
            {groups.length === 0 ? (
              <EmptyState
                icon={IconUsersGroup}
                title="No groups yet"
                action={{ label: 'New group', onClick: creating.open }}
              >
                Put an action and the wallets that it needs into a group, then permit a usage key to run the
                actions of the group.
              </EmptyState>
            ) : (
              <Stack gap="xl">
                <Paged items={groups} of="groups">
                  {(shown) => (
                    <Table.ScrollContainer minWidth={640} type="native">
                      <Table aria-label="Groups" verticalSpacing="sm">
                        <Table.Thead>
                          <Table.Tr>
                            <Table.Th>Name</Table.Th>
                            <Table.Th>Actions</Table.Th>
                            <Table.Th>Wallets</Table.Th>
                            <Table.Th>Usage keys that run in it</Table.Th>
                          </Table.Tr>
                        </Table.Thead>
                        <Table.Tbody>
                          {shown.map((group) => (
                            <Table.Tr key={String(group.groupId)}>
                              <Table.Td maw={260}>
                                <TextLink
                                  to="/groups/$id"
                                  params={{ id: String(group.groupId) }}
                                  fw={500}
                                  underline="hover"
                                >
                                  {nameOfGroup(group)}
                                </TextLink>
                                <Text size="xs" c="dimmed" lineClamp={2}>
                                  {group.description}
                                </Text>
                              </Table.Td>
                              <Table.Td>
                                <Names
                                  names={group.cidHashesPermitted.map((hash) => nameOfAction(actions, hash))}
                                />
                              </Table.Td>
                              <Table.Td>
                                <Names
                                  names={group.pkpIdsPermitted.map((address) =>
                                    nameOfWallet(wallets, address),
                                  )}
                                />
                              </Table.Td>
                              <Table.Td>
                                <Names names={keys.filter((key) => runsIn(key, group)).map(nameOfKey)} />
                              </Table.Td>
                            </Table.Tr>
                          ))}
                        </Table.Tbody>
                      </Table>
                    </Table.ScrollContainer>
                  )}
                </Paged>
                <Matrix {...{ groups, keys, actions, wallets }} />
                <Ask {...{ groups, keys, actions, wallets }} />
              </Stack>
            )}
            <Modal opened={isCreating} onClose={creating.close} title="New group">
              <GroupForm actions={actions} wallets={wallets} onDone={creating.close} />
            </Modal>
          </>
        )}
      </LoadedAll>
    </Page>
  );
}
