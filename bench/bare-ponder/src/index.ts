import { ponder } from 'ponder:registry';
import { groups } from 'ponder:schema';

ponder.on('AccountConfig:GroupAdded', async ({ event, context }) => {
  const { masterApiKeyHash, name } = event.args;
  await context.db.insert(groups).values({ id: event.id, masterHash: masterApiKeyHash, name });
});
