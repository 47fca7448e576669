import { onchainTable } from 'ponder';

export const groups = onchainTable('groups', (t) => ({
  id: t.text().primaryKey(),
  masterHash: t.bigint().notNull(),
  name: t.text().notNull(),
}));
