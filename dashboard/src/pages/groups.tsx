import { Button, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { UsersIcon } from 'lucide-react';
import { runsIn } from '../access.ts';
import { DataTable, LoadedAll, Names } from '../components/lists.tsx';
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
                icon={UsersIcon}
                title="No groups yet"
                action={{ label: 'New group', onClick: creating.open }}
              >
                Put an action and the wallets that it needs into a group, then permit a usage key to run the
                actions of the group.
              </EmptyState>
            ) : (
              <Stack gap="xl">
                <DataTable
                  label="Groups"
                  items={groups}
                  of="groups"
                  rowKey={({ groupId }) => String(groupId)}
                  minWidth={640}
                  columns={[
                    {
                      title: 'Name',
                      props: { maw: 260 },
                      cell: (group) => (
                        <>
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
                        </>
                      ),
                    },
                    {
                      title: 'Actions',
                      cell: ({ cidHashes }) => (
                        <Names names={cidHashes.map((hash) => nameOfAction(actions, hash))} />
                      ),
                    },
                    {
                      title: 'Wallets',
                      cell: ({ pkpIds }) => (
                        <Names names={pkpIds.map((address) => nameOfWallet(wallets, address))} />
                      ),
                    },
                    {
                      title: 'Usage keys that run in it',
                      cell: (group) => (
                        <Names names={keys.filter((key) => runsIn(key, group)).map(nameOfKey)} />
                      ),
                    },
                  ]}
                />
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
