import { actions, groupActions } from 'ponder:schema';
import { and, eq } from 'ponder';
import { onChange } from './changes.ts';

onChange('AccountConfig:ActionAdded', async ({ event, context }) => {
  const { masterApiKeyHash, actionHash, name, description } = event.args;
  await context.db
    .insert(actions)
    .values({ masterHash: masterApiKeyHash, hash: actionHash, position: event.id, name, description });
});

onChange('AccountConfig:ActionMetadataUpdated', async ({ event, context }) => {
  const { masterApiKeyHash, actionHash, name, description } = event.args;
  await context.db
    .update(actions, { masterHash: masterApiKeyHash, hash: actionHash })
    .set({ name, description });
});

onChange('AccountConfig:ActionRemoved', async ({ event, context }) => {
  const { masterApiKeyHash, actionHash } = event.args;
  await context.db.delete(actions, { masterHash: masterApiKeyHash, hash: actionHash });
  await context.db.sql
    .delete(groupActions)
    .where(and(eq(groupActions.masterHash, masterApiKeyHash), eq(groupActions.actionHash, actionHash)));
});
