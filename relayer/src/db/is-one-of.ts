import { type SQLWrapper, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** As an array, by which PostgreSQL finds the rows through their index, whatever it expects of their number, and executes `rows` once. */
export const isOneOf = (id: PgColumn, rows: SQLWrapper) => sql`${id} = any(array(${rows}))`;
