/** Tables of the sizes of inputs. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, uuid } from 'drizzle-orm/pg-core';
import { table } from './columns.schema.ts';

/** Changes of the sizes that `waiting_inputs` does not contain yet, added by the function `note_input` in their transactions. */
export const inputChanges = table('input_changes', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  userId: uuid('user_id').notNull(),
  /** Negative for runs that ended or were deleted. */
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
});

/** Size of the inputs of the runs of an account that have not ended, as JSON. */
export const waitingInputs = table(
  'waiting_inputs',
  {
    userId: uuid('user_id').primaryKey(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    /** True when they reach the limit of the service. */
    isFull: boolean('is_full').notNull().default(false),
  },
  (t) => [index('waiting_inputs_full').on(t.userId).where(sql`${t.isFull}`)],
);
