import { ponder } from 'ponder:registry';
import { apiPayers } from 'ponder:schema';

ponder.on('AccountConfig:ApiPayersSet', async ({ event, context }) => {
  await context.db.sql.delete(apiPayers);
  for (const payer of new Set(event.args.apiPayers)) {
    await context.db.insert(apiPayers).values({ payer });
  }
});
