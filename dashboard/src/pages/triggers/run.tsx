import type { TriggerRunDetails, TriggersClient } from '@latchkey/sdk';
import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ErrorMessage } from '../../components/error-message.tsx';
import { type Column, DataTable } from '../../components/lists.tsx';
import { ActionName } from '../../components/names.tsx';
import { isMissing, Loaded, Missing, Page } from '../../components/page.tsx';
import { CodeBlock, Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatMicros, Time } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import { useSendOnce } from '../../session/send-once.ts';
import { WithTriggers } from '../../session/triggers.tsx';
import { RunStatus } from './runs.tsx';

const REFRESH_MS = 1_000;
const isOver = ({ status }: Pick<TriggerRunDetails, 'status'>): boolean =>
  status !== 'queued' && status !== 'running';

export default function TriggerRunPage() {
  const { runId } = useParams({ strict: false }) as { runId: string };
  return <WithTriggers>{(client) => <WithRun client={client} runId={runId} />}</WithTriggers>;
}

function WithRun({ client, runId }: { client: TriggersClient; runId: string }) {
  const run = useQuery({
    queryKey: ['triggers', 'run', runId],
    queryFn: () => client.getTriggerRun({ runId }),
    refetchInterval: ({ state: { data, error } }) =>
      (data && isOver(data)) || isMissing(error) ? false : REFRESH_MS,
  });
  return (
    <Loaded
      query={run}
      height={480}
      missing={
        <Missing
          title={t('There is no such run of a trigger')}
          why={t('Its trigger may have been deleted.')}
          to="/triggers"
        />
      }
    >
      {(loaded) => <Details client={client} run={loaded} />}
    </Loaded>
  );
}

function Details({ client, run }: { client: TriggersClient; run: TriggerRunDetails }) {
  return (
    <Page
      title={t('Run of {triggerName}', { triggerName: run.triggerName })}
      about={<Origin run={run} />}
      action={<Buttons client={client} run={run} />}
    >
      <Group role="status">
        <RunStatus status={run.status} />
        {run.durationMs !== undefined && (
          <Text size="sm">{t('{durationMs} ms', { durationMs: run.durationMs.toLocaleString(locale) })}</Text>
        )}
        {run.costMicros !== undefined && <Text size="sm">{formatMicros(run.costMicros)}</Text>}
        {run.cid && <ActionName cid={run.cid} />}
        {run.relayerRunId && (
          <TextLink to="/runs/$id" params={{ id: run.relayerRunId }} size="sm">
            {t('Its record')}
          </TextLink>
        )}
        {run.approvalId && (
          <TextLink to="/approvals/$id" params={{ id: run.approvalId }} size="sm">
            {isOver(run) ? t('Its approval') : t('Waits for approval')}
          </TextLink>
        )}
      </Group>
      {run.error && (
        <Alert color="red" title={run.error.name}>
          {run.error.message}
          {run.error.stack && <CodeBlock label={t('Stack')}>{run.error.stack}</CodeBlock>}
        </Alert>
      )}
      <Section title={t('Logs')}>
        <CodeBlock label={t('Logs')}>
          {run.logs || (isOver(run) ? t('The action has logged nothing.') : t('Waits for the first line…'))}
        </CodeBlock>
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={t('Input')}>
          <CodeBlock label={t('Input')}>{toText(run.input)}</CodeBlock>
        </Section>
        <Section title={t('Response')}>
          <CodeBlock label={t('Response')}>{isOver(run) ? toText(run.response) : t('Not yet.')}</CodeBlock>
        </Section>
      </SimpleGrid>
      {run.attempts.length > 0 && (
        <Section title={t('Attempts')}>
          <DataTable
            label={t('Attempts')}
            items={run.attempts}
            isPaged
            rowKey={({ number }) => number}
            minWidth={420}
            columns={attemptColumns}
          />
        </Section>
      )}
    </Page>
  );
}

const toText = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'undefined';

function Origin({ run: { createdAt, triggerId, triggerName, replayOf } }: { run: TriggerRunDetails }) {
  return t(
    'Accepted {time} by the trigger {trigger}{isReplay, select, true {, a replay of <link>another run</link>} other {}}',
    {
      time: <Time value={createdAt} />,
      trigger: (
        <TextLink to="/triggers/$id" params={{ id: triggerId }} size="sm">
          {triggerName}
        </TextLink>
      ),
      isReplay: Boolean(replayOf),
      link: (inner) => (
        <TextLink to="/triggers/runs/$runId" params={{ runId: String(replayOf) }} size="sm">
          {inner}
        </TextLink>
      ),
    },
  );
}

const attemptColumns: Column<TriggerRunDetails['attempts'][number]>[] = [
  { title: t('Number'), cell: ({ number }) => number },
  { title: t('Began'), cell: ({ startedAt }) => <Time value={startedAt} /> },
  {
    title: t('Reply'),
    cell: ({ httpStatus, message }) =>
      [httpStatus === 0 ? t('no reply') : httpStatus, message].filter(Boolean).join(': '),
  },
];

function Buttons({ client, run }: { client: TriggersClient; run: TriggerRunDetails }) {
  const { id: runId } = run;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const stop = useMutation({
    mutationFn: () => client.stopTriggerRun({ runId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['triggers', 'run', runId] }),
  });
  const sendOnce = useSendOnce();
  const replay = useMutation({
    mutationFn: () =>
      sendOnce({ runId }, (idempotencyKey) => client.replayTriggerRun({ runId }, { idempotencyKey })),
    onSuccess: ({ runId: id }) => navigate({ to: `/triggers/runs/${id}` }),
  });
  const error = stop.error ?? replay.error;
  return (
    <Stack align="end" gap="xs">
      {isOver(run) ? (
        <Button variant="default" onClick={() => replay.mutate()} loading={replay.isPending}>
          {t('Replay')}
        </Button>
      ) : (
        <Button color="red" variant="light" onClick={() => stop.mutate()} loading={stop.isPending}>
          {t('Stop')}
        </Button>
      )}
      {error && <ErrorMessage error={error} />}
    </Stack>
  );
}
