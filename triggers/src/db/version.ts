import { sql } from 'drizzle-orm';
import { triggers } from './schema.ts';

/** Every update makes `updated_at` later by at least a millisecond, the precision of a Date, so that it identifies the version. */
export const laterVersion = sql`date_trunc('milliseconds', greatest(clock_timestamp(), ${triggers.updatedAt} + interval '1 ms'))`;
