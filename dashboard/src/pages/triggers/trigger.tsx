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
import { locale, t } from '../../i18n.ts';
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
      missing={
        <Missing title={t('There is no such trigger')} why={t('It may have been deleted.')} to="/triggers" />
      }
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
        <Alert color="orange" title={t('The service has paused this trigger')}>
          {t('{pausedReason} Resume it when the cause is mended.', { pausedReason: trigger.pausedReason })}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={t('Event')}>
          <EventDetails trigger={trigger} />
          <Json label={t('Whole configuration')} value={trigger.config} />
        </Section>
        <Section title={t('Action')}>
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
    [t('Factory')]: (
      <>
        <Identifier value={factory.address} label={t('Copy the address')} /> <Code>{factory.event}</Code>
      </>
    ),
    [t('Its contracts')]:
      count < max ? count : t('{count}, the maximum: further ones are not followed', { count }),
  };
}

type Limit = { above?: string; below?: string };

const limitOf = ({ above, below }: Limit) =>
  above === undefined ? { side: 'below', amount: below } : { side: 'above', amount: above };

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
    [t('Blocks')]: every !== undefined && t('every {every}', { every }),
    [t('Base fee')]: fee && t('{side, select, below {below} other {above}} {amount} wei', limitOf(fee)),
    [t('Account')]: balance && <Identifier value={balance.address} label={t('Copy the address')} />,
    [t('Token')]: balance?.token && <Identifier value={balance.token} label={t('Copy the address')} />,
    [t('Balance')]:
      balance &&
      t('{side, select, below {below} other {above}} {amount}, read every {every} blocks', {
        ...limitOf(balance),
        every: balance.every,
      }),
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
      label={t('Event')}
      facts={{
        [t('URL')]: webhookUrl && (
          <Group gap={4} wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{webhookUrl}</Code>
            <Copy value={webhookUrl} label={t('Copy the URL')} />
          </Group>
        ),
        [t('Signature of')]:
          kind === 'webhook' &&
          (verification?.scheme ?? t('No verification: anyone who knows the URL can start runs')),
        [t('Cron')]: cron && (
          <>
            <Code>{cron}</Code> {timezone}
          </>
        ),
        [t('Next slots')]:
          kind === 'schedule' &&
          (enabled ? (
            <Slots slots={nextRuns} timeZone={timezone ?? 'UTC'} />
          ) : (
            t('No runs while the trigger is paused.')
          )),
        [t('Chain')]: chain !== undefined && (chain === 'service' ? t('The chain of this service') : chain),
        [t('Contract')]:
          contracts.length > 0 &&
          contracts.map((address) => (
            <Identifier key={address} value={address} label={t('Copy the address')} />
          )),
        ...factoryFacts(trigger),
        ...blockFacts(config),
        [t('Event')]: event && <Code>{event}</Code>,
        [t('Runs only if')]: filter && <Code>{filter}</Code>,
        [t('Last error of it')]:
          filterError && `${filterError.message}, ${filterError.at.toLocaleString(locale)}`,
      }}
    />
  );
}

function ActionDetails({ trigger }: { trigger: Trigger }) {
  const { cid, code, defaultParams, maxRunsPerMinute, maxConcurrentRuns, pauseAfterFailures } = trigger;
  return (
    <>
      <Facts
        label={t('Action')}
        facts={{
          [t('CID')]: cid && <ActionName cid={cid} />,
          [t('Usage key')]: trigger.usageKeyHash !== undefined && <KeyName hash={trigger.usageKeyHash} />,
          [t('Limits')]: t(
            '{perMinute, plural, one {# run} other {# runs}} per minute, {maxConcurrentRuns} concurrently{failures, plural, =0 {} one {, paused after # failed run} other {, paused after # failed runs in a row}}',
            { perMinute: maxRunsPerMinute, maxConcurrentRuns, failures: pauseAfterFailures ?? 0 },
          ),
        }}
      />
      {code !== undefined && <CodeBlock label={t('Code')}>{code}</CodeBlock>}
      {Object.keys(defaultParams).length > 0 && (
        <Json label={t('Parameters of every run')} value={defaultParams} />
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
      <DialogButton label={t('Test')} title={t('Test the trigger')}>
        {() => <TestForm client={client} id={id} />}
      </DialogButton>
      <Toggle client={client} trigger={trigger} />
      <DialogButton label={t('Edit')} title={t('Edit the trigger')} modal={{ size: 'xl' }}>
        {(close) => (
          <TriggerForm
            client={client}
            trigger={trigger}
            onDone={(changed) => {
              close();
              showSaved(t('The trigger was changed.'), changed);
            }}
          />
        )}
      </DialogButton>
      <ConfirmButton
        label={t('Delete')}
        title={t('Delete the trigger')}
        confirm={t('Delete the trigger')}
        variant="outline"
        send={remove}
      >
        {t('{name} stops immediately, and its runs with their logs are deleted. In-flight runs continue.', {
          name,
        })}
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
      const message = enabled ? t('The trigger is paused.') : t('The trigger is active.');
      notifications.show({ message, color: 'teal' });
    },
    onError: ({ message }) => notifications.show({ message, color: 'red' }),
  });
  return (
    <Button variant="default" onClick={() => toggle.mutate()} loading={toggle.isPending}>
      {enabled ? t('Pause') : t('Resume')}
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
      label={t('Run it now')}
      send={test}
      onDone={({ runId }) => void navigate({ to: `/triggers/runs/${runId}` })}
    >
      <JsonField
        label={t('Input')}
        description={t('JSON that the action receives in addition to the parameters of every run.')}
        value={input}
        onChange={setInput}
        minRows={5}
        data-autofocus
      />
    </Form>
  );
}
