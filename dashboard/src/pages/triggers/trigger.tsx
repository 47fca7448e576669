import type { Trigger, TriggersClient } from '@latchkey/sdk';
import { Alert, Button, Code, Group, SimpleGrid, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmButton, DialogButton } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { readObject } from '../../components/json-object.ts';
import { ActionName, KeyName } from '../../components/names.tsx';
import { Loaded, Missing, Page } from '../../components/page.tsx';
import { CodeBlock, Facts, Section } from '../../components/section.tsx';
import { Copy, Identifier } from '../../components/values.tsx';
import { useSendOnce } from '../../session/send-once.ts';
import { WithTriggers } from '../../session/triggers.tsx';
import { kinds, State } from '../triggers.tsx';
import { Slots } from './config-fields.tsx';
import { Runs } from './runs.tsx';
import { TriggerForm, useShowSaved } from './trigger-form.tsx';

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
    <Loaded
      query={trigger}
      height={480}
      missing={<Missing one="trigger" why="It may have been deleted." to="/triggers" />}
    >
      {(loaded) => <Details client={client} trigger={loaded} />}
    </Loaded>
  );
}

function Details({ client, trigger }: { client: TriggersClient; trigger: Trigger }) {
  return (
    <Page
      title={trigger.name}
      about={kinds[trigger.kind]}
      action={<Buttons client={client} trigger={trigger} />}
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
          <Json label="Whole configuration" value={trigger.config} />
        </Section>
        <Section title="Action">
          <ActionDetails trigger={trigger} />
        </Section>
      </SimpleGrid>
      <Runs client={client} triggerId={trigger.id} />
    </Page>
  );
}

function factoryFacts({ config, children }: Trigger) {
  const { factory } = config as { factory?: { address: string; event: string } };
  if (!factory || !children) return {};
  const { count, max } = children;
  return {
    Factory: (
      <>
        <Identifier value={factory.address} label="the address" /> <Code>{factory.event}</Code>
      </>
    ),
    'Its contracts': `${count}${count < max ? '' : ', the maximum: further ones are not followed'}`,
  };
}

type Limit = { above?: string; below?: string };

const limitOf = ({ above, below }: Limit) => (above === undefined ? `below ${below}` : `above ${above}`);

function blockFacts(config: Trigger['config']) {
  const {
    every,
    base_fee: fee,
    balance,
  } = config as {
    every?: number;
    base_fee?: Limit;
    balance?: Limit & { address: string; token?: string; every: number };
  };
  return {
    Blocks: every !== undefined && `every ${every}`,
    'Base fee': fee && `${limitOf(fee)} wei`,
    Account: balance && <Identifier value={balance.address} label="the address" />,
    Token: balance?.token && <Identifier value={balance.token} label="the address" />,
    Balance: balance && `${limitOf(balance)}, read every ${balance.every} blocks`,
  };
}

function EventDetails({ trigger }: { trigger: Trigger }) {
  const { kind, config, webhookUrl, nextRuns = [], enabled, filterError } = trigger;
  const {
    cron,
    timezone,
    chain,
    contract_address: contract,
    event_signature: event,
    if: filter,
  } = config as {
    [field: string]: string;
  };
  const { verification, contract_addresses: contracts = contract ? [contract] : [] } = config as {
    verification?: { scheme: string };
    contract_addresses?: string[];
  };
  return (
    <Facts
      label="Event"
      facts={{
        URL: webhookUrl && (
          <Group gap={4} wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{webhookUrl}</Code>
            <Copy value={webhookUrl} label="the URL" />
          </Group>
        ),
        'Signature of':
          kind === 'webhook' &&
          (verification?.scheme ?? 'no verification: anyone who knows the URL can start runs'),
        Cron: cron && (
          <>
            <Code>{cron}</Code> {timezone}
          </>
        ),
        'Next slots':
          kind === 'schedule' &&
          (enabled ? (
            <Slots slots={nextRuns} timeZone={timezone ?? 'UTC'} />
          ) : (
            'No runs while the trigger is paused.'
          )),
        Chain: chain !== undefined && (chain === 'service' ? 'the chain of this service' : chain),
        Contract:
          contracts.length > 0 &&
          contracts.map((address) => <Identifier key={address} value={address} label="the address" />),
        ...factoryFacts(trigger),
        ...blockFacts(config),
        Event: event && <Code>{event}</Code>,
        'Runs only if': filter && <Code>{filter}</Code>,
        'Last error of it': filterError && `${filterError.message}, ${filterError.at.toLocaleString('en')}`,
      }}
    />
  );
}

function ActionDetails({ trigger }: { trigger: Trigger }) {
  const { cid, code, defaultParams, maxRunsPerMinute, maxConcurrentRuns, pauseAfterFailures } = trigger;
  const pause = pauseAfterFailures ? `, paused after ${pauseAfterFailures} failed runs in a row` : '';
  return (
    <>
      <Facts
        label="Action"
        facts={{
          CID: cid && <ActionName cid={cid} />,
          'Usage key': trigger.usageKeyHash !== undefined && <KeyName hash={trigger.usageKeyHash} />,
          Limits: `${maxRunsPerMinute} runs per minute, ${maxConcurrentRuns} concurrently${pause}`,
        }}
      />
      {code !== undefined && <CodeBlock label="Code">{code}</CodeBlock>}
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
      <CodeBlock label={label}>{JSON.stringify(value, null, 2)}</CodeBlock>
    </details>
  );
}

function Buttons({ client, trigger }: { client: TriggersClient; trigger: Trigger }) {
  const { id, name } = trigger;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const showSaved = useShowSaved();
  const remove = async (): Promise<void> => {
    await client.deleteTrigger({ triggerId: id });
    await navigate({ to: '/triggers' });
    await queries.invalidateQueries({ queryKey: ['triggers'] });
  };
  return (
    <Group gap="xs">
      <DialogButton label="Test" title="Test the trigger">
        {() => <TestForm client={client} id={id} />}
      </DialogButton>
      <Toggle client={client} trigger={trigger} />
      <DialogButton label="Edit" title="Edit the trigger" modal={{ size: 'xl' }}>
        {(close) => (
          <TriggerForm
            client={client}
            trigger={trigger}
            onDone={(changed) => {
              close();
              showSaved('The trigger was changed.', changed);
            }}
          />
        )}
      </DialogButton>
      <ConfirmButton
        label="Delete"
        title="Delete the trigger"
        confirm="Delete the trigger"
        variant="outline"
        send={remove}
      >
        {name} stops immediately, and its runs with their logs are deleted. In-flight runs continue.
      </ConfirmButton>
    </Group>
  );
}

function Toggle({ client, trigger: { id, enabled } }: { client: TriggersClient; trigger: Trigger }) {
  const queries = useQueryClient();
  const toggle = useMutation({
    mutationFn: () => client.updateTrigger({ triggerId: id, enabled: !enabled }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['triggers'] });
      const message = enabled ? 'The trigger is paused.' : 'The trigger is active.';
      notifications.show({ message, color: 'teal' });
    },
    onError: ({ message }) => notifications.show({ message, color: 'red' }),
  });
  return (
    <Button variant="default" onClick={() => toggle.mutate()} loading={toggle.isPending}>
      {enabled ? 'Pause' : 'Resume'}
    </Button>
  );
}

function TestForm({ client, id }: { client: TriggersClient; id: string }) {
  const navigate = useNavigate();
  const [input, setInput] = useState('{}');
  const sendOnce = useSendOnce();
  const test = async () => {
    const request = { triggerId: id, input: readObject(input) };
    return sendOnce(request, (idempotencyKey) => client.testTrigger(request, { idempotencyKey }));
  };
  return (
    <Form
      label="Run it now"
      send={test}
      onDone={({ runId }) => void navigate({ to: `/triggers/runs/${runId}` })}
    >
      <JsonField
        label="Input"
        description="JSON that the action receives in addition to the parameters of every run."
        value={input}
        onChange={setInput}
        minRows={5}
        data-autofocus
      />
    </Form>
  );
}
