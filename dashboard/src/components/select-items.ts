/** Which items of a list are shown, and in which order. */
import { locale } from '../i18n.ts';

export type Option = { value: string; label: string };

export type Sort<Item> = readonly [id: string, value: (item: Item) => string | number | bigint];

/** Keeps the items of a choice. */
export type Filter<Item> = {
  /** Name of the search parameter. */
  name: string;
  label: string;
  options: Option[];
  matches: (item: Item, value: string) => boolean;
};

const names = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });

function compare(a: string | number | bigint, b: string | number | bigint): number {
  if (typeof a === 'string' && typeof b === 'string') return names.compare(a, b);
  return a < b ? -1 : Number(a > b);
}

/** Every word of the query is in one of the texts, in upper or lower case. */
export function matchesWords(texts: readonly (string | undefined)[], query: string): boolean {
  const text = texts.join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Reads an order: the id of a column, after a minus for the last one first. */
export const readOrder = (text: string): { by: string; isDescending: boolean } => ({
  by: text.replace(/^-/, ''),
  isDescending: text.startsWith('-'),
});

/** Returns the items that match. Ignores filters with a value that is not an option, and an unknown order. */
export function selectItems<Item>(
  items: readonly Item[],
  {
    query,
    texts,
    filters,
    values,
    order,
    sorts,
  }: {
    query: string;
    texts: (item: Item) => (string | undefined)[];
    filters: readonly Filter<Item>[];
    values: { [name: string]: string };
    order: string;
    sorts: readonly Sort<Item>[];
  },
): Item[] {
  const active = filters.flatMap(({ name, options, matches }) => {
    const value = values[name];
    return value !== undefined && options.some((option) => option.value === value)
      ? [{ matches, value }]
      : [];
  });
  const found = items.filter(
    (item) => matchesWords(texts(item), query) && active.every(({ matches, value }) => matches(item, value)),
  );
  const { by, isDescending } = readOrder(order);
  const keyOf = sorts.find(([id]) => id === by)?.[1];
  if (!keyOf) return found;
  const sign = isDescending ? -1 : 1;
  return found.sort((a, b) => sign * compare(keyOf(a), keyOf(b)));
}
