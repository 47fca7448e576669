import { Accordion, Checkbox, MultiSelect, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { LabelFields, type Labels, WriteForm } from '../../components/write-form.tsx';
import { groupOptions, type ListedGroup, type ListedUsageKey, nameOfKey } from '../../names.ts';
import { useSession } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import { ExpiryField, fromDateField, toDateField } from './expiry-field.tsx';
import { describeCaps, describeExpiry, describeWindow, namesOfGroups, windows } from './permissions.ts';

const groupLists = [
  ['manageIpfsIdsInGroups', 'Change the actions of'],
  ['addPkpToGroups', 'Add wallets to'],
  ['removePkpFromGroups', 'Remove wallets from'],
] as const;
const powers = [
  ['canCreateGroups', 'Create groups'],
  ['canDeleteGroups', 'Delete groups'],
  ['canCreatePkps', 'Create wallets'],
] as const;

type GroupList = (typeof groupLists)[number][0] | 'executeInGroups';
type Fields = Record<GroupList, bigint[]> & Record<(typeof powers)[number][0], boolean>;
type Caps = {
  spendCapCents?: number | undefined;
  spendWindowSeconds?: number | undefined;
  maxRunsPerMinute?: number | undefined;
  maxConcurrency?: number | undefined;
};

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

/** Creates a usage key, or replaces the fields of one. */
export function KeyForm({
  before,
  groups,
  onDone,
}: {
  before?: ListedUsageKey;
  groups: ListedGroup[];
  onDone: (created?: CreatedKey) => void;
}) {
  const { mode } = useSession();
  const write = useWrite();
  const [labels, setLabels] = useState<Labels>({
    name: before?.name ?? '',
    description: before?.description ?? '',
  });
  const [fields, setFields] = useState<Fields>(() => ({ ...noFields, ...before }));
  const [caps, setCaps] = useState<Caps>(() => ({ ...before }));
  const [date, setDate] = useState(toDateField(before?.expiration ?? 0n));

  const send = async (): Promise<CreatedKey | object | undefined> => {
    const permissions = { ...fields, ...labels, expiration: fromDateField(date, before?.expiration) };
    const { spendCapCents, spendWindowSeconds, maxRunsPerMinute, maxConcurrency } = caps;
    const limits = {
      spendCapCents,
      spendWindowSeconds: spendCapCents === undefined ? undefined : spendWindowSeconds,
      maxRunsPerMinute,
      maxConcurrency,
    };
    if (!before) {
      const created = await write({
        title: 'Create the usage key',
        done: 'The usage key was created.',
        prepare: (client) =>
          client.mode === 'api'
            ? client.prepare.addUsageApiKey({ ...permissions, ...limits })
            : client.prepare.addUsageApiKey(permissions),
        refresh: ['keys', 'wallets'],
      });
      return created && { usageKey: created.usageKey, executeInGroups: fields.executeInGroups };
    }
    const key = { usageKey: before.usageKeyHash };
    return write({
      title: 'Change the usage key',
      done: 'The usage key was changed.',
      prepare: (client) =>
        client.mode === 'api'
          ? client.prepare.updateUsageApiKey({ ...key, ...permissions, ...limits })
          : client.prepare.updateUsageApiKey({ ...key, ...permissions }),
      compare: [
        { label: 'Name', before: nameOfKey(before), after: labels.name },
        {
          label: 'Runs actions of',
          before: namesOfGroups(before.executeInGroups, groups).join(', ') || 'No group',
          after: namesOfGroups(fields.executeInGroups, groups).join(', ') || 'No group',
        },
        {
          label: 'Expires',
          before: describeExpiry(before.expiration),
          after: describeExpiry(permissions.expiration),
        },
        ...(mode === 'api'
          ? [
              {
                label: 'Caps',
                before: describeCaps(before).join(', ') || 'No caps',
                after: describeCaps(limits).join(', ') || 'No caps',
              },
            ]
          : []),
      ],
      refresh: ['keys'],
    });
  };
  const groupSelect = (name: GroupList, label: string, description?: string) => (
    <MultiSelect
      key={name}
      label={label}
      description={description}
      placeholder={fields[name].length === 0 ? 'No group' : undefined}
      data={groupOptions(groups, 'Every group')}
      value={fields[name].map(String)}
      onChange={(ids) => setFields({ ...fields, [name]: ids.map(BigInt) })}
      maxValues={50}
      nothingFoundMessage="No group has this name."
      searchable
      hidePickedOptions
    />
  );
  return (
    <WriteForm
      label={before ? 'Change the usage key' : 'Create the usage key'}
      send={send}
      onDone={(result) => onDone('usageKey' in result ? (result as CreatedKey) : undefined)}
    >
      <LabelFields value={labels} onChange={setLabels} />
      {groupSelect(
        'executeInGroups',
        'Runs the actions of',
        'The key can run their actions with their wallets. Every group: also those that you create later, and any action without a wallet.',
      )}
      <ExpiryField value={date} onChange={setDate} />
      <Accordion variant="contained" multiple>
        <Accordion.Item value="caps">
          <Accordion.Control>Caps</Accordion.Control>
          <Accordion.Panel>
            {mode === 'api' ? (
              <CapFields value={caps} onChange={setCaps} />
            ) : (
              <Text size="sm">
                Keys of a ChainSecured account have no caps: the contract does not store them. Limit the key
                by its groups and its expiry, and watch its runs.
              </Text>
            )}
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="permissions">
          <Accordion.Control>Other permissions</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="sm">
              {powers.map(([name, label]) => (
                <Checkbox
                  key={name}
                  label={label}
                  checked={fields[name]}
                  onChange={({ currentTarget }) => setFields({ ...fields, [name]: currentTarget.checked })}
                />
              ))}
              {groupLists.map(([name, label]) => groupSelect(name, label))}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </WriteForm>
  );
}

const toNumber = (value: number | string): number | undefined => (value === '' ? undefined : Number(value));

function CapFields({ value, onChange }: { value: Caps; onChange: (caps: Caps) => void }) {
  const { spendCapCents, spendWindowSeconds, maxRunsPerMinute, maxConcurrency } = value;
  const seconds = spendWindowSeconds === undefined ? null : String(spendWindowSeconds);
  const isKnown = seconds === null || windows.some((window) => window.value === seconds);
  return (
    <Stack gap="sm">
      <NumberInput
        label="Spending, in US dollars"
        description="A run that would exceed it is refused (402) until the next window begins. Empty: no limit."
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
        label="Window of the spending"
        description="A window begins with the first spending after the one before ended."
        data={[
          ...windows,
          ...(isKnown ? [] : [{ value: seconds, label: describeWindow(spendWindowSeconds) }]),
        ]}
        placeholder="in total"
        value={seconds}
        onChange={(window) =>
          onChange({ ...value, spendWindowSeconds: window === null ? undefined : Number(window) })
        }
        disabled={spendCapCents === undefined}
        clearable
        clearButtonProps={{ 'aria-label': 'Limit the spending in total' }}
      />
      <NumberInput
        label="Runs per minute"
        description="More runs that begin in any 60 seconds are refused (429)."
        value={maxRunsPerMinute ?? ''}
        onChange={(count) => onChange({ ...value, maxRunsPerMinute: toNumber(count) })}
        min={1}
        allowDecimal={false}
      />
      <NumberInput
        label="Concurrent runs"
        description="More runs than this are refused (429) until one ends."
        value={maxConcurrency ?? ''}
        onChange={(count) => onChange({ ...value, maxConcurrency: toNumber(count) })}
        min={1}
        allowDecimal={false}
      />
    </Stack>
  );
}
