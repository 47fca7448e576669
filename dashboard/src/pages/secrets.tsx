import type { SecretItem } from '@latchkey/sdk';
import { Group, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { LockIcon } from 'lucide-react';
import { useState } from 'react';
import { permitsWallet } from '../access.ts';
import { CreditAccess } from '../components/credit-access.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { Form, text } from '../components/form.tsx';
import { GroupsOfWallet } from '../components/groups-of.tsx';
import { type Column, DataTable, LoadedAll, Names, WithNote } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { type ListedGroup, type ListedWallet, nameOfGroup, nameOfWallet } from '../names.ts';
import { useGroups, useWallets } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { Record } from './secrets/record.tsx';
import { SecretForm } from './secrets/secret-form.tsx';
import { VersionTable } from './secrets/version-table.tsx';
import { secretsKey, type Versions, versionsByName } from './secrets/versions.ts';

export default function Secrets() {
  return (
    <Page
      title={t('Secrets')}
      about={t(
        'Values that actions need, such as a key of another API. This page encrypts them to a wallet: only runs that may use the wallet can read them, and no one sees them again.',
      )}
    >
      <CreditAccess>
        <SecretList />
      </CreditAccess>
    </Page>
  );
}

type Lists = { secrets: SecretItem[]; wallets: ListedWallet[]; groups: ListedGroup[] };

function SecretList() {
  const { client, mode } = useSession();
  const secrets = useQuery({
    queryKey: secretsKey,
    queryFn: () => client.listSecrets(),
    refetchOnWindowFocus: mode === 'api',
  });
  const queries = { secrets, wallets: useWallets(), groups: useGroups() };
  return (
    <LoadedAll<Lists> queries={queries}>
      {(lists) => (
        <Stack>
          <DialogButton label={t('New secret')} variant="filled" style={{ alignSelf: 'start' }}>
            {(close) => <SecretForm {...lists} onDone={close} />}
          </DialogButton>
          {lists.secrets.length === 0 ? (
            <EmptyState icon={LockIcon} title={t('No secrets yet')}>
              {t('An action reads a secret by its name. The groups of its wallet say which actions can.')}
            </EmptyState>
          ) : (
            <SecretTable {...lists} />
          )}
        </Stack>
      )}
    </LoadedAll>
  );
}

function SecretTable(lists: Lists) {
  const { secrets, wallets, groups } = lists;
  const columns: Column<Versions>[] = [
    {
      title: t('Name'),
      isRowHeading: true,
      props: { style: { overflowWrap: 'anywhere' } },
      cell: ([{ name }]) => name,
    },
    {
      title: t('Version'),
      cell: (versions) => (
        <WithNote note={versions.length > 1 && t('and {count} earlier', { count: versions.length - 1 })}>
          {versions[0].version}
        </WithNote>
      ),
    },
    {
      title: t('Groups that may read it'),
      props: { miw: 180 },
      cell: ([{ walletAddress }]) => (
        <WithNote note={t('by the wallet {wallets}', { wallets: nameOfWallet(wallets, walletAddress) })}>
          <Names
            names={groups.filter((group) => permitsWallet(group, walletAddress)).map(nameOfGroup)}
            none={t('No group')}
          />
        </WithNote>
      ),
    },
    { title: t('Last read'), cell: (versions) => <LastRead versions={versions} /> },
    { title: t('Rotated'), cell: ([{ setAt }]) => <Time value={setAt} /> },
    {
      title: <VisuallyHidden>{t('Changes')}</VisuallyHidden>,
      ta: 'right',
      cell: (versions) => <Dialogs versions={versions} lists={lists} />,
    },
  ];
  return (
    <DataTable
      label={t('Secrets')}
      items={versionsByName(secrets)}
      isPaged
      rowKey={([{ name }]) => name}
      minWidth={860}
      columns={columns}
    />
  );
}

function LastRead({ versions }: { versions: Versions }) {
  const times = versions.flatMap(({ lastReadAt }) => lastReadAt?.getTime() ?? []);
  return times.length === 0 ? t('Never') : <Time value={new Date(Math.max(...times))} />;
}

function Dialogs({ versions, lists }: { versions: Versions; lists: Lists }) {
  const [{ name, walletAddress }] = versions;
  const named = (label: string, title: string) => ({
    label,
    title,
    'aria-label': title,
    size: 'xs',
    variant: 'subtle',
  });
  const shared = lists.secrets.filter((secret) => secret.walletAddress === walletAddress);
  const names = [...new Set(shared.map((secret) => secret.name))];
  return (
    <Group justify="end" gap={4} wrap="nowrap">
      <DialogButton {...named(t('Rotate'), t('Rotate {name}', { name }))}>
        {(close) => <SecretForm {...lists} rotated={versions} onDone={close} />}
      </DialogButton>
      <DialogButton {...named(t('Groups'), t('Groups of {name}', { name }))}>
        {() => (
          <Stack>
            <Text size="sm">
              {t('A group that has the wallet {wallets} may read all of its secrets: {names}.', {
                wallets: nameOfWallet(lists.wallets, walletAddress),
                names: names.join(', '),
              })}
            </Text>
            <GroupsOfWallet address={walletAddress} groups={lists.groups} />
          </Stack>
        )}
      </DialogButton>
      <DialogButton {...named(t('Versions'), t('Versions of {name}', { name }))} modal={{ size: 'lg' }}>
        {() => <VersionTable versions={versions} />}
      </DialogButton>
      <DialogButton {...named(t('Record'), t('Record of {name}', { name }))} modal={{ size: 'xl' }}>
        {() => <Record name={name} />}
      </DialogButton>
      <DialogButton {...named(t('Delete'), t('Delete {name}', { name }))} color="red">
        {(close) => <Delete name={name} onDone={close} />}
      </DialogButton>
    </Group>
  );
}

function Delete({ name, onDone }: { name: string; onDone: () => void }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const send = async (): Promise<true> => {
    await client.deleteSecret({ name });
    await queries.invalidateQueries({ queryKey: secretsKey });
    return true;
  };
  return (
    <Form
      label={t('Delete the secret')}
      send={send}
      onDone={onDone}
      button={{ color: 'red', disabled: typed !== name }}
    >
      <Text size="sm">
        {t(
          'Deletes all versions. Runs do not get them from the next request on. This does not revoke the value where it is used.',
        )}
      </Text>
      <TextInput
        label={t('Type {name} to confirm', { name })}
        {...text(typed, setTyped)}
        autoComplete="off"
        required
        data-autofocus
      />
    </Form>
  );
}
