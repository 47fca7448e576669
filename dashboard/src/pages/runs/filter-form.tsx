import type { RunRecord } from '@latchkey/sdk';
import { Autocomplete, Button, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Form, text } from '../../components/form.tsx';
import { useActionName } from '../../components/names.tsx';
import { t } from '../../i18n.ts';
import { nameOfKey, toWord } from '../../names.ts';
import { useKnownCids, useUsageKeys } from '../../queries.ts';
import { type Filters, readFilters, statuses } from './filters.ts';
import { statusNames } from './status.tsx';

/** CIDs of actions, by their names: from the loaded runs and the newest runs. */
function useActionOptions(runs: readonly RunRecord[]): Map<string, string> {
  const nameOf = useActionName();
  const { data: known = new Map<bigint, string>() } = useKnownCids();
  const cids = new Set([...runs.flatMap(({ cid }) => cid ?? []), ...known.values()]);
  return new Map([...cids].map((cid) => [nameOf(cid) || cid, cid]));
}

export function FilterForm({
  filters,
  onChange,
  runs,
}: {
  filters: Filters;
  onChange: (filters: Filters) => void;
  runs: readonly RunRecord[];
}) {
  const { data: keys = [] } = useUsageKeys();
  const actions = useActionOptions(runs);
  const nameOf = useActionName();
  const [draft, setDraft] = useState(filters);
  useEffect(() => setDraft(filters), [filters]);
  const change = (part: Filters): void => setDraft({ ...draft, ...part });
  const select = (name: 'key' | 'status') => ({
    placeholder: t('All'),
    clearable: true,
    value: draft[name] ?? null,
    onChange: (value: string | null) => change({ [name]: value ?? undefined }),
  });
  const input = (name: 'error' | 'from' | 'to') =>
    text(draft[name] ?? '', (value) => change({ [name]: value.trim() }));
  return (
    <Stack gap="xs" align="start">
      <Form
        aria-label={t('Filters')}
        label={t('Apply')}
        send={async () => onChange(readFilters(draft))}
        isInline
      >
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="xs">
          <Select
            label={t('Usage key')}
            {...select('key')}
            searchable
            data={keys.map((key) => ({ value: toWord(key.usageKeyHash), label: nameOfKey(key) }))}
          />
          <Autocomplete
            label={t('Action')}
            placeholder={t('All: name or CID')}
            value={draft.cid === undefined ? '' : (nameOf(draft.cid) ?? draft.cid)}
            onChange={(name) => change({ cid: actions.get(name) ?? name.trim() })}
            data={[...actions.keys()]}
          />
          <Select
            label={t('Status')}
            {...select('status')}
            data={statuses.map((value) => ({ value, label: statusNames[value] }))}
          />
          <TextInput label={t('Error')} placeholder={t('All')} {...input('error')} />
          <TextInput label={t('From')} type="datetime-local" {...input('from')} />
          <TextInput label={t('To')} type="datetime-local" {...input('to')} />
        </SimpleGrid>
      </Form>
      {Object.keys(filters).length > 0 && <Clear onClick={() => onChange({})} />}
    </Stack>
  );
}

const Clear = ({ onClick }: { onClick: () => void }) => (
  <Button variant="subtle" onClick={onClick}>
    {t('Clear')}
  </Button>
);
