import type { Trigger, TriggersClient } from '@latchkey/sdk';
import { Badge, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ZapIcon } from 'lucide-react';
import { visible } from '../components/api-words.ts';
import { DataTable, nameCell } from '../components/lists.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { Dimmed } from '../components/section.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Time } from '../components/values.tsx';
import { readAll } from '../queries.ts';
import { WithTriggers } from '../session/triggers.tsx';

const create = (
  <Button component={Link} to="/triggers/new">
    New trigger
  </Button>
);

export default function Triggers() {
  return (
    <Page
      title="Triggers"
      about="A trigger runs an action when a webhook arrives, at the slots of a schedule, or when a contract emits an event."
      action={create}
    >
      <WithTriggers>{(client) => <List client={client} />}</WithTriggers>
    </Page>
  );
}

export const kinds = {
  webhook: 'Webhook',
  schedule: 'Schedule',
  chain_event: 'Chain event',
  chain_block: 'Chain block',
} as const;

function List({ client }: { client: TriggersClient }) {
  const triggers = useQuery({
    queryKey: ['triggers'],
    queryFn: () => readAll((page) => client.listTriggers(page)),
  });
  return (
    <Loaded query={triggers}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState icon={ZapIcon} title="No triggers yet" action={create}>
            Give a trigger an action and a usage key that may run it. From then on the service runs it at
            every event, retries what could not be run, and keeps the logs.
          </EmptyState>
        ) : (
          <TriggerTable triggers={items} />
        )
      }
    </Loaded>
  );
}

export function TriggerTable({ triggers }: { triggers: readonly Trigger[] }) {
  return (
    <DataTable
      label="Triggers"
      items={triggers}
      of="triggers"
      rowKey={({ id }) => id}
      minWidth={560}
      columns={[
        {
          title: 'Name',
          props: nameCell,
          cell: ({ id, name }) => (
            <TextLink to="/triggers/$id" params={{ id }} size="sm">
              {visible(name)}
            </TextLink>
          ),
        },
        { title: 'Fires by', cell: ({ kind }) => kinds[kind] },
        { title: 'State', cell: (trigger) => <State trigger={trigger} /> },
        { title: 'Next run', cell: (trigger) => <NextRun trigger={trigger} /> },
      ]}
    />
  );
}

/** Shows whether the trigger is active, and why it does not fire or run. */
export function State({ trigger: { enabled, held, consecutiveFailures } }: { trigger: Trigger }) {
  return (
    <Group gap={6}>
      <Badge color={enabled ? 'teal' : 'gray'}>{enabled ? 'Active' : 'Paused'}</Badge>
      {held && (
        <Badge color="orange">
          {held === 'payment_required' ? 'Waits for credit' : 'Waits for the service'}
        </Badge>
      )}
      {consecutiveFailures > 0 && (
        <Badge color="red">
          {consecutiveFailures === 1 ? 'Last run failed' : `Last ${consecutiveFailures} runs failed`}
        </Badge>
      )}
    </Group>
  );
}

function NextRun({ trigger: { kind, enabled, nextRuns = [] } }: { trigger: Trigger }) {
  const [next] = nextRuns;
  if (next) return <Time value={next} />;
  return (
    <Dimmed>
      {!enabled ? 'When it is resumed' : kind === 'webhook' ? 'At the next delivery' : 'At the next event'}
    </Dimmed>
  );
}
