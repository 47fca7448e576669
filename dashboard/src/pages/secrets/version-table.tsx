import type { SecretItem } from '@latchkey/sdk';
import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmButton } from '../../components/dialog.tsx';
import { type Column, DataTable } from '../../components/lists.tsx';
import { Time } from '../../components/values.tsx';
import { useSession } from '../../session/session-context.tsx';
import { secretsKey, type Versions } from './versions.ts';

const columns: Column<SecretItem>[] = [
  { title: 'Version', isRowHeading: true, cell: ({ version }) => version },
  { title: 'Set', cell: ({ setAt }) => <Time value={setAt} /> },
  { title: 'Last read', cell: ({ lastReadAt }) => (lastReadAt ? <Time value={lastReadAt} /> : 'Never') },
  {
    title: <VisuallyHidden>Changes</VisuallyHidden>,
    ta: 'right',
    cell: (secret) => <DeleteVersion {...secret} />,
  },
];

export function VersionTable({ versions }: { versions: Versions }) {
  return (
    <Stack>
      <Text size="sm">
        Runs get the newest version. Delete an old one when its last read no longer changes, then revoke its
        value where it is used.
      </Text>
      <DataTable
        label="Versions"
        items={versions}
        of="versions"
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
      label="Delete"
      aria-label={`Delete version ${version}`}
      title="Delete the version"
      confirm="Delete the version"
      send={remove}
      size="xs"
      variant="subtle"
    >
      Runs do not get version {version} of {name} from the next request on.
    </ConfirmButton>
  );
}
