/** Who set, read and deleted a secret. */
import type { ListSecretEventsParameters, SecretEvent } from '@latchkey/sdk';
import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Column, DataTable, LoadMore } from '../../components/lists.tsx';
import { ActionName, KeyName } from '../../components/names.tsx';
import { Loaded } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useSession } from '../../session/session-context.tsx';

const PAGE_SIZE = 100;
const labels = { set: t('Set'), read: t('Read'), delete: t('Deleted') };

const columns: Column<SecretEvent>[] = [
  { title: t('Time'), cell: ({ at }) => <Time value={at} /> },
  { title: t('Event'), cell: ({ event }) => labels[event] },
  { title: t('Version'), cell: ({ version }) => version ?? t('All') },
  { title: t('By'), cell: ({ caller }) => <KeyName hash={caller} /> },
  { title: t('Action'), cell: ({ cid }) => cid !== undefined && <ActionName cid={cid} /> },
  {
    title: t('Run'),
    cell: ({ runId }) =>
      runId !== undefined && (
        <TextLink to="/runs/$id" params={{ id: runId }}>
          {runId.slice(0, 8)}
        </TextLink>
      ),
  },
];

export function Record({ name }: { name: string }) {
  const { client, mode } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['secret events', name],
    queryFn: ({ pageParam }) => client.listSecretEvents(pageParam),
    initialPageParam: { name, pageSize: PAGE_SIZE } as ListSecretEventsParameters,
    getNextPageParam: (page) =>
      page.length < PAGE_SIZE ? undefined : { name, pageSize: PAGE_SIZE, before: page.at(-1)?.id },
    refetchOnWindowFocus: mode === 'api',
  });
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <Stack>
          <Text size="sm">
            {t(
              'A read is what a run asked for, before the key nodes decided. The key releases of the wallet say what they released.',
            )}
          </Text>
          <DataTable
            label={t('Record')}
            items={pages.flat()}
            isPaged
            rowKey={({ id }) => id}
            minWidth={640}
            columns={columns}
          />
          <LoadMore query={query} label={t('Show earlier events')} />
        </Stack>
      )}
    </Loaded>
  );
}
