import type { SecretItem } from '@latchkey/sdk';
import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmButton } from '../../components/dialog.tsx';
import { type Column, DataTable } from '../../components/lists.tsx';
import { Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useSession } from '../../session/session-context.tsx';
import { secretsKey, type Versions } from './versions.ts';

const columns: Column<SecretItem>[] = [
  { title: t('Version'), isRowHeading: true, cell: ({ version }) => version },
  { title: t('Set'), cell: ({ setAt }) => <Time value={setAt} /> },
  {
    title: t('Last read'),
    cell: ({ lastReadAt }) => (lastReadAt ? <Time value={lastReadAt} /> : t('Never')),
  },
  {
    title: <VisuallyHidden>{t('Changes')}</VisuallyHidden>,
    ta: 'right',
    cell: (secret) => <DeleteVersion {...secret} />,
  },
];

export function VersionTable({ versions }: { versions: Versions }) {
  return (
    <Stack>
      <Text size="sm">
        {t(
          'Runs get the newest version. Delete an old one when its last read no longer changes, then revoke its value where it is used.',
        )}
      </Text>
      <DataTable
        label={t('Versions')}
        items={versions}
        isPaged
        rowKey={({ version }) => version}
        minWidth={420}
        columns={columns}
      />
    </Stack>
  );
}

function DeleteVersion({ name, version }: SecretItem) {
  const { client } = useSession();
  const queries = useQueryClient();
  const remove = async (): Promise<void> => {
    await client.deleteSecret({ name, version });
    await queries.invalidateQueries({ queryKey: secretsKey });
  };
  return (
    <ConfirmButton
      label={t('Delete')}
      aria-label={t('Delete version {version}', { version })}
      title={t('Delete the version')}
      confirm={t('Delete the version')}
      send={remove}
      size="xs"
      variant="subtle"
    >
      {t('Runs do not get version {version} of {name} from the next request on.', { version, name })}
    </ConfirmButton>
  );
}
