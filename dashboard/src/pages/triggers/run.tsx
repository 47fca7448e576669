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
      missing={<Missing one="run of a trigger" why="Its trigger may have been deleted." to="/triggers" />}
    >
      {(loaded) => <Details client={client} run={loaded} />}
    </Loaded>
  );
}

function Details({ client, run }: { client: TriggersClient; run: TriggerRunDetails }) {
  return (
    <Page
      title={`Run of ${run.triggerName}`}
      about={<Origin run={run} />}
      action={<Buttons client={client} run={run} />}
    >
      <Group role="status">
        <RunStatus status={run.status} />
        {run.durationMs !== undefined && <Text size="sm">{run.durationMs.toLocaleString('en')} ms</Text>}
        {run.costMicros !== undefined && <Text size="sm">{formatMicros(run.costMicros)}</Text>}
        {run.cid && <ActionName cid={run.cid} />}
        {run.relayerRunId && (
          <TextLink to="/runs/$id" params={{ id: run.relayerRunId }} size="sm">
            Its record
          </TextLink>
        )}
        {run.approvalId && (
          <TextLink to="/approvals/$id" params={{ id: run.approvalId }} size="sm">
            {isOver(run) ? 'Its approval' : 'Waits for approval'}
          </TextLink>
        )}
      </Group>
      {run.error && (
        <Alert color="red" title={run.error.name}>
          {run.error.message}
          {run.error.stack && <CodeBlock label="Stack">{run.error.stack}</CodeBlock>}
        </Alert>
      )}
      <Section title="Logs">
        <CodeBlock label="Logs">
          {run.logs || (isOver(run) ? 'The action has logged nothing.' : 'Waits for the first line…')}
        </CodeBlock>
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Input">
          <CodeBlock label="Input">{toText(run.input)}</CodeBlock>
        </Section>
        <Section title="Response">
          <CodeBlock label="Response">{isOver(run) ? toText(run.response) : 'Not yet.'}</CodeBlock>
        </Section>
      </SimpleGrid>
      {run.attempts.length > 0 && (
        <Section title="Attempts">
          <DataTable
            label="Attempts"
            items={run.attempts}
            of="attempts"
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
  return (
    <>
      Accepted <Time value={createdAt} /> by the trigger{' '}
      <TextLink to="/triggers/$id" params={{ id: triggerId }} size="sm">
        {triggerName}
      </TextLink>
      {replayOf && (
        <>
          , a replay of{' '}
          <TextLink to="/triggers/runs/$runId" params={{ runId: replayOf }} size="sm">
            another run
          </TextLink>
        </>
      )}
    </>
  );
}

const attemptColumns: Column<TriggerRunDetails['attempts'][number]>[] = [
  { title: 'Number', cell: ({ number }) => number },
  { title: 'Began', cell: ({ startedAt }) => <Time value={startedAt} /> },
  {
    title: 'Reply',
    cell: ({ httpStatus, message }) =>
      [httpStatus === 0 ? 'no reply' : httpStatus, message].filter(Boolean).join(': '),
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
          Replay
        </Button>
      ) : (
        <Button color="red" variant="light" onClick={() => stop.mutate()} loading={stop.isPending}>
          Stop
        </Button>
      )}
      {error && <ErrorMessage error={error} />}
    </Stack>
  );
}
