/** Pagination of lists with large items. */
import { queryInteger } from '@latchkey/http';
import { z } from 'zod';

const PAGE_CHARACTERS = 4 * 1024 * 1024;
/** Rows per query: bounds the memory that a page uses beside its items. */
const ROWS_AT_ONCE = 16;

export const pageQuery = (defaultLimit: number) => ({
  limit: queryInteger(1, 1_000, defaultLimit).meta({
    description: 'Maximum number of items. A page with more than 4 MiB of items ends earlier.',
  }),
  offset: queryInteger(0, 1_000_000_000, 0),
});

export const nextOffset = z
  .int()
  .optional()
  .meta({ description: 'Offset of the next page. Absent on the last page.' });

/**
 * Reads at most `limit` items from `offset`, and stops after about 4 MiB of JSON.
 *
 * @param ids Reads the ids of the page, in order. The rows are too large to read them together.
 * @param rows Reads the rows of some ids, in any order. Rows deleted in the meantime are skipped.
 */
export async function readPage<Row extends { id: string }, Item>(
  { limit, offset }: { limit: number; offset: number },
  {
    ids,
    rows,
    toItem,
  }: {
    ids: (limit: number, offset: number) => Promise<{ id: string }[]>;
    rows: (ids: string[]) => Promise<Row[]>;
    toItem: (row: Row) => Item;
  },
): Promise<{ items: Item[]; next_offset?: number }> {
  const found = (await ids(limit + 1, offset)).map(({ id }) => id);
  const wanted = found.slice(0, limit);
  const items: Item[] = [];
  let [read, characters] = [0, 0];
  while (read < wanted.length && characters < PAGE_CHARACTERS) {
    const some = wanted.slice(read, read + ROWS_AT_ONCE);
    const byId = new Map((await rows(some)).map((row) => [row.id, row]));
    for (const id of some) {
      if (characters >= PAGE_CHARACTERS) break;
      read++;
      const row = byId.get(id);
      if (!row) continue;
      const item = toItem(row);
      characters += JSON.stringify(item).length;
      items.push(item);
    }
  }
  return { items, ...(read < found.length && { next_offset: offset + read }) };
}
