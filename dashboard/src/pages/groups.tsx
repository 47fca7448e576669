import { Button, Group, Modal, Stack, Table, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUsersGroup } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../components/error-message.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { useGroups } from '../queries.ts';
import { useWrite } from '../session/write.tsx';

export default function Groups() {
  const groups = useGroups();
  const write = useWrite();
  const [isCreating, creating] = useDisclosure(false);
  return (
    <Page
      title="Groups"
      about="A group says which actions may use which wallets. Usage keys get permissions in groups."
      action={<Button onClick={creating.open}>New group</Button>}
    >
      <Loaded query={groups}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState
              icon={IconUsersGroup}
              title="No groups yet"
              action={{ label: 'New group', onClick: creating.open }}
            >
              Put an action and the wallets that it needs into a group, then permit a usage key to run the
              actions of the group.
            </EmptyState>
          ) : (
            <Table.ScrollContainer minWidth={480}>
              <Table aria-label="Groups">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Description</Table.Th>
                    <Table.Th />
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(({ groupId, name, description }) => (
                    <Table.Tr key={String(groupId)}>
                      <Table.Td>{name || `Group ${groupId}`}</Table.Td>
                      <Table.Td>{description}</Table.Td>
                      <Table.Td>
                        <Group justify="end">
                          <Button
                            size="xs"
                            variant="subtle"
                            color="red"
                            onClick={() =>
                              void write({
                                title: 'Remove the group',
                                done: 'The group was removed.',
                                isDestructive: true,
                                prepare: (client) => client.prepare.removeGroup({ groupId }),
                                refresh: ['groups', 'keys'],
                              })
                            }
                          >
                            Remove
                          </Button>
                        </Group>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
      <Modal opened={isCreating} onClose={creating.close} title="New group">
        <NewGroup onDone={creating.close} />
      </Modal>
    </Page>
  );
}

function NewGroup({ onDone }: { onDone: () => void }) {
  const write = useWrite();
  const [groupName, setName] = useState('');
  const [groupDescription, setDescription] = useState('');
  const create = useMutation({
    mutationFn: () =>
      write({
        title: 'Create the group',
        done: 'The group was created.',
        prepare: (client) => client.prepare.addGroup({ groupName, groupDescription }),
        refresh: ['groups'],
      }),
    onSuccess: (written) => written && onDone(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          value={groupName}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={128}
          required
          data-autofocus
        />
        <TextInput
          label="Description"
          value={groupDescription}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          maxLength={1_024}
        />
        {create.error && <ErrorMessage error={create.error} />}
        <Button type="submit" loading={create.isPending}>
          Create the group
        </Button>
      </Stack>
    </form>
  );
}
