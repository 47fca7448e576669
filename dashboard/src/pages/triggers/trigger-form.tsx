import type {
  ActionSource,
  ChainBlockConfig,
  ChainEventConfig,
  ChangedTrigger,
  ScheduleConfig,
  Trigger,
  TriggerEvent,
  TriggerKind,
  TriggersClient,
  WebhookConfig,
} from '@latchkey/sdk';
import {
  Accordion,
  Fieldset,
  Group,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { check, Form, text } from '../../components/form.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { readObject } from '../../components/json-object.ts';
import { t } from '../../i18n.ts';
import { useSendOnce } from '../../session/send-once.ts';
import { ConfigFields, emptyConfigs } from './config-fields.tsx';
import type { WireConfig } from './fields-props.ts';

const EXAMPLE = `async function main({ source, event }) {
  console.log('fired by', source);
  return event ?? null;
}`;

type Fields = {
  name: string;
  kind: TriggerKind;
  config: WireConfig;
  source: 'code' | 'cid';
  code: string;
  cid: string;
  usageKey: string;
  params: string;
  maxRunsPerMinute: number | '';
  maxConcurrentRuns: number | '';
  pauseAfterFailures: number | '';
  holdWhenPaused: boolean;
};

const fieldsOf = (trigger: Trigger | undefined): Fields => ({
  name: trigger?.name ?? '',
  kind: trigger?.kind ?? 'webhook',
  config: trigger?.config ?? emptyConfigs.webhook,
  source: trigger?.cid === undefined ? 'code' : 'cid',
  code: trigger?.code ?? (trigger ? '' : EXAMPLE),
  cid: trigger?.cid ?? '',
  usageKey: '',
  params: JSON.stringify(trigger?.defaultParams ?? {}, null, 2),
  maxRunsPerMinute: trigger?.maxRunsPerMinute ?? '',
  maxConcurrentRuns: trigger?.maxConcurrentRuns ?? '',
  pauseAfterFailures: trigger?.pauseAfterFailures ?? '',
  holdWhenPaused: trigger?.holdWhenPaused ?? false,
});

const eventOf = ({ kind, config }: Fields): TriggerEvent => {
  if (kind === 'webhook') return { kind, config: config as WebhookConfig };
  if (kind === 'schedule') return { kind, config: config as unknown as ScheduleConfig };
  if (kind === 'chain_block') return { kind, config: config as unknown as ChainBlockConfig };
  return { kind, config: config as unknown as ChainEventConfig };
};

const actionOf = ({ source, code, cid }: Fields): ActionSource =>
  source === 'code' ? { code } : { cid: cid.trim() };

function settingsOf(fields: Fields) {
  const { params, maxRunsPerMinute, maxConcurrentRuns, pauseAfterFailures, holdWhenPaused } = fields;
  return {
    defaultParams: readObject(params),
    ...(maxRunsPerMinute !== '' && { maxRunsPerMinute }),
    ...(maxConcurrentRuns !== '' && { maxConcurrentRuns }),
    pauseAfterFailures: pauseAfterFailures === '' ? null : pauseAfterFailures,
    holdWhenPaused,
  };
}

/** Replies have no secrets: a configuration that did not change is not sent back. */
const isChanged = (fields: Fields, trigger: Trigger): boolean =>
  JSON.stringify(fields.config) !== JSON.stringify(trigger.config);

/** Returns the function that says that a trigger was saved, with the warnings of the service. */
export function useShowSaved() {
  const queries = useQueryClient();
  return (message: string, { warnings, ...trigger }: ChangedTrigger): void => {
    // A form that is opened again before the trigger is read shows it as it is now.
    queries.setQueryData(['triggers', trigger.id], trigger);
    void queries.invalidateQueries({ queryKey: ['triggers'] });
    notifications.show({ message, color: 'teal' });
    for (const warning of warnings)
      notifications.show({ message: warning.message, color: 'orange', autoClose: 15_000 });
  };
}

type FieldsProps = {
  fields: Fields;
  set: (changed: Partial<Fields>) => void;
  trigger: Trigger | undefined;
};

/** Creates a trigger, or changes `trigger`. */
export function TriggerForm({
  client,
  trigger,
  onDone,
}: {
  client: TriggersClient;
  trigger?: Trigger;
  onDone: (changed: ChangedTrigger) => void;
}) {
  const [fields, setFields] = useState(() => fieldsOf(trigger));
  const set = (changed: Partial<Fields>): void => setFields((now) => ({ ...now, ...changed }));
  const sendOnce = useSendOnce();
  const save = async (): Promise<ChangedTrigger> => {
    const usageKey = fields.usageKey.trim();
    const saved = { name: fields.name, ...settingsOf(fields), ...actionOf(fields) };
    if (!trigger) {
      const created = { ...saved, usageKey, ...eventOf(fields) };
      return sendOnce(created, (idempotencyKey) => client.createTrigger(created, { idempotencyKey }));
    }
    return client.updateTrigger({
      triggerId: trigger.id,
      ...saved,
      ...(usageKey !== '' && { usageKey }),
      ...(isChanged(fields, trigger) && { config: eventOf(fields).config }),
    });
  };
  const props = { fields, set, trigger };
  return (
    <Form
      label={trigger ? t('Save the changes') : t('Create the trigger')}
      send={save}
      onDone={onDone}
      button={{ style: { alignSelf: 'start' } }}
      maw={720}
    >
      <TextInput label={t('Name')} {...text(fields.name, (name) => set({ name }))} maxLength={128} required />
      <EventFields client={client} {...props} />
      <ActionFields {...props} />
      <Accordion variant="contained">
        <Accordion.Item value="more">
          <Accordion.Control>{t('Parameters and limits')}</Accordion.Control>
          <Accordion.Panel>
            <Limits {...props} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Form>
  );
}

function EventFields({ client, fields, set, trigger }: FieldsProps & { client: TriggersClient }) {
  return (
    <Fieldset legend={t('Fires by')}>
      <Stack>
        {!trigger && (
          <SegmentedControl
            aria-label={t('Kind of trigger')}
            style={{ flexWrap: 'wrap' }}
            value={fields.kind}
            onChange={(kind) => set({ kind, config: emptyConfigs[kind] })}
            data={[
              { value: 'webhook', label: t('Webhook') },
              { value: 'schedule', label: t('Schedule') },
              { value: 'chain_event', label: t('Chain event') },
              { value: 'chain_block', label: t('Chain block') },
            ]}
          />
        )}
        <ConfigFields
          key={fields.kind}
          client={client}
          kind={fields.kind}
          config={fields.config}
          onChange={(config) => set({ config })}
          isNew={!trigger}
        />
      </Stack>
    </Fieldset>
  );
}

function ActionFields({ fields, set, trigger }: FieldsProps) {
  return (
    <Fieldset legend={t('Action')}>
      <Stack>
        <SegmentedControl
          aria-label={t('Source of the action')}
          value={fields.source}
          onChange={(source) => set({ source })}
          data={[
            { value: 'code', label: t('Code') },
            { value: 'cid', label: t('CID') },
          ]}
        />
        {fields.source === 'code' ? (
          <Textarea
            label={t('Code')}
            description={t('It defines main(params). Its CID must be permitted to the usage key.')}
            {...text(fields.code, (code) => set({ code }))}
            autosize
            minRows={6}
            maxRows={24}
            ff="monospace"
            spellCheck={false}
            required
          />
        ) : (
          <TextInput
            label={t('CID of a registered action')}
            {...text(fields.cid, (cid) => set({ cid }))}
            ff="monospace"
            required
          />
        )}
        <PasswordInput
          label={trigger ? t('Another usage key') : t('Usage key')}
          description={
            trigger
              ? t('Leave it empty to keep the key.')
              : t('A key that may run the action. The service stores it encrypted and never shows it again.')
          }
          {...text(fields.usageKey, (usageKey) => set({ usageKey }))}
          autoComplete="off"
          required={!trigger}
        />
      </Stack>
    </Fieldset>
  );
}

function Limits({ fields, set }: FieldsProps) {
  const count = (name: 'maxRunsPerMinute' | 'maxConcurrentRuns' | 'pauseAfterFailures') => ({
    value: fields[name],
    onChange: (value: number | string) => set({ [name]: typeof value === 'number' ? value : '' }),
    min: 1,
    allowDecimal: false,
  });
  return (
    <Stack>
      <JsonField
        label={t('Parameters of every run')}
        description={t('Parameters of the event override them.')}
        value={fields.params}
        onChange={(params) => set({ params })}
        minRows={3}
      />
      <Group grow align="start">
        <NumberInput label={t('Runs per minute, at most')} {...count('maxRunsPerMinute')} />
        <NumberInput label={t('Concurrent runs, at most')} {...count('maxConcurrentRuns')} />
      </Group>
      <NumberInput
        label={t('Pause after this number of failed runs in a row')}
        description={t('Empty: never.')}
        {...count('pauseAfterFailures')}
      />
      {fields.kind === 'webhook' && (
        <Switch
          label={t('While paused, keep deliveries and run them later')}
          {...check(fields.holdWhenPaused, (holdWhenPaused) => set({ holdWhenPaused }))}
        />
      )}
    </Stack>
  );
}
