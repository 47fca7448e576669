/** Lists of an account: several queries as one, tables and their pages, and names in a cell. */
import { Badge, Group, Pagination, Stack, Table, type TableTdProps, Text } from '@mantine/core';
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

/** A column of a `DataTable`. */
export type Column<Item> = {
  title: ReactNode;
  cell: (item: Item) => ReactNode;
  ta?: 'right';
  /** The cell is the heading of its row. */
  isRowHeading?: boolean;
  /** Of each cell below the title. */
  props?: TableTdProps;
};

/**
 * A table with a row per item. It scrolls when it is wider than the page, also with the keyboard. With `of`, which names the items, it shows
 * a page of them; without it all: the caller loads pages.
 */
export function DataTable<Item>({
  label,
  items,
  columns,
  rowKey,
  of,
  minWidth,
}: {
  label: string;
  items: readonly Item[];
  columns: readonly Column<Item>[];
  rowKey: (item: Item) => string | number;
  of?: string;
  /** Pixels. */
  minWidth: number;
}) {
  const table = (shown: readonly Item[]) => (
    // Relative, so that hidden text in a cell scrolls with the table and does not widen the page.
    <Table.ScrollContainer
      pos="relative"
      minWidth={minWidth}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <Table aria-label={label} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, ta }, i) => (
              <Table.Th key={i} ta={ta}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((item) => (
            <Table.Tr key={rowKey(item)}>
              {columns.map(({ cell, ta, isRowHeading, props }, i) =>
                isRowHeading ? (
                  <Table.Th key={i} scope="row" fw={400} ta={ta}>
                    {cell(item)}
                  </Table.Th>
                ) : (
                  <Table.Td key={i} ta={ta} {...props}>
                    {cell(item)}
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
  if (of === undefined) return table(items);
  return (
    <Paged items={items} of={of}>
      {table}
    </Paged>
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
