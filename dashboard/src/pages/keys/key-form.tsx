import { Accordion, Checkbox, MultiSelect, type MultiSelectProps, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
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
import { CapFields } from './cap-fields.tsx';
import { ExpiryField, fromDateField, toDateField } from './expiry-field.tsx';
import { type Caps, describeCaps, describeExpiry } from './permissions.ts';

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

/** Returns the function that turns the recording of a new key on. The key is shown meanwhile: this page has its only copy. */
function useRecord() {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (usageKey: string) => client.setUsageApiKeyRecording({ usageKey, recordOutput: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
    onError: ({ message }) =>
      notifications.show({
        title: t('The output is not recorded. Turn it on on the page of the key.'),
        message,
        color: 'red',
        autoClose: false,
      }),
  });
}

/** Returns the function that creates a usage key, or replaces the fields of one. */
function useSendKey(before: ListedUsageKey | undefined, groups: ListedGroup[]) {
  const { mode } = useSession();
  const write = useWrite();
  const record = useRecord();
  return async (fields: Key, caps: Caps, isRecorded: boolean) => {
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
      if (created && isRecorded) record.mutate(created.usageKey);
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
  const [isRecorded, setIsRecorded] = useState(false);
  const sendKey = useSendKey(before, groups);
  const send = (): Promise<CreatedKey | object | undefined> =>
    sendKey({ ...fields, ...labels, expiration: fromDateField(date, before?.expiration) }, caps, isRecorded);
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
      {!before && <RecordField value={isRecorded} onChange={setIsRecorded} />}
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

function RecordField({ value, onChange }: { value: boolean; onChange: (isRecorded: boolean) => void }) {
  return (
    <Checkbox
      label={t('Record the output of its runs')}
      description={t(
        'Off by default. On: the response, the logs and the error of each run are stored, sealed, until its record is deleted, by default after 30 days. The page of the key turns it on and off later.',
      )}
      {...check(value, onChange)}
    />
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
