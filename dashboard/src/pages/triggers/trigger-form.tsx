import type {
  ActionSource,
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
  Button,
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
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { readObject } from '../../components/json-object.ts';
import { useSendOnce } from '../../session/send-once.ts';
import { ConfigFields, emptyConfigs, type WireConfig } from './config-fields.tsx';

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

/** Creates a trigger, or changes `trigger`. */
export function TriggerForm({
  client,
  trigger,
  onDone,
}: {
  client: TriggersClient;
  trigger?: Trigger | undefined;
  onDone: (changed: ChangedTrigger) => void;
}) {
  const [fields, setFields] = useState(() => fieldsOf(trigger));
  const set = (changed: Partial<Fields>): void => setFields((now) => ({ ...now, ...changed }));
  const sendOnce = useSendOnce();
  const save = useMutation({
    mutationFn: () => {
      const { name, usageKey } = fields;
      const settings = settingsOf(fields);
      if (!trigger) {
        const created = {
          name,
          usageKey: usageKey.trim(),
          ...settings,
          ...actionOf(fields),
          ...eventOf(fields),
        };
        return sendOnce(created, (idempotencyKey) => client.createTrigger(created, { idempotencyKey }));
      }
      return client.updateTrigger({
        triggerId: trigger.id,
        name,
        ...settings,
        ...actionOf(fields),
        ...(usageKey !== '' && { usageKey: usageKey.trim() }),
        ...(isChanged(fields, trigger) && { config: eventOf(fields).config }),
      });
    },
    onSuccess: onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const numberInput = (name: 'maxRunsPerMinute' | 'maxConcurrentRuns' | 'pauseAfterFailures') => ({
    value: fields[name],
    onChange: (value: number | string) => set({ [name]: typeof value === 'number' ? value : '' }),
    min: 1,
    allowDecimal: false,
  });
  return (
    <form onSubmit={submit}>
      <Stack maw={720}>
        <TextInput
          label="Name"
          value={fields.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          maxLength={128}
          required
        />
        <Fieldset legend="Fires by">
          <Stack>
            {!trigger && (
              <SegmentedControl
                aria-label="Kind of trigger"
                value={fields.kind}
                onChange={(kind) =>
                  set({ kind: kind as TriggerKind, config: emptyConfigs[kind as TriggerKind] })
                }
                data={[
                  { value: 'webhook', label: 'Webhook' },
                  { value: 'schedule', label: 'Schedule' },
                  { value: 'chain_event', label: 'Chain event' },
                ]}
              />
            )}
            <ConfigFields
              key={fields.kind}
              kind={fields.kind}
              config={fields.config}
              onChange={(config) => set({ config })}
              isNew={!trigger}
            />
          </Stack>
        </Fieldset>
        <Fieldset legend="Action">
          <Stack>
            <SegmentedControl
              aria-label="Source of the action"
              value={fields.source}
              onChange={(source) => set({ source: source as Fields['source'] })}
              data={[
                { value: 'code', label: 'Code' },
                { value: 'cid', label: 'CID' },
              ]}
            />
            {fields.source === 'code' ? (
              <Textarea
                label="Code"
                description="It defines main(params). Its CID must be permitted to the usage key."
                value={fields.code}
                onChange={({ currentTarget }) => set({ code: currentTarget.value })}
                autosize
                minRows={6}
                maxRows={24}
                ff="monospace"
                spellCheck={false}
                required
              />
            ) : (
              <TextInput
                label="CID of a registered action"
                value={fields.cid}
                onChange={({ currentTarget }) => set({ cid: currentTarget.value })}
                ff="monospace"
                required
              />
            )}
            <PasswordInput
              label={trigger ? 'Another usage key' : 'Usage key'}
              description={
                trigger
                  ? 'Leave it empty to keep the key.'
                  : 'A key that may run the action. The service stores it encrypted and never shows it again.'
              }
              value={fields.usageKey}
              onChange={({ currentTarget }) => set({ usageKey: currentTarget.value })}
              autoComplete="off"
              required={!trigger}
            />
          </Stack>
        </Fieldset>
        <Accordion variant="contained">
          <Accordion.Item value="more">
            <Accordion.Control>Parameters and limits</Accordion.Control>
            <Accordion.Panel>
              <Stack>
                <JsonField
                  label="Parameters of every run"
                  description="Those of the event override them."
                  value={fields.params}
                  onChange={(params) => set({ params })}
                  minRows={3}
                />
                <Group grow align="start">
                  <NumberInput label="Runs per minute, at most" {...numberInput('maxRunsPerMinute')} />
                  <NumberInput label="Concurrent runs, at most" {...numberInput('maxConcurrentRuns')} />
                </Group>
                <NumberInput
                  label="Pause after so many failed runs in a row"
                  description="Empty: never."
                  {...numberInput('pauseAfterFailures')}
                />
                {fields.kind === 'webhook' && (
                  <Switch
                    label="While paused, keep deliveries and run them later"
                    checked={fields.holdWhenPaused}
                    onChange={({ currentTarget: { checked } }) => set({ holdWhenPaused: checked })}
                  />
                )}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {save.error && <ErrorMessage error={save.error} />}
        <Button type="submit" loading={save.isPending} style={{ alignSelf: 'start' }}>
          {trigger ? 'Save the changes' : 'Create the trigger'}
        </Button>
      </Stack>
    </form>
  );
}
