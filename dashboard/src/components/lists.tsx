/** Lists of an account: several queries as one, tables and their pages, and names in a cell. */
import {
  Badge,
  Button,
  Group,
  Pagination,
  type PaginationProps,
  Stack,
  Table,
  type TableProps,
  type TableTdProps,
  Text,
  UnstyledButton,
} from '@mantine/core';
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { ArrowDownIcon, ArrowUpIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../i18n.ts';
import { Loaded } from './page.tsx';
import { Dimmed } from './section.tsx';
import type { Sort } from './select-items.ts';

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

type Paging = { page: number; onPage: (page: number) => void };

/**
 * One page of the items, and the buttons for the others. Without `paging` it keeps the number of the page itself.
 */
export function Paged<Item>({
  items,
  pageSize = PAGE_SIZE,
  paging,
  children,
}: {
  items: readonly Item[];
  pageSize?: number;
  paging?: Paging | undefined;
  children: (shown: readonly Item[]) => ReactNode;
}) {
  const [own, setOwn] = useState(1);
  const { page: chosen, onPage: setPage } = paging ?? { page: own, onPage: setOwn };
  const total = Math.max(1, Math.ceil(items.length / pageSize));
  const page = Math.min(chosen, total);
  return (
    <Stack gap="sm">
      {children(items.slice((page - 1) * pageSize, page * pageSize))}
      {total > 1 && (
        <Group justify="space-between">
          <Dimmed>{t('{count, number} in total', { count: items.length })}</Dimmed>
          <Pages total={total} value={page} onChange={setPage} />
        </Group>
      )}
    </Stack>
  );
}

/** Links to items, a page of them at a time. */
export function Links<Item>({
  items,
  none,
  children,
}: {
  items: readonly Item[];
  /** Said when there are no items. */
  none: string;
  children: (item: Item) => ReactNode;
}) {
  if (items.length === 0) return <Dimmed>{none}</Dimmed>;
  return <Paged items={items}>{(shown) => <Group gap="xs">{shown.map(children)}</Group>}</Paged>;
}

export function Pages(props: PaginationProps) {
  return (
    <Pagination
      {...props}
      size="sm"
      getControlProps={(control) => ({
        'aria-label': t(
          '{control, select, first {First page} previous {Previous page} next {Next page} other {Last page}}',
          { control },
        ),
      })}
      getItemProps={(number) => ({ 'aria-label': t('Page {number}', { number }) })}
    />
  );
}

/** Props of cells with a name, which can be long and without a space. */
export const nameCell: TableTdProps = { maw: 280, miw: 120, style: { overflowWrap: 'anywhere' } };

/** A name in a list and a note, on one line. */
export function NameLine({ note, children }: { note?: string | undefined; children: ReactNode }) {
  return (
    <Text component="div" size="sm" truncate>
      {children}
      {note && (
        <Text span size="xs" c="dimmed" ml="xs" title={note}>
          {note}
        </Text>
      )}
    </Text>
  );
}

export type Column<Item> = {
  title: ReactNode;
  cell: (item: Item) => ReactNode;
  ta?: 'right';
  /** The cell is the heading of its row. */
  isRowHeading?: boolean;
  /** Props of each cell below the title. */
  props?: TableTdProps;
  /** A list can be sorted by the column. */
  sort?: Sort<Item>;
};

/** The order of a list: the id of a column, or no order. */
type Order = { by: string; isDescending: boolean; onChange: (id: string) => void };

/**
 * A table with a row per item. It scrolls when it is wider than the page, also with the keyboard. With `isPaged` it shows a page of
 * the items; without it all: the caller loads pages. With `order` it is a list: each item has one line, and the columns sort it.
 */
export function DataTable<Item>({
  label,
  items,
  columns,
  rowKey,
  isPaged,
  minWidth,
  order,
  paging,
}: {
  label: string;
  items: readonly Item[];
  columns: readonly Column<Item>[];
  rowKey: (item: Item) => string | number;
  isPaged?: boolean;
  /** Pixels. */
  minWidth: number;
  order?: Order;
  paging?: Paging;
}) {
  const table = (shown: readonly Item[]) => (
    <WideTable
      label={label}
      minWidth={minWidth}
      verticalSpacing={3}
      className={order ? 'data-table list' : 'data-table'}
    >
      <Table.Thead>
        <Table.Tr>
          {columns.map((column, i) => (
            <Title key={i} column={column} order={order} />
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
    </WideTable>
  );
  if (!isPaged) return table(items);
  return (
    <Paged items={items} paging={paging}>
      {table}
    </Paged>
  );
}

function Title<Item>({
  column: { title, ta, sort },
  order,
}: {
  column: Column<Item>;
  order: Order | undefined;
}) {
  if (!sort || !order) return <Table.Th ta={ta}>{title}</Table.Th>;
  const [id] = sort;
  const isSorted = order.by === id;
  const Arrow = order.isDescending ? ArrowDownIcon : ArrowUpIcon;
  return (
    <Table.Th ta={ta} aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : 'none'}>
      <UnstyledButton fw={700} fz="sm" onClick={() => order.onChange(id)}>
        {title} {isSorted && <Arrow size={14} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}

/** A table that scrolls when it is wider than the page. */
export function WideTable({ label, minWidth, ...props }: TableProps & { label: string; minWidth: number }) {
  return (
    // Relative, so that hidden text in a cell scrolls with the table and does not widen the page.
    <Table.ScrollContainer
      pos="relative"
      minWidth={minWidth}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <Table aria-label={label} {...props} />
    </Table.ScrollContainer>
  );
}

export function LoadMore({
  query,
  label = t('Load more'),
}: {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>;
  label?: string;
}) {
  if (!query.hasNextPage) return null;
  return (
    <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
      {label}
    </Button>
  );
}

/** A value of a cell with a note below it. */
export function WithNote({ children, note, ff }: { children: ReactNode; note: ReactNode; ff?: 'monospace' }) {
  return (
    <>
      {children}
      <Text size="xs" c="dimmed" lineClamp={2} ff={ff}>
        {note}
      </Text>
    </>
  );
}

const SHOWN_NAMES = 3;

/** The first names, and the number of the others. */
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
        <Badge key={i} variant="default" fw={500} miw={0} maw={180} title={name}>
          {name}
        </Badge>
      ))}
      {rest.length > 0 && (
        <Text span size="xs" c="dimmed" title={rest.join(', ')}>
          {t('+{count} more', { count: rest.length })}
        </Text>
      )}
    </Group>
  );
}
