/** Lists of an account: several queries as one, pages of a long table, and names in a cell. */
import { Badge, Group, Pagination, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Loaded } from './page.tsx';

/** The content of several queries, once all have loaded. After failed refreshes the first error is above the content. */
export function LoadedAll<Data extends object>({
  queries,
  children,
}: {
  queries: { [name in keyof Data]: UseQueryResult<Data[name]> };
  children: (data: Data) => ReactNode;
}) {
  const entries = Object.entries<UseQueryResult<unknown>>(queries);
  const all = entries.map(([, query]) => query);
  const shown = all.find(({ data }) => data === undefined) ?? all.find(({ error }) => error) ?? all[0];
  return (
    <Loaded query={shown as UseQueryResult}>
      {() => children(Object.fromEntries(entries.map(([name, { data }]) => [name, data])) as Data)}
    </Loaded>
  );
}

const PAGE_SIZE = 25;

/** One page of the items, and the buttons for the others. `of` names the items, for example "usage keys". */
export function Paged<Item>({
  items,
  of,
  pageSize = PAGE_SIZE,
  children,
}: {
  items: readonly Item[];
  of: string;
  pageSize?: number;
  children: (shown: readonly Item[]) => ReactNode;
}) {
  const [chosen, setPage] = useState(1);
  const total = Math.max(1, Math.ceil(items.length / pageSize));
  const page = Math.min(chosen, total);
  return (
    <Stack gap="sm">
      {children(items.slice((page - 1) * pageSize, page * pageSize))}
      {total > 1 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {items.length.toLocaleString('en')} {of}
          </Text>
          <Pagination
            total={total}
            value={page}
            onChange={setPage}
            size="sm"
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          />
        </Group>
      )}
    </Stack>
  );
}

const SHOWN_NAMES = 3;

/** Some names, and how many more there are. */
export function Names({ names, none = '—' }: { names: readonly string[]; none?: string }) {
  if (names.length === 0)
    return (
      <Text span size="sm" c="dimmed">
        {none}
      </Text>
    );
  const rest = names.slice(SHOWN_NAMES);
  return (
    <Group gap={4}>
      {names.slice(0, SHOWN_NAMES).map((name, i) => (
        <Badge key={i} variant="default" tt="none" fw={500} maw={180} title={name}>
          {name}
        </Badge>
      ))}
      {rest.length > 0 && (
        <Text span size="xs" c="dimmed" title={rest.join(', ')}>
          +{rest.length} more
        </Text>
      )}
    </Group>
  );
}
