/** The fields of each kind of trigger. The configuration as JSON has all others. */
import type { TriggerKind, TriggersClient } from '@latchkey/sdk';
import { Input, List, NativeSelect, PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { check, text } from '../../components/form.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { locale, t } from '../../i18n.ts';
import { ChainBlockFields } from './chain-block-fields.tsx';
import { ChainEventFields } from './chain-event-fields.tsx';
import type { FieldsProps, WireConfig } from './fields-props.ts';

/** Names that are not the scheme in words. */
const names: Record<string, string> = {
  basic_auth: t('A name and a password (basic authentication)'),
  btcpay: 'BTCPay',
  cal_com: 'Cal.com',
  circleci: 'CircleCI',
  ed25519: t('Any sender: Ed25519'),
  github: 'GitHub',
  gitlab: 'GitLab',
  gocardless: 'GoCardless',
  hash: t('Any sender: a hash with the secret'),
  hmac: t('Any sender: HMAC'),
  hubspot: 'HubSpot',
  jwks: t('Any sender: a JWT by public keys at a URL'),
  jwt: t('Any sender: a JWT by a secret'),
  monday: 'monday.com',
  paypal: 'PayPal',
  public_key: t('Any sender: a public key'),
  quicknode: 'QuickNode',
  sendgrid: 'SendGrid',
  shared_secret: t('Any sender: a shared secret in a header'),
  woocommerce: 'WooCommerce',
};
const nameOf = (scheme: string): string =>
  names[scheme] ?? scheme.replace(/_/g, ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase());

const keyLabels: Record<string, string> = {
  secret: t('Secret that the sender shows you'),
  public_key: t('Public key of the sender'),
  jwks_url: t('URL of the public keys of the sender'),
  webhook_id: t('Id of the webhook at the sender'),
  service_account: t('E-mail address of the service account'),
  audience: t('Audience of the tokens'),
};

function WebhookFields({ client, config, onChange, isNew }: FieldsProps) {
  const { data: senders = [] } = useQuery({
    queryKey: ['webhook senders'],
    queryFn: ({ signal }) => client.listWebhookSenders({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { verification } = config as { verification?: { scheme: string; [field: string]: unknown } };
  const scheme = verification?.scheme ?? '';
  const sender = senders.find((each) => each.scheme === scheme);
  const { keyField, requiredFields } = sender ?? { keyField: 'secret', requiredFields: [] };
  const others = scheme === 'shared_secret' ? ['header'] : requiredFields;
  const field = (name: string) => {
    const value = verification?.[name];
    return text(typeof value === 'string' ? value : '', (changed) =>
      onChange({ ...config, verification: { ...verification, [name]: changed } }),
    );
  };
  const data = senders.map((each) => ({ value: each.scheme, label: nameOf(each.scheme) }));
  return (
    <>
      <NativeSelect
        label={t('Signature of')}
        description={t('A delivery without a valid signature of this sender is refused.')}
        data={[
          { value: '', label: t('No verification: anyone who knows the URL can start runs') },
          ...(scheme === '' || sender ? [] : [{ value: scheme, label: nameOf(scheme) }]),
          ...data.toSorted((a, b) => a.label.localeCompare(b.label)),
        ]}
        value={scheme}
        onChange={({ currentTarget: { value } }) => {
          const { verification: _, ...rest } = config;
          onChange(value === '' ? rest : { ...rest, verification: { scheme: value } });
        }}
      />
      {others.map((name) => (
        <TextInput key={name} label={t('The field {name}', { name })} {...field(name)} required />
      ))}
      {scheme !== '' && (
        <PasswordInput
          label={keyLabels[keyField] ?? keyField}
          description={isNew ? undefined : t('Give it again when you change anything of the configuration.')}
          {...field(keyField)}
          autoComplete="off"
          required={isNew}
        />
      )}
    </>
  );
}

const zones = Intl.supportedValuesOf('timeZone');

/** Slots of a schedule in its time zone. */
export function Slots({ slots, timeZone }: { slots: readonly Date[]; timeZone: string }) {
  return (
    <List size="sm" listStyleType="none">
      {slots.map((slot) => (
        <List.Item key={slot.toISOString()}>
          {slot.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })}
        </List.Item>
      ))}
    </List>
  );
}

const TYPING_MS = 400;

/** The next slots of the schedule that the form has, or why it is refused. */
function Preview({ client, cron, timezone }: { client: TriggersClient; cron: string; timezone: string }) {
  const [asked] = useDebouncedValue(cron, TYPING_MS);
  const { data: slots, error } = useQuery({
    queryKey: ['preview of a schedule', asked, timezone],
    queryFn: ({ signal }) => client.previewSchedule({ config: { cron: asked, timezone } }, { signal }),
    enabled: asked !== '',
    retry: false,
  });
  if (asked === '') return null;
  return (
    <Input.Wrapper label={t('Next slots')} error={error?.message}>
      {slots && !error && <Slots slots={slots} timeZone={timezone} />}
    </Input.Wrapper>
  );
}

function ScheduleFields({ client, config, onChange }: FieldsProps) {
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
        label={t('Cron expression')}
        description={t('Minute, hour, day of month, month, day of week. For example 0 9 * * MON-FRI.')}
        {...text(cron, (cron) => onChange({ ...config, cron }))}
        required
        ff="monospace"
      />
      <NativeSelect
        label={t('Time zone')}
        data={[...new Set(['UTC', timezone, ...zones])]}
        {...text(timezone, (timezone) => onChange({ ...config, timezone }))}
      />
      <Preview client={client} cron={cron} timezone={timezone} />
      <NativeSelect
        label={t('Slots that were missed while the service was down')}
        data={[
          { value: 'one', label: t('Run the newest') },
          { value: 'all', label: t('Run all, at most 100') },
          { value: 'skip', label: t('Run none') },
        ]}
        {...text(missed, (missed) => onChange({ ...config, missed }))}
      />
    </>
  );
}

const fields = {
  webhook: WebhookFields,
  schedule: ScheduleFields,
  chain_event: ChainEventFields,
  chain_block: ChainBlockFields,
};
const docs = {
  webhook: 'webhooks.md',
  schedule: 'schedules.md',
  chain_event: 'triggers.md#chain-events',
  chain_block: 'triggers.md#blocks-base-fees-and-balances',
};

export const emptyConfigs: Record<TriggerKind, WireConfig> = {
  webhook: {},
  schedule: { cron: '', timezone: 'UTC', missed: 'one' },
  chain_event: { chain: 'service', contract_address: '', event_signature: '' },
  chain_block: { chain: 'service', every: 300 },
};

/** The configuration of a kind, by fields or as JSON. */
export function ConfigFields({ kind, ...props }: FieldsProps & { kind: TriggerKind }) {
  const { config, onChange } = props;
  const [json, setJson] = useState<string>();
  const Fields = fields[kind];
  return (
    <Stack>
      {json === undefined ? (
        <Fields {...props} />
      ) : (
        <JsonField
          label={t('Configuration')}
          description={t('docs/{page} describes all fields.', { page: docs[kind] })}
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
        label={t('Edit the configuration as JSON')}
        {...check(json !== undefined, (isJson) =>
          setJson(isJson ? JSON.stringify(config, null, 2) : undefined),
        )}
      />
    </Stack>
  );
}
