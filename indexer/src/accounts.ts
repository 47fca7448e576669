import { ponder } from 'ponder:registry';
import {
  accounts,
  actions,
  aliases,
  groupActions,
  groups,
  groupWallets,
  usageKeys,
  wallets,
} from 'ponder:schema';
import { walletIdentity } from '@latchkey/protocol';
import { eq } from 'ponder';

ponder.on('AccountConfig:AccountCreated', async ({ event, context }) => {
  const { masterApiKeyHash, adminWalletAddress, managed, name, description } = event.args;
  await context.db
    .insert(accounts)
    .values({ masterHash: masterApiKeyHash, adminWallet: adminWalletAddress, managed, name, description });
});

ponder.on('AccountConfig:AccountConvertedToChainSecured', async ({ event, context }) => {
  const { masterApiKeyHash, newAdminWalletAddress } = event.args;
  await context.db
    .update(accounts, { masterHash: masterApiKeyHash })
    .set({ adminWallet: newAdminWalletAddress, managed: false });
  await context.db
    .insert(aliases)
    .values({ hash: walletIdentity(newAdminWalletAddress), masterHash: masterApiKeyHash });
});

ponder.on('AccountConfig:ChainSecuredAccountOwnershipTransferred', async ({ event, context }) => {
  const { masterApiKeyHash, newAdminWalletAddress } = event.args;
  await context.db
    .update(accounts, { masterHash: masterApiKeyHash })
    .set({ adminWallet: newAdminWalletAddress });
  await context.db
    .insert(aliases)
    .values({ hash: walletIdentity(newAdminWalletAddress), masterHash: masterApiKeyHash });
});

ponder.on('AccountConfig:AccountEvicted', async ({ event, context }) => {
  for (const table of [accounts, aliases, usageKeys, groups, groupActions, groupWallets, actions, wallets]) {
    await context.db.sql.delete(table).where(eq(table.masterHash, event.args.masterApiKeyHash));
  }
});
