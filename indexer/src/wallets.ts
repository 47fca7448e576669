import { groupWallets, wallets } from 'ponder:schema';
import { and, eq } from 'ponder';
import { onChange } from './changes.ts';

onChange('AccountConfig:WalletDerivationRegistered', async ({ event, context }) => {
  const { masterApiKeyHash, pkpId, derivationPath, name, description } = event.args;
  await context.db.insert(wallets).values({
    masterHash: masterApiKeyHash,
    wallet: pkpId,
    position: event.id,
    derivationPath,
    name,
    description,
  });
});

onChange('AccountConfig:WalletDerivationRemoved', async ({ event, context }) => {
  const { masterApiKeyHash, pkpId } = event.args;
  await context.db.delete(wallets, { masterHash: masterApiKeyHash, wallet: pkpId });
  await context.db.sql
    .delete(groupWallets)
    .where(and(eq(groupWallets.masterHash, masterApiKeyHash), eq(groupWallets.wallet, pkpId)));
});
