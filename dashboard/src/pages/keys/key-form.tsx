import {
  Accordion,
  Checkbox,
  MultiSelect,
  type MultiSelectProps,
  NumberInput,
  Select,
  Stack,
  Text,
} from '@mantine/core';
import { useState } from 'react';
import { changes, check, Form, LabelFields, type Labels } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import {
  groupOptions,
  type ListedGroup,
  type ListedUsageKey,
  nameOfKey,
  namesOfGroups,
} from '../../names.ts';
import { useGroups } from '../../queries.ts';
import { useSession } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import { ExpiryField, fromDateField, toDateField } from './expiry-field.tsx';
import { type Caps, describeCaps, describeExpiry, windowOptions } from './permissions.ts';
import { RunSeconds } from './run-seconds.tsx';

const groupLists = [
  ['manageIpfsIdsInGroups', t('Change the actions of')],
  ['addPkpToGroups', t('Add wallets to')],
  ['removePkpFromGroups', t('Remove wallets from')],
] as const;
const powers = [
  ['canCreateGroups', t('Create groups')],
  ['canDeleteGroups', t('Delete groups')],
  ['canCreatePkps', t('Create wallets')],
] as const;

type Fields = Record<(typeof groupLists)[number][0] | 'executeInGroups', bigint[]> &
  Record<(typeof powers)[number][0], boolean>;
const noFields: Fields = {
  executeInGroups: [],
  manageIpfsIdsInGroups: [],
  addPkpToGroups: [],
  removePkpFromGroups: [],
  canCreateGroups: false,
  canDeleteGroups: false,
  canCreatePkps: false,
};

/** A created key: its text, and the groups whose actions it runs. */
export type CreatedKey = { usageKey: string; executeInGroups: bigint[] };

const capsOf = ({
  spendCapCents,
  spendWindowSeconds,
  maxRunsPerMinute,
  maxConcurrency,
  maxRunSeconds,
}: Partial<Caps> = {}): Caps => ({
  spendCapCents,
  spendWindowSeconds,
  maxRunsPerMinute,
  maxConcurrency,
  maxRunSeconds,
});

type Key = Fields & Labels & { expiration: bigint };

/** Returns the function that creates a usage key, or replaces the fields of one. */
function useSendKey(before: ListedUsageKey | undefined, groups: ListedGroup[]) {
  const { mode } = useSession();
  const write = useWrite();
  return async (fields: Key, caps: Caps) => {
    const { spendCapCents, spendWindowSeconds } = caps;
    const limits = {
      ...caps,
      spendWindowSeconds: spendCapCents === undefined ? undefined : spendWindowSeconds,
    };
    if (!before) {
      const created = await write({
        title: t('Create the usage key'),
        done: t('The usage key was created.'),
        prepare: (client) =>
          client.mode === 'api'
            ? client.prepare.addUsageApiKey({ ...fields, ...limits })
            : client.prepare.addUsageApiKey(fields),
        refresh: ['keys', 'wallets'],
      });
      return created && { usageKey: created.usageKey, executeInGroups: fields.executeInGroups };
    }
    const describe = (
      name: string,
      key: Pick<Key, 'executeInGroups' | 'expiration'>,
      limits: Partial<Caps>,
    ) => ({
      [t('Name')]: name,
      [t('Runs actions of')]: namesOfGroups(key.executeInGroups, groups).join(', ') || t('No group'),
      [t('Expires')]: describeExpiry(key.expiration),
      ...(mode === 'api' && { [t('Caps')]: describeCaps(limits).join(', ') || t('No caps') }),
    });
    const key = { usageKey: before.usageKeyHash };
    return write({
      title: t('Change the usage key'),
      done: t('The usage key was changed.'),
      prepare: (client) =>
        client.mode === 'api'
          ? client.prepare.updateUsageApiKey({ ...key, ...fields, ...limits })
          : client.prepare.updateUsageApiKey({ ...key, ...fields }),
      compare: changes(describe(nameOfKey(before), before, before), describe(fields.name, fields, limits)),
      refresh: ['keys'],
    });
  };
}

/** Creates a usage key, or replaces the fields of one. */
export function KeyForm({
  before,
  onDone,
}: {
  before?: ListedUsageKey;
  onDone: (created?: CreatedKey) => void;
}) {
  const { mode } = useSession();
  const { data: groups = [] } = useGroups();
  const [labels, setLabels] = useState<Labels>({
    name: before?.name ?? '',
    description: before?.description ?? '',
  });
  const [fields, setFields] = useState<Fields>(() => ({ ...noFields, ...before }));
  const [caps, setCaps] = useState(() => capsOf(before));
  const [date, setDate] = useState(toDateField(before?.expiration ?? 0n));
  const sendKey = useSendKey(before, groups);
  const send = (): Promise<CreatedKey | object | undefined> =>
    sendKey({ ...fields, ...labels, expiration: fromDateField(date, before?.expiration) }, caps);
  return (
    <Form
      label={before ? t('Change the usage key') : t('Create the usage key')}
      send={send}
      onDone={(result) => onDone('usageKey' in result ? (result as CreatedKey) : undefined)}
    >
      <LabelFields value={labels} onChange={setLabels} />
      <GroupSelect
        label={t('Runs the actions of')}
        description={t(
          'The key can run their actions with their wallets. Every group: also those that you create later, and any action without a wallet.',
        )}
        groups={groups}
        value={fields.executeInGroups}
        onChange={(executeInGroups) => setFields({ ...fields, executeInGroups })}
      />
      <ExpiryField value={date} onChange={setDate} />
      <Accordion variant="contained" multiple>
        <Accordion.Item value="caps">
          <Accordion.Control>{t('Caps')}</Accordion.Control>
          <Accordion.Panel>
            {mode === 'api' ? <CapFields value={caps} onChange={setCaps} /> : NO_CAPS}
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="permissions">
          <Accordion.Control>{t('Other permissions')}</Accordion.Control>
          <Accordion.Panel>
            <OtherPermissions fields={fields} groups={groups} onChange={setFields} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Form>
  );
}

const NO_CAPS = (
  <Text size="sm">
    {t(
      'Keys of a ChainSecured account have no caps: the contract does not store them. Limit the key by its groups and its expiry, and watch its runs.',
    )}
  </Text>
);

function OtherPermissions({
  fields,
  groups,
  onChange,
}: {
  fields: Fields;
  groups: ListedGroup[];
  onChange: (fields: Fields) => void;
}) {
  return (
    <Stack gap="sm">
      {powers.map(([name, label]) => (
        <Checkbox
          key={name}
          label={label}
          {...check(fields[name], (isPermitted) => onChange({ ...fields, [name]: isPermitted }))}
        />
      ))}
      {groupLists.map(([name, label]) => (
        <GroupSelect
          key={name}
          label={label}
          groups={groups}
          value={fields[name]}
          onChange={(ids) => onChange({ ...fields, [name]: ids })}
        />
      ))}
    </Stack>
  );
}

function GroupSelect({
  groups,
  value,
  onChange,
  ...texts
}: Pick<MultiSelectProps, 'label' | 'description'> & {
  groups: ListedGroup[];
  value: readonly bigint[];
  onChange: (groupIds: bigint[]) => void;
}) {
  return (
    <MultiSelect
      {...texts}
      placeholder={value.length === 0 ? t('No group') : undefined}
      data={groupOptions(groups, t('Every group'))}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(BigInt))}
      maxValues={50}
      nothingFoundMessage={t('No group has this name.')}
      searchable
      hidePickedOptions
    />
  );
}

const toNumber = (value: number | string): number | undefined => (value === '' ? undefined : Number(value));

function CapFields({ value, onChange }: { value: Caps; onChange: (caps: Caps) => void }) {
  const { spendCapCents, spendWindowSeconds, maxRunsPerMinute, maxConcurrency, maxRunSeconds } = value;
  const seconds = spendWindowSeconds === undefined ? null : String(spendWindowSeconds);
  return (
    <Stack gap="sm">
      <NumberInput
        label={t('Spending, in US dollars')}
        description={t(
          'A run that would exceed it is refused (402) until the next window begins. Empty: no limit.',
        )}
        value={spendCapCents === undefined ? '' : spendCapCents / 100}
        onChange={(dollars) => {
          const amount = toNumber(dollars);
          onChange({ ...value, spendCapCents: amount === undefined ? undefined : Math.round(amount * 100) });
        }}
        min={0.01}
        decimalScale={2}
        prefix="$"
        thousandSeparator=","
      />
      <Select
        label={t('Window of the spending')}
        description={t('A window begins with the first spending after the previous window ended.')}
        data={windowOptions(spendWindowSeconds)}
        placeholder={t('in total')}
        value={seconds}
        onChange={(window) =>
          onChange({ ...value, spendWindowSeconds: window === null ? undefined : Number(window) })
        }
        disabled={spendCapCents === undefined}
        clearable
        clearButtonProps={{ 'aria-label': t('Limit the spending in total') }}
      />
      <NumberInput
        label={t('Runs per minute')}
        description={t('More runs that begin in any 60 seconds are refused (429).')}
        value={maxRunsPerMinute ?? ''}
        onChange={(count) => onChange({ ...value, maxRunsPerMinute: toNumber(count) })}
        min={1}
        allowDecimal={false}
      />
      <NumberInput
        label={t('Concurrent runs')}
        description={t('More runs than this are refused (429) until one ends.')}
        value={maxConcurrency ?? ''}
        onChange={(count) => onChange({ ...value, maxConcurrency: toNumber(count) })}
        min={1}
        allowDecimal={false}
      />
      <RunSeconds
        value={maxRunSeconds}
        onChange={(seconds) => onChange({ ...value, maxRunSeconds: seconds })}
      />
    </Stack>
  );
}
