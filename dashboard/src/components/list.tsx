/** A list with a search, filters, an order and pages, all of which are in the URL. A page has one at most. */
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { SearchIcon } from 'lucide-react';
import { t } from '../i18n.ts';
import { text } from './form.tsx';
import { type Column, DataTable } from './lists.tsx';
import { Dimmed } from './section.tsx';
import { type Filter, type Option, readOrder, selectItems } from './select-items.ts';
import { useTyped, useUrlValues } from './url-values.ts';

/** Ascending, descending, and the order of the list itself. */
function nextOrder(order: string, id: string): string {
  const { by, isDescending } = readOrder(order);
  if (by !== id) return id;
  return isDescending ? '' : `-${id}`;
}

type ListProps<Item> = {
  label: string;
  items: readonly Item[];
  columns: readonly Column<Item>[];
  rowKey: (item: Item) => string | number;
  /** Pixels. */
  minWidth: number;
  /** Texts of an item in which the search looks. */
  texts: (item: Item) => (string | undefined)[];
  filters?: readonly Filter<Item>[];
};

export function List<Item>({ items, texts, filters = [], columns, ...table }: ListProps<Item>) {
  const names = filters.map(({ name }) => name);
  const [values, change] = useUrlValues(['q', 'sort', 'page', ...names]);
  const [query, setQuery] = useTyped(values.q ?? '', (q) => change({ q, page: '' }));
  const { sort: order = '', page } = values;
  const sorts = columns.flatMap(({ sort }) => (sort ? [sort] : []));
  const found = selectItems(items, { query, texts, filters, values, order, sorts });
  const clear = (): void => {
    setQuery('');
    change({ q: '', page: '', ...Object.fromEntries(names.map((name) => [name, ''])) });
  };
  return (
    <Stack gap="sm">
      <Group align="end" gap="sm">
        <TextInput
          type="search"
          aria-label={t('Search in “{label}”', { label: table.label })}
          placeholder={t('Search')}
          leftSection={<SearchIcon size={16} aria-hidden />}
          {...text(query, setQuery)}
        />
        {filters.map(({ name, ...filter }) => (
          <FilterSelect
            key={name}
            {...filter}
            value={values[name]}
            onChange={(value) => change({ [name]: value, page: '' })}
          />
        ))}
        {found.length === 0 && (
          <Button variant="default" onClick={clear}>
            {t('Clear the search')}
          </Button>
        )}
      </Group>
      <div role="status">
        {found.length < items.length && (
          <Dimmed>
            {t('Found: {found, number} of {all, number}', { found: found.length, all: items.length })}
          </Dimmed>
        )}
      </div>
      {found.length > 0 && (
        <DataTable
          {...table}
          items={found}
          isPaged
          columns={columns}
          order={{ ...readOrder(order), onChange: (id) => change({ sort: nextOrder(order, id), page: '' }) }}
          paging={{
            page: Math.max(1, Math.trunc(Number(page)) || 1),
            onPage: (next) => change({ page: next === 1 ? '' : String(next) }),
          }}
        />
      )}
    </Stack>
  );
}

function FilterSelect({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: Option[];
  value: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={options}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Clear the filter “{label}”', { label }) }}
      comboboxProps={{ position: 'bottom' }}
    />
  );
}
