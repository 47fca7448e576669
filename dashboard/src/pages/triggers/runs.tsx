/** The runs of a trigger. */
import type { SearchTriggerRunsParameters, TriggerRun, TriggersClient } from '@latchkey/sdk';
import { Badge, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { ErrorMessage } from '../../components/error-message.tsx';
import { text } from '../../components/form.tsx';
import { type Column, DataTable, LoadMore } from '../../components/lists.tsx';
import { Dimmed, Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useTyped, useUrlValues } from '../../components/url-values.ts';
import { formatMicros, Time } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';

const REFRESH_MS = 3_000;
const RUNS_AT_ONCE = 25;
/** Characters, of the filter by error. */
const MAX_ERROR = 200;

const statuses = {
  success: { name: t('Succeeded'), color: 'teal' },
  failed: { name: t('Failed'), color: 'red' },
  running: { name: t('Running'), color: 'blue' },
  queued: { name: t('Queued'), color: 'gray' },
  skipped: { name: t('Skipped'), color: 'gray' },
};

const isStatus = (text: string): text is TriggerRun['status'] => Object.hasOwn(statuses, text);

export const RunStatus = ({ status }: { status: TriggerRun['status'] }) => (
  <Badge color={statuses[status].color}>{statuses[status].name}</Badge>
);

const columns: Column<TriggerRun>[] = [
  {
    title: t('Accepted'),
    cell: ({ id, createdAt }) => (
      <TextLink to="/triggers/runs/$runId" params={{ runId: id }} size="sm">
        <Time value={createdAt} />
      </TextLink>
    ),
  },
  { title: t('Status'), cell: (run) => <RunStatus status={run.status} /> },
  { title: t('Error'), cell: ({ error }) => error?.name },
  {
    title: t('Duration'),
    cell: ({ durationMs }) =>
      durationMs !== undefined && t('{durationMs} ms', { durationMs: durationMs.toLocaleString(locale) }),
  },
  {
    title: t('Record'),
    cell: ({ relayerRunId }) =>
      relayerRunId && (
        <TextLink to="/runs/$id" params={{ id: relayerRunId }} size="sm">
          {t('record')}
        </TextLink>
      ),
  },
  { title: t('Cost'), cell: ({ costMicros }) => costMicros !== undefined && formatMicros(costMicros) },
];

export function Runs({ client, triggerId }: { client: TriggersClient; triggerId: string }) {
  const [values, change] = useUrlValues(['status', 'error']);
  const status = isStatus(values.status) ? values.status : '';
  const error = values.error.slice(0, MAX_ERROR);
  const [errorText, setErrorText] = useTyped(error, (text) => change({ error: text }));
  const isFiltered = status !== '' || error !== '';
  const runs = useInfiniteQuery({
    queryKey: ['triggers', triggerId, 'runs', status, error],
    queryFn: ({ pageParam }) => client.searchTriggerRuns(pageParam),
    initialPageParam: {
      triggerId,
      ...(status && { status }),
      ...(error && { error }),
      pageSize: RUNS_AT_ONCE,
    } as SearchTriggerRunsParameters,
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchInterval: REFRESH_MS,
  });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title={t('Runs')}>
      <Group align="end">
        <NativeSelect
          label={t('Status')}
          {...text(status, (chosen) => change({ status: chosen }))}
          data={[
            { value: '', label: t('All') },
            ...Object.entries(statuses).map(([value, { name }]) => ({ value, label: name })),
          ]}
        />
        <TextInput label={t('Error contains')} {...text(errorText, setErrorText)} maxLength={MAX_ERROR} />
        <ReplayFailed client={client} triggerId={triggerId} />
      </Group>
      {runs.error && <ErrorMessage error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.data && items.length === 0 && (
        <Dimmed>{isFiltered ? t('No run matches.') : t('No runs yet. Test the trigger to see one.')}</Dimmed>
      )}
      {items.length > 0 && (
        <DataTable label={t('Runs')} items={items} rowKey={({ id }) => id} minWidth={560} columns={columns} />
      )}
      <LoadMore query={runs} />
    </Section>
  );
}

function ReplayFailed({ client, triggerId }: { client: TriggersClient; triggerId: string }) {
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () => client.replayTriggerRuns({ triggerId, status: 'failed' }),
    onSuccess: ({ replayed, remaining }) => {
      void queries.invalidateQueries({ queryKey: ['triggers', triggerId, 'runs'] });
      const message =
        replayed === 0
          ? t('All failed runs were already replayed.')
          : remaining === 0
            ? t('Replayed runs: {replayed}.', { replayed })
            : t(
                'Replayed runs: {replayed}. Runs left by the limits of the trigger: {remaining}. Replay again later.',
                { replayed, remaining },
              );
      notifications.show({ message, color: 'teal' });
    },
    onError: (error) => notifications.show({ message: error.message, color: 'red' }),
  });
  return (
    <Button variant="default" onClick={() => replay.mutate()} loading={replay.isPending}>
      {t('Replay the failed runs')}
    </Button>
  );
}
