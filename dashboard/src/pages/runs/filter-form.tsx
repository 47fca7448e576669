import type { RunRecord } from '@latchkey/sdk';
import { Autocomplete, Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useActionName } from '../../components/names.tsx';
import { toWord } from '../../names.ts';
import { useKnownCids, useUsageKeys } from '../../queries.ts';
import { type Filters, readFilters, statuses } from './filters.ts';
import { statusNames } from './status.tsx';

/** CIDs of actions, by their names: those of the runs that are loaded, and of the newest runs. */
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
  const keys = useUsageKeys();
  const actions = useActionOptions(runs);
  const nameOf = useActionName();
  const [draft, setDraft] = useState(filters);
  useEffect(() => setDraft(filters), [filters]);
  const change = (part: Filters): void => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(readFilters(draft));
  };
  const shownAction = draft.cid === undefined ? '' : (nameOf(draft.cid) ?? draft.cid);
  return (
    <form onSubmit={submit} aria-label="Filters">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="xs">
        <Select
          label="Usage key"
          placeholder="All"
          clearable
          searchable
          value={draft.key ?? null}
          onChange={(key) => change({ key: key ?? undefined })}
          data={(keys.data ?? []).map(({ usageKeyHash, name }) => {
            const value = toWord(usageKeyHash);
            return { value, label: name || `${value.slice(0, 10)}…` };
          })}
        />
        <Autocomplete
          label="Action"
          placeholder="All: name or CID"
          value={shownAction}
          onChange={(text) => change({ cid: actions.get(text) ?? text.trim() })}
          data={[...actions.keys()]}
        />
        <Select
          label="Status"
          placeholder="All"
          clearable
          value={draft.status ?? null}
          onChange={(status) => change({ status: status ?? undefined })}
          data={statuses.map((value) => ({ value, label: statusNames[value] }))}
        />
        <TextInput
          label="Error"
          placeholder="All"
          value={draft.error ?? ''}
          onChange={({ currentTarget }) => change({ error: currentTarget.value.trim() })}
        />
        <TextInput
          label="From"
          type="datetime-local"
          value={draft.from ?? ''}
          onChange={({ currentTarget }) => change({ from: currentTarget.value })}
        />
        <TextInput
          label="To"
          type="datetime-local"
          value={draft.to ?? ''}
          onChange={({ currentTarget }) => change({ to: currentTarget.value })}
        />
      </SimpleGrid>
      <Group mt="sm" gap="xs">
        <Button type="submit" variant="default">
          Apply
        </Button>
        {Object.keys(filters).length > 0 && (
          <Button variant="subtle" onClick={() => onChange({})}>
            Clear
          </Button>
        )}
      </Group>
    </form>
  );
}
