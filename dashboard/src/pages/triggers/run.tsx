import type { TriggerRunDetails, TriggersClient } from '@latchkey/sdk';
import { Alert, Button, Code, Group, Paper, ScrollArea, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { DataTable } from '../../components/lists.tsx';
import { Loaded, Page } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatMicros, Identifier, Time } from '../../components/values.tsx';
import { useSendOnce } from '../../session/send-once.ts';
import { WithTriggers } from '../../session/triggers.tsx';
import { RunStatus } from './trigger.tsx';

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
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : REFRESH_MS),
  });
  return (
    <Loaded query={run} height={480}>
      {(loaded) => <Details client={client} run={loaded} />}
    </Loaded>
  );
}

function Details({ client, run }: { client: TriggersClient; run: TriggerRunDetails }) {
  return (
    <Page
      title={`Run of ${run.triggerName}`}
      about={
        <>
          Accepted <Time value={run.createdAt} /> by the trigger{' '}
          <TextLink to="/triggers/$id" params={{ id: run.triggerId }} size="sm">
            {run.triggerName}
          </TextLink>
          {run.replayOf && (
            <>
              , a replay of{' '}
              <TextLink to="/triggers/runs/$runId" params={{ runId: run.replayOf }} size="sm">
                another run
              </TextLink>
            </>
          )}
        </>
      }
      action={<Buttons client={client} run={run} />}
    >
      <Group role="status">
        <RunStatus status={run.status} />
        {run.durationMs !== undefined && <Text size="sm">{run.durationMs.toLocaleString('en')} ms</Text>}
        {run.costMicros !== undefined && <Text size="sm">{formatMicros(run.costMicros)}</Text>}
        {run.cid && <Identifier value={run.cid} label="the CID" />}
      </Group>
      {run.error && (
        <Alert color="red" title={run.error.name}>
          {run.error.message}
          {run.error.stack && <Block label="Stack">{run.error.stack}</Block>}
        </Alert>
      )}
      <Section title="Logs">
        <Block label="Logs">
          {run.logs || (isOver(run) ? 'The action has logged nothing.' : 'Waits for the first line…')}
        </Block>
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Input">
          <Block label="Input">{JSON.stringify(run.input, null, 2)}</Block>
        </Section>
        <Section title="Response">
          <Block label="Response">{isOver(run) ? JSON.stringify(run.response, null, 2) : 'Not yet.'}</Block>
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
            columns={[
              { title: 'Number', cell: ({ number }) => number },
              { title: 'Began', cell: ({ startedAt }) => <Time value={startedAt} /> },
              {
                title: 'Reply',
                cell: ({ httpStatus, message }) =>
                  [httpStatus === 0 ? 'no reply' : httpStatus, message].filter(Boolean).join(': '),
              },
            ]}
          />
        </Section>
      )}
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" radius="md" miw={0}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  );
}

const Block = ({ label, children }: { label: string; children: string | undefined }) => (
  <ScrollArea.Autosize mah={360}>
    <Code block tabIndex={0} aria-label={label} role="region">
      {children ?? 'undefined'}
    </Code>
  </ScrollArea.Autosize>
);

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
