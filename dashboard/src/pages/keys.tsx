import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { isExpired } from '../access.ts';
import { LoadedAll, Names, Paged } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { short } from '../components/values.tsx';
import { type ListedGroup, type ListedUsageKey, nameOfKey, toWord } from '../names.ts';
import { useGroups, useUsageKeys } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { type CreatedKey, KeyForm } from './keys/key-form.tsx';
import { LastUse } from './keys/last-use.tsx';
import { NewKey } from './keys/new-key.tsx';
import { describeCaps, describeExpiry, namesOfGroups } from './keys/permissions.ts';
import { useRemoveAllKeys } from './keys/remove-all.ts';

export default function Keys() {
  const queries = { keys: useUsageKeys(), groups: useGroups() };
  const [isCreating, creating] = useDisclosure(false);
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <Page
      title="Usage keys"
      about="Programs run actions with usage keys. Each key runs the actions of its groups, within its caps, until it expires."
      action={<Button onClick={creating.open}>New usage key</Button>}
    >
      <LoadedAll queries={queries}>
        {({ keys, groups }) => (
          <>
            {keys.length === 0 ? (
              <EmptyState
                icon={IconKey}
                title="No usage keys yet"
                action={{ label: 'New usage key', onClick: creating.open }}
              >
                Give each program its own key with the groups that it needs. The account key stays with you:
                it cannot run actions, and should be in no program.
              </EmptyState>
            ) : (
              <KeyTable keys={keys} groups={groups} />
            )}
            <Modal opened={isCreating} onClose={creating.close} title="New usage key">
              <KeyForm
                groups={groups}
                onDone={(key) => {
                  creating.close();
                  setCreated(key);
                }}
              />
            </Modal>
            {created && <NewKey created={created} groups={groups} onStored={() => setCreated(undefined)} />}
          </>
        )}
      </LoadedAll>
    </Page>
  );
}

function KeyTable({ keys, groups }: { keys: ListedUsageKey[]; groups: ListedGroup[] }) {
  const { mode } = useSession();
  const [isUseShown, setIsUseShown] = useState(mode === 'api');
  const removeAll = useRemoveAllKeys();
  return (
    <Stack>
      <Paged items={keys} of="usage keys">
        {(shown) => (
          <Table.ScrollContainer minWidth={760} type="native">
            <Table aria-label="Usage keys" verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Runs the actions of</Table.Th>
                  {mode === 'api' && <Table.Th>Caps</Table.Th>}
                  <Table.Th>Expires</Table.Th>
                  <Table.Th w={150}>Last use</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shown.map((key) => (
                  <Table.Tr key={String(key.apiKeyHash)}>
                    <Table.Td maw={260}>
                      <TextLink
                        to="/keys/$hash"
                        params={{ hash: toWord(key.apiKeyHash) }}
                        fw={500}
                        underline="hover"
                      >
                        {nameOfKey(key)}
                      </TextLink>
                      <Text size="xs" c="dimmed" ff="monospace">
                        {short(toWord(key.apiKeyHash))}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <Names names={namesOfGroups(key.executeInGroups, groups)} none="No group" />
                    </Table.Td>
                    {mode === 'api' && (
                      <Table.Td>
                        <Names names={describeCaps(key)} none="No caps" />
                      </Table.Td>
                    )}
                    <Table.Td>
                      {isExpired(key) ? 'Expired ' : ''}
                      {describeExpiry(key.expiration)}
                    </Table.Td>
                    <Table.Td>
                      <LastUse
                        hash={key.apiKeyHash}
                        isShown={isUseShown}
                        onShow={() => setIsUseShown(true)}
                      />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Paged>
      <Group justify="end">
        <Button variant="subtle" color="red" size="xs" onClick={() => void removeAll()}>
          Remove all usage keys
        </Button>
      </Group>
    </Stack>
  );
}
