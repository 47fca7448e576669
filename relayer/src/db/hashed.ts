/** Conditions for indexes of a hash of several texts: eight bytes instead of two hundred. */
import { and, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

export type Compared = { value: SQL | PgColumn; wanted: string };

/** Compares the hash of the values, by the expression that the index has. */
export function hasHash(values: readonly Compared[]): SQL {
  const hashed = sql.join(
    values.map(({ value }) => sql`${value}`),
    sql` || `,
  );
  return sql`hashtextextended(${hashed}, 0) = hashtextextended(${values.map(({ wanted }) => wanted).join('')}, 0)`;
}

/**
 * Compares the values of which an index has the hash. PostgreSQL cannot look into a `case`: it takes half of the rows for equal, and so
 * prefers the index in the order of the list to sorting all rows of the hash.
 */
export const hasExactly = (values: readonly Compared[]) =>
  sql`case when ${and(...values.map(({ value, wanted }) => sql`${value} = ${wanted}`))} then true else false end`;
