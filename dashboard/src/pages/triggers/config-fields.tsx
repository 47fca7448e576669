/** The fields of each kind of trigger. The configuration as JSON has all others. */
import type { TriggerKind } from '@latchkey/sdk';
import { NativeSelect, NumberInput, PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { check, text } from '../../components/form.tsx';
import { JsonField } from '../../components/json-field.tsx';

/** The configuration in its wire form. */
export type WireConfig = { [field: string]: unknown };

type FieldsProps = {
  config: WireConfig;
  onChange: (config: WireConfig) => void;
  /** True for a new trigger. An existing one keeps its secret, which replies do not contain, while its configuration stays the same. */
  isNew: boolean;
};

/** Schemes with one secret. The others are configured as JSON. */
const schemes = [
  ['', 'No verification: anyone who knows the URL can start runs'],
  ['shared_secret', 'A shared secret in a header'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['bitbucket', 'Bitbucket'],
  ['stripe', 'Stripe'],
  ['slack', 'Slack'],
  ['shopify', 'Shopify'],
  ['svix', 'Svix'],
  ['standard_webhooks', 'Standard Webhooks'],
  ['twilio', 'Twilio'],
  ['square', 'Square'],
  ['paddle', 'Paddle'],
  ['linear', 'Linear'],
  ['typeform', 'Typeform'],
  ['zoom', 'Zoom'],
  ['hubspot', 'HubSpot'],
  ['telegram', 'Telegram'],
  ['alchemy', 'Alchemy'],
  ['quicknode', 'QuickNode'],
  ['meta', 'Meta'],
  ['microsoft_graph', 'Microsoft Graph'],
  ['calendly', 'Calendly'],
  ['dropbox', 'Dropbox'],
  ['monday', 'monday.com'],
  ['moralis', 'Moralis'],
  ['okta', 'Okta'],
  ['tenderly', 'Tenderly'],
  ['trello', 'Trello'],
  ['woocommerce', 'WooCommerce'],
] as const;

function WebhookFields({ config, onChange, isNew }: FieldsProps) {
  const { verification } = config as { verification?: { scheme: string; secret?: string; header?: string } };
  const scheme = verification?.scheme ?? '';
  const isKnown = schemes.some(([name]) => name === scheme);
  const change = (fields: object): void =>
    onChange({ ...config, verification: { ...verification, ...fields } });
  return (
    <>
      <NativeSelect
        label="Signature of"
        description="A delivery without a valid signature of this sender is refused."
        data={[
          ...schemes.map(([value, label]) => ({ value, label })),
          ...(isKnown ? [] : [{ value: scheme, label: scheme }]),
        ]}
        value={scheme}
        onChange={({ currentTarget: { value } }) => {
          const { verification: _, ...others } = config;
          onChange(value === '' ? others : { ...others, verification: { scheme: value } });
        }}
      />
      {scheme === 'shared_secret' && (
        <TextInput
          label="Header with the secret"
          {...text(verification?.header ?? '', (header) => change({ header }))}
          placeholder="X-Secret"
          required
        />
      )}
      {scheme !== '' && isKnown && (
        <PasswordInput
          label="Secret that the sender shows you"
          description={isNew ? undefined : 'Enter it again when you change the configuration.'}
          {...text(typeof verification?.secret === 'string' ? verification.secret : '', (secret) =>
            change({ secret }),
          )}
          autoComplete="off"
          required={isNew}
        />
      )}
    </>
  );
}

const zones = Intl.supportedValuesOf('timeZone');

function ScheduleFields({ config, onChange }: FieldsProps) {
  const {
    cron = '',
    timezone = 'UTC',
    missed = 'one',
  } = config as {
    cron?: string;
    timezone?: string;
    missed?: string;
  };
  return (
    <>
      <TextInput
        label="Cron expression"
        description="Minute, hour, day of month, month, day of week. For example 0 9 * * MON-FRI."
        {...text(cron, (cron) => onChange({ ...config, cron }))}
        required
        ff="monospace"
      />
      <NativeSelect
        label="Time zone"
        data={[...new Set(['UTC', timezone, ...zones])]}
        {...text(timezone, (timezone) => onChange({ ...config, timezone }))}
      />
      <NativeSelect
        label="Slots that were missed while the service was down"
        data={[
          { value: 'one', label: 'Run the newest' },
          { value: 'all', label: 'Run all, at most 100' },
          { value: 'skip', label: 'Run none' },
        ]}
        {...text(missed, (missed) => onChange({ ...config, missed }))}
      />
    </>
  );
}

/** Chains of the form. The configuration as JSON takes the id of any chain for which the operator has set a node. */
const chains = [
  { value: 'service', label: 'The chain of this service' },
  { value: 'ethereum', label: 'Ethereum' },
  { value: 'base', label: 'Base' },
  { value: 'arbitrum', label: 'Arbitrum' },
  { value: 'bsc', label: 'BNB Smart Chain' },
  { value: 'polygon', label: 'Polygon' },
];

function ChainEventFields({ config, onChange }: FieldsProps) {
  const input = (name: string) =>
    text(String(config[name] ?? ''), (value) => onChange({ ...config, [name]: value }));
  return (
    <>
      <NativeSelect label="Chain" data={chains} {...input('chain')} />
      <TextInput label="Contract address" required ff="monospace" {...input('contract_address')} />
      <TextInput
        label="Event"
        description="For example Transfer(address indexed from, address indexed to, uint256 value)."
        required
        ff="monospace"
        {...input('event_signature')}
      />
      <NumberInput
        label="Confirmations"
        description="Blocks after the event before it fires. A reorg that is not deeper drops it."
        min={0}
        max={128}
        allowDecimal={false}
        value={(config.confirmations as number | undefined) ?? ''}
        onChange={(value) => {
          const { confirmations: _, ...others } = config;
          onChange(typeof value === 'number' ? { ...others, confirmations: value } : others);
        }}
      />
    </>
  );
}

const fields = { webhook: WebhookFields, schedule: ScheduleFields, chain_event: ChainEventFields };
const docs = { webhook: 'webhooks.md', schedule: 'schedules.md', chain_event: 'triggers.md#chain-events' };

export const emptyConfigs: Record<TriggerKind, WireConfig> = {
  webhook: {},
  schedule: { cron: '', timezone: 'UTC', missed: 'one' },
  chain_event: { chain: 'service', contract_address: '', event_signature: '' },
};

/** The configuration of a kind, by fields or as JSON. */
export function ConfigFields({ kind, config, onChange, isNew }: FieldsProps & { kind: TriggerKind }) {
  const [json, setJson] = useState<string>();
  const Fields = fields[kind];
  return (
    <Stack>
      {json === undefined ? (
        <Fields config={config} onChange={onChange} isNew={isNew} />
      ) : (
        <JsonField
          label="Configuration"
          description={`docs/${docs[kind]} describes all fields.`}
          value={json}
          onChange={(value) => {
            setJson(value);
            try {
              onChange(JSON.parse(value) as WireConfig);
            } catch {
              // The form is not sent.
            }
          }}
          minRows={6}
        />
      )}
      <Switch
        label="Edit the configuration as JSON"
        {...check(json !== undefined, (isJson) =>
          setJson(isJson ? JSON.stringify(config, null, 2) : undefined),
        )}
      />
    </Stack>
  );
}
