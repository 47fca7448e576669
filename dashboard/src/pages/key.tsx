/** One usage key: its permissions and caps, and its changes. */
import { Button, Card, Group, Modal, Stack, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isExpired } from '../access.ts';
import { ErrorMessage } from '../components/error-message.tsx';
import { LoadedAll, Names } from '../components/lists.tsx';
import { Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { WriteForm } from '../components/write-form.tsx';
import { type ListedGroup, type ListedUsageKey, nameOfKey, toWord } from '../names.ts';
import { useGroups, useUsageKeys } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { useWrite } from '../session/write.tsx';
import { ExpiryField, fromDateField, toDateField } from './keys/expiry-field.tsx';
import { KeyForm } from './keys/key-form.tsx';
import { LastUse } from './keys/last-use.tsx';
import { describeCaps, describeExpiry, namesOfGroups } from './keys/permissions.ts';
import { Rotate } from './keys/rotate.tsx';

export default function OneKey() {
  const { hash } = useParams({ from: '/keys/$hash' });
  return (
    <LoadedAll queries={{ keys: useUsageKeys(), groups: useGroups() }}>
      {({ keys, groups }) => {
        const key = keys.find(({ usageKeyHash }) => toWord(usageKeyHash) === hash.toLowerCase());
        return key ? <Details key={hash} usageKey={key} groups={groups} /> : <Missing />;
      }}
    </LoadedAll>
  );
}

function Missing() {
  return (
    <Page title="There is no such usage key">
      <Text>
        It may have been removed or rotated. <TextLink to="/keys">Show all usage keys</TextLink>.
      </Text>
    </Page>
  );
}

function Details({ usageKey, groups }: { usageKey: ListedUsageKey; groups: ListedGroup[] }) {
  const { mode } = useSession();
  const write = useWrite();
  const navigate = useNavigate();
  const [isEditing, editing] = useDisclosure(false);
  const [isRotating, rotating] = useDisclosure(false);
  const [isExpiring, expiring] = useDisclosure(false);
  const [isUseShown, setIsUseShown] = useState(mode === 'api');
  const { usageKeyHash, description, expiration } = usageKey;
  const remove = async (): Promise<void> => {
    const written = await write({
      title: 'Remove the usage key',
      done: 'The usage key was removed.',
      isDestructive: true,
      prepare: (client) => client.prepare.removeUsageApiKey({ usageKey: usageKeyHash }),
      refresh: ['keys'],
    });
    if (written) await navigate({ to: '/keys' });
  };
  return (
    <Page
      title={nameOfKey(usageKey)}
      about={
        <>
          {description && `${description} `}
          Hash <Identifier value={toWord(usageKeyHash)} label="the hash of the key" />
        </>
      }
      action={
        <Group gap="xs">
          <Button variant="default" onClick={editing.open}>
            Edit
          </Button>
          <Button variant="default" onClick={expiring.open}>
            Set the expiry
          </Button>
          <Button variant="default" onClick={rotating.open}>
            Rotate
          </Button>
          <Button variant="outline" color="red" onClick={() => void remove()}>
            Remove the usage key
          </Button>
        </Group>
      }
    >
      <Card withBorder component="section" aria-label="Permissions">
        <Table aria-label="Permissions of the key" layout="fixed">
          <Table.Tbody>
            <Row name="Runs the actions of">
              <Names names={namesOfGroups(usageKey.executeInGroups, groups)} none="No group" />
            </Row>
            <Row name="Other permissions">
              <Names names={otherPermissions(usageKey, groups)} none="None" />
            </Row>
            {mode === 'api' && (
              <Row name="Caps">
                <Names names={describeCaps(usageKey)} none="No caps" />
              </Row>
            )}
            <Row name="Expires">
              {isExpired(usageKey) ? 'Expired ' : ''}
              {describeExpiry(expiration)}
            </Row>
            <Row name="Last use">
              <LastUse hash={usageKeyHash} isShown={isUseShown} onShow={() => setIsUseShown(true)} />
            </Row>
          </Table.Tbody>
        </Table>
      </Card>
      <Recording usageKey={usageKey} />
      <Modal opened={isEditing} onClose={editing.close} title="Edit the usage key">
        <KeyForm before={usageKey} groups={groups} onDone={editing.close} />
      </Modal>
      <Modal opened={isExpiring} onClose={expiring.close} title="Set the expiry">
        <SetExpiry usageKey={usageKey} onDone={expiring.close} />
      </Modal>
      <Modal opened={isRotating} onClose={rotating.close} title="Rotate the usage key" size="lg">
        <Rotate
          usageKey={usageKey}
          onDone={(hash) => void navigate({ to: '/keys/$hash', params: { hash } })}
        />
      </Modal>
    </Page>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" w="35%">
        {name}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}

function otherPermissions(key: ListedUsageKey, groups: ListedGroup[]): string[] {
  const inGroups = (what: string, ids: bigint[]) =>
    namesOfGroups(ids, groups).map((name) => `${what}: ${name}`);
  return [
    ...(key.canCreateGroups ? ['Create groups'] : []),
    ...(key.canDeleteGroups ? ['Delete groups'] : []),
    ...(key.canCreatePkps ? ['Create wallets'] : []),
    ...inGroups('Change actions', key.manageIpfsIdsInGroups),
    ...inGroups('Add wallets', key.addPkpToGroups),
    ...inGroups('Remove wallets', key.removePkpFromGroups),
  ];
}

function SetExpiry({ usageKey, onDone }: { usageKey: ListedUsageKey; onDone: () => void }) {
  const write = useWrite();
  const { usageKeyHash, expiration: before } = usageKey;
  const [date, setDate] = useState(toDateField(before));
  const send = () => {
    const expiration = fromDateField(date, before);
    return write({
      title: 'Set the expiry',
      done: 'The expiry was set.',
      prepare: (client) => client.prepare.setUsageApiKeyExpiration({ usageKey: usageKeyHash, expiration }),
      compare: [{ label: 'Expires', before: describeExpiry(before), after: describeExpiry(expiration) }],
      refresh: ['keys'],
    });
  };
  return (
    <WriteForm label="Set the expiry" send={send} onDone={onDone}>
      <ExpiryField value={date} onChange={setDate} />
    </WriteForm>
  );
}

/** Whether records of runs have their output. A wallet's list of keys does not say it. */
function Recording({ usageKey: { usageKeyHash, recordOutput } }: { usageKey: ListedUsageKey }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const set = useMutation({
    mutationFn: (recorded: boolean) =>
      client.setUsageApiKeyRecording({ usageKey: usageKeyHash, recordOutput: recorded }),
    onSuccess: () => {
      asking.close();
      return queries.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const isKnown = recordOutput !== undefined;
  const isOn = recordOutput ?? (set.isSuccess ? set.variables : undefined);
  return (
    <Card withBorder component="section" aria-label="Recorded output">
      <Stack gap="sm" align="start">
        <Title order={2} size="h4">
          Recorded output
        </Title>
        <Text size="sm" role="status">
          {isOn === undefined && 'Your wallet’s list of keys does not say whether it is on. '}
          {isOn === true && 'On: the records of its runs have their output. '}
          {isOn === false && 'Off: the records of its runs have no output. '}
          While it is on, the response, the logs and the error of each run are stored, sealed, and shown to
          you under Runs. Parameters are never stored. Output is deleted with the record of the run.
        </Text>
        {set.error && <ErrorMessage error={set.error} />}
        <Group gap="xs">
          {isOn !== true && (
            <Button
              variant="default"
              onClick={() => set.mutate(true)}
              loading={set.isPending && set.variables}
            >
              Record the output
            </Button>
          )}
          {(isOn !== false || !isKnown) && (
            <Button variant="default" color="red" onClick={asking.open}>
              Stop and delete recorded output
            </Button>
          )}
        </Group>
      </Stack>
      <Modal opened={isAsking} onClose={asking.close} title="Stop and delete recorded output">
        <Stack>
          <Text size="sm">
            The output that was recorded for runs of this key is deleted and cannot be recovered. Records of
            runs stay.
          </Text>
          <Group justify="end">
            <Button variant="default" onClick={asking.close}>
              Cancel
            </Button>
            <Button color="red" onClick={() => set.mutate(false)} loading={set.isPending}>
              Delete the recorded output
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Card>
  );
}
