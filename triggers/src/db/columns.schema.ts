import { customType, pgSchema, timestamp } from 'drizzle-orm/pg-core';

export const triggersSchema = pgSchema('triggers');
export const table = triggersSchema.table;

export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
/** Text from outside. PostgreSQL cannot store NUL, so it is replaced by U+FFFD. */
export const foreignText = customType<{ data: string }>({
  dataType: () => 'text',
  toDriver: (value) => value.replaceAll('\0', '\ufffd'),
});
export const createdAt = () => instant('created_at').notNull().defaultNow();
