import type { Trigger, TriggersClient } from '@latchkey/sdk';
import { Badge, Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ZapIcon } from 'lucide-react';
import { visible } from '../components/api-words.ts';
import { List } from '../components/list.tsx';
import { type Column, DataTable, nameCell } from '../components/lists.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { Dimmed } from '../components/section.tsx';
import type { Filter } from '../components/select-items.ts';
import { TextLink } from '../components/text-link.tsx';
import { Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { useTriggers } from '../queries.ts';
import { WithTriggers } from '../session/triggers.tsx';

const create = (
  <Button component={Link} to="/triggers/new">
    {t('New trigger')}
  </Button>
);

export default function Triggers() {
  return (
    <Page
      title={t('Triggers')}
      about={t(
        'A trigger runs an action when a webhook arrives, at the slots of a schedule, or when a contract emits an event.',
      )}
      action={
        <Group>
          <Button component={Link} to="/triggers/alerts" variant="default">
            {t('Alerts')}
          </Button>
          {create}
        </Group>
      }
    >
      <WithTriggers>{(client) => <TriggerList client={client} />}</WithTriggers>
    </Page>
  );
}

export const kinds = {
  webhook: t('Webhook'),
  schedule: t('Schedule'),
  chain_event: t('Chain event'),
  chain_block: t('Chain block'),
} as const;

function TriggerList({ client }: { client: TriggersClient }) {
  const triggers = useTriggers(client);
  return (
    <Loaded query={triggers}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState icon={ZapIcon} title={t('No triggers yet')} action={create}>
            {t(
              'Give a trigger an action and a usage key that may run it. From then on the service runs it at every event, retries what could not be run, and keeps the logs.',
            )}
          </EmptyState>
        ) : (
          <List {...table} items={items} texts={textsOf} filters={filters} />
        )
      }
    </Loaded>
  );
}

const columns: Column<Trigger>[] = [
  {
    title: t('Name'),
    props: nameCell,
    sort: ['name', ({ name }) => visible(name)],
    cell: ({ id, name }) => (
      <TextLink to="/triggers/$id" params={{ id }} size="sm" display="block" truncate>
        {visible(name)}
      </TextLink>
    ),
  },
  { title: t('Fires by'), sort: ['kind', ({ kind }) => kinds[kind]], cell: ({ kind }) => kinds[kind] },
  { title: t('State'), cell: (trigger) => <State trigger={trigger} /> },
  { title: t('Next run'), cell: (trigger) => <NextRun trigger={trigger} /> },
];

const table = {
  label: t('Triggers'),
  isPaged: true,
  rowKey: ({ id }: Trigger) => id,
  minWidth: 560,
  columns,
};

const textsOf = ({ id, name, cid, webhookUrl }: Trigger) => [visible(name), id, cid, webhookUrl];

const filters: Filter<Trigger>[] = [
  {
    name: 'kind',
    label: t('Fires by'),
    options: Object.entries(kinds).map(([value, label]) => ({ value, label })),
    matches: ({ kind }, value) => kind === value,
  },
  {
    name: 'state',
    label: t('State'),
    options: [
      { value: 'active', label: t('Active') },
      { value: 'paused', label: t('Paused') },
      { value: 'failing', label: t('Last run failed') },
      { value: 'held', label: t('Waits') },
    ],
    matches: ({ enabled, held, consecutiveFailures }, state) =>
      ({ active: enabled, paused: !enabled, failing: consecutiveFailures > 0, held: held !== undefined })[
        state
      ] ?? false,
  },
];

/** Triggers in a page of another item. */
export function TriggerTable({ triggers }: { triggers: readonly Trigger[] }) {
  return <DataTable {...table} items={triggers} />;
}

/** Shows whether the trigger is active, and why it does not fire or run. */
export function State({ trigger: { enabled, held, consecutiveFailures } }: { trigger: Trigger }) {
  return (
    <Group gap={6}>
      <Badge color={enabled ? 'teal' : 'gray'}>{enabled ? t('Active') : t('Paused')}</Badge>
      {held && (
        <Badge color="orange">
          {held === 'payment_required' ? t('Waits for credit') : t('Waits for the service')}
        </Badge>
      )}
      {consecutiveFailures > 0 && (
        <Badge color="red">
          {consecutiveFailures === 1
            ? t('Last run failed')
            : t('Last {consecutiveFailures} runs failed', { consecutiveFailures })}
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
      {!enabled
        ? t('When it is resumed')
        : kind === 'webhook'
          ? t('At the next delivery')
          : t('At the next event')}
    </Dimmed>
  );
}
