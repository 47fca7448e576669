import type { SearchTriggerRunsParameters, Trigger, TriggerRun, TriggersClient } from '@latchkey/sdk';
import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  List,
  Menu,
  Modal,
  NativeSelect,
  Paper,
  ScrollArea,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { readObject } from '../../components/json-object.ts';
import { DataTable } from '../../components/lists.tsx';
import { Loaded, Page } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Copy, formatMicros, Identifier, Time } from '../../components/values.tsx';
import { useSendOnce } from '../../session/send-once.ts';
import { WithTriggers } from '../../session/triggers.tsx';
import { kinds, State } from '../triggers.tsx';
import { TriggerForm } from './trigger-form.tsx';

const REFRESH_MS = 3_000;
const RUNS_AT_ONCE = 25;

export default function TriggerPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return <WithTriggers>{(client) => <WithTrigger client={client} id={id} />}</WithTriggers>;
}

function WithTrigger({ client, id }: { client: TriggersClient; id: string }) {
  const trigger = useQuery({
    queryKey: ['triggers', id],
    queryFn: () => client.getTrigger({ triggerId: id }),
  });
  return (
    <Loaded query={trigger} height={480}>
      {(loaded) => <Details client={client} trigger={loaded} />}
    </Loaded>
  );
}

function Details({ client, trigger }: { client: TriggersClient; trigger: Trigger }) {
  const [isEditing, editing] = useDisclosure(false);
  const queries = useQueryClient();
  const { name, kind } = trigger;
  return (
    <Page
      title={name}
      about={kinds[kind]}
      action={<Buttons client={client} trigger={trigger} onEdit={editing.open} />}
    >
      <State trigger={trigger} />
      {trigger.pausedReason && (
        <Alert color="orange" title="The service has paused this trigger">
          {trigger.pausedReason} Resume it when the cause is mended.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Event">
          <EventDetails trigger={trigger} />
        </Section>
        <Section title="Action">
          <ActionDetails trigger={trigger} />
        </Section>
      </SimpleGrid>
      <Runs client={client} trigger={trigger} />
      <Modal opened={isEditing} onClose={editing.close} title="Edit the trigger" size="xl">
        <TriggerForm
          client={client}
          trigger={trigger}
          onDone={({ warnings }) => {
            editing.close();
            void queries.invalidateQueries({ queryKey: ['triggers'] });
            notifications.show({ message: 'The trigger was changed.', color: 'teal' });
            for (const { message } of warnings)
              notifications.show({ message, color: 'orange', autoClose: 15_000 });
          }}
        />
      </Modal>
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" radius="md">
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      <Stack gap="xs">{children}</Stack>
    </Paper>
  );
}

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap="xs" align="start" wrap="nowrap">
      <Text size="sm" c="dimmed" miw={120}>
        {label}
      </Text>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  );
}

function EventDetails({
  trigger: { kind, config, webhookUrl, nextRuns = [], enabled },
}: {
  trigger: Trigger;
}) {
  const {
    cron,
    timezone,
    chain,
    contract_address: contract,
    event_signature: event,
  } = config as Record<string, string>;
  const { verification } = config as { verification?: { scheme: string } };
  return (
    <>
      {webhookUrl && (
        <Field label="URL">
          <Group gap={4} wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{webhookUrl}</Code>
            <Copy value={webhookUrl} label="the URL" />
          </Group>
        </Field>
      )}
      {kind === 'webhook' && (
        <Field label="Signature of">{verification?.scheme ?? 'none: anyone who knows the URL'}</Field>
      )}
      {cron && (
        <Field label="Cron">
          <Code>{cron}</Code> {timezone}
        </Field>
      )}
      {kind === 'schedule' && (
        <Field label="Next slots">
          {enabled ? (
            <List size="sm" listStyleType="none">
              {nextRuns.map((slot) => (
                <List.Item key={slot.toISOString()}>
                  {slot.toLocaleString('en', {
                    dateStyle: 'medium',
                    timeStyle: 'short',
                    timeZone: timezone ?? 'UTC',
                  })}
                </List.Item>
              ))}
            </List>
          ) : (
            'None while it is paused.'
          )}
        </Field>
      )}
      {kind === 'chain_event' && (
        <>
          <Field label="Chain">{chain === 'service' ? 'the chain of this service' : chain}</Field>
          <Field label="Contract">{contract && <Identifier value={contract} label="the address" />}</Field>
          <Field label="Event">
            <Code>{event}</Code>
          </Field>
        </>
      )}
      <Json label="Whole configuration" value={config} />
    </>
  );
}

function ActionDetails({ trigger }: { trigger: Trigger }) {
  const { cid, code, defaultParams, maxRunsPerMinute, maxConcurrentRuns, pauseAfterFailures } = trigger;
  return (
    <>
      {cid && (
        <Field label="CID">
          <Identifier value={cid} label="the CID" />
        </Field>
      )}
      {code !== undefined && (
        <ScrollArea.Autosize mah={240}>
          <Code block tabIndex={0} aria-label="Code">
            {code}
          </Code>
        </ScrollArea.Autosize>
      )}
      <Field label="Limits">
        {maxRunsPerMinute} runs per minute, {maxConcurrentRuns} at once
        {pauseAfterFailures && `, paused after ${pauseAfterFailures} failed runs in a row`}
      </Field>
      {Object.keys(defaultParams).length > 0 && (
        <Json label="Parameters of every run" value={defaultParams} />
      )}
    </>
  );
}

function Json({ label, value }: { label: string; value: unknown }) {
  return (
    <details>
      <summary>
        <Text span size="sm">
          {label}
        </Text>
      </summary>
      <ScrollArea.Autosize mah={240} mt={4}>
        <Code block tabIndex={0} aria-label={label}>
          {JSON.stringify(value, null, 2)}
        </Code>
      </ScrollArea.Autosize>
    </details>
  );
}

function Buttons({
  client,
  trigger,
  onEdit,
}: {
  client: TriggersClient;
  trigger: Trigger;
  onEdit: () => void;
}) {
  const { id, enabled, name } = trigger;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isTesting, testing] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  const refresh = () => queries.invalidateQueries({ queryKey: ['triggers'] });
  const fail = (error: unknown) =>
    notifications.show({ message: String((error as Error).message), color: 'red' });
  const toggle = useMutation({
    mutationFn: () => client.updateTrigger({ triggerId: id, enabled: !enabled }),
    onSuccess: async () => {
      await refresh();
      notifications.show({
        message: enabled ? 'The trigger is paused.' : 'The trigger is active.',
        color: 'teal',
      });
    },
    onError: fail,
  });
  const remove = useMutation({
    mutationFn: () => client.deleteTrigger({ triggerId: id }),
    onSuccess: async () => {
      await navigate({ to: '/triggers' });
      await refresh();
    },
  });
  return (
    <Group gap="xs">
      <Button variant="default" onClick={testing.open}>
        Test
      </Button>
      <Button variant="default" onClick={() => toggle.mutate()} loading={toggle.isPending}>
        {enabled ? 'Pause' : 'Resume'}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onEdit}>Edit</Menu.Item>
          <Menu.Item color="red" onClick={deleting.open}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isTesting} onClose={testing.close} title="Test the trigger">
        <TestForm client={client} id={id} onDone={testing.close} />
      </Modal>
      <Modal opened={isDeleting} onClose={deleting.close} title="Delete the trigger">
        <Stack>
          <Text size="sm">
            {name} stops at once, and its runs with their logs are deleted. A run that is being executed goes
            on.
          </Text>
          {remove.error && <ErrorMessage error={remove.error} />}
          <Group justify="end">
            <Button variant="default" onClick={deleting.close}>
              Cancel
            </Button>
            <Button color="red" onClick={() => remove.mutate()} loading={remove.isPending}>
              Delete the trigger
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  );
}

function TestForm({ client, id, onDone }: { client: TriggersClient; id: string; onDone: () => void }) {
  const navigate = useNavigate();
  const [input, setInput] = useState('{}');
  const sendOnce = useSendOnce();
  const test = useMutation({
    mutationFn: async () => {
      const request = { triggerId: id, input: readObject(input) };
      return sendOnce(request, (idempotencyKey) => client.testTrigger(request, { idempotencyKey }));
    },
    onSuccess: ({ runId }) => {
      onDone();
      void navigate({ to: `/triggers/runs/${runId}` });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    test.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <JsonField
          label="Input"
          description="What the action receives, beside the parameters of every run."
          value={input}
          onChange={setInput}
          minRows={5}
          data-autofocus
        />
        {test.error && <ErrorMessage error={test.error} />}
        <Button type="submit" loading={test.isPending}>
          Run it now
        </Button>
      </Stack>
    </form>
  );
}

const statusColors: Record<string, string> = {
  success: 'teal',
  failed: 'red',
  running: 'blue',
  queued: 'gray',
};

export const RunStatus = ({ status }: { status: TriggerRun['status'] }) => (
  <Badge variant="light" color={statusColors[status] ?? 'gray'}>
    {status}
  </Badge>
);

function Runs({ client, trigger: { id } }: { client: TriggersClient; trigger: Trigger }) {
  const [status, setStatus] = useState<string>('');
  const [text, setText] = useState('');
  const [error] = useDebouncedValue(text, 300);
  const filters = {
    triggerId: id,
    ...(status !== '' && { status: status as TriggerRun['status'] }),
    ...(error !== '' && { error }),
  };
  const runs = useInfiniteQuery({
    queryKey: ['triggers', id, 'runs', status, error],
    queryFn: ({ pageParam }) => client.searchTriggerRuns(pageParam),
    initialPageParam: { ...filters, pageSize: RUNS_AT_ONCE } as SearchTriggerRunsParameters,
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchInterval: REFRESH_MS,
  });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title="Runs">
      <Group align="end">
        <NativeSelect
          label="Status"
          value={status}
          onChange={({ currentTarget }) => setStatus(currentTarget.value)}
          data={[
            { value: '', label: 'All' },
            ...['queued', 'running', 'success', 'failed', 'skipped'].map((value) => ({
              value,
              label: value,
            })),
          ]}
        />
        <TextInput
          label="Error contains"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          maxLength={200}
        />
        <ReplayFailed client={client} id={id} />
      </Group>
      {runs.error && <ErrorMessage error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.data && items.length === 0 && (
        <Text size="sm" c="dimmed">
          {status === '' && error === '' ? 'No runs yet. Test the trigger to see one.' : 'No run matches.'}
        </Text>
      )}
      {items.length > 0 && (
        <DataTable
          label="Runs"
          items={items}
          rowKey={({ id }) => id}
          minWidth={560}
          columns={[
            {
              title: 'Accepted',
              cell: ({ id, createdAt }) => (
                <TextLink to="/triggers/runs/$runId" params={{ runId: id }} size="sm">
                  <Time value={createdAt} />
                </TextLink>
              ),
            },
            { title: 'Status', cell: (run) => <RunStatus status={run.status} /> },
            { title: 'Error', cell: ({ error }) => error?.name },
            {
              title: 'Duration',
              cell: ({ durationMs }) => durationMs !== undefined && `${durationMs.toLocaleString('en')} ms`,
            },
            {
              title: 'Cost',
              cell: ({ costMicros }) => costMicros !== undefined && formatMicros(costMicros),
            },
          ]}
        />
      )}
      {runs.hasNextPage && (
        <Button variant="default" onClick={() => void runs.fetchNextPage()} loading={runs.isFetchingNextPage}>
          Load more
        </Button>
      )}
    </Section>
  );
}

function ReplayFailed({ client, id }: { client: TriggersClient; id: string }) {
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () => client.replayTriggerRuns({ triggerId: id, status: 'failed' }),
    onSuccess: ({ replayed, remaining }) => {
      void queries.invalidateQueries({ queryKey: ['triggers', id, 'runs'] });
      const rest =
        remaining > 0 ? ` ${remaining} more wait for the limits of the trigger: replay again later.` : '';
      const message =
        replayed === 0
          ? 'There is no failed run that was not replayed.'
          : `${replayed} runs were replayed.${rest}`;
      notifications.show({ message, color: 'teal' });
    },
    onError: (error) => notifications.show({ message: error.message, color: 'red' }),
  });
  return (
    <Button variant="default" onClick={() => replay.mutate()} loading={replay.isPending}>
      Replay the failed runs
    </Button>
  );
}
