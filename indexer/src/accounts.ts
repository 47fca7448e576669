import type { Context } from 'ponder:registry';
import {
  accounts,
  actions,
  changes,
  groupActions,
  groups,
  groupWallets,
  names,
  usageKeys,
  wallets,
} from 'ponder:schema';
import { walletIdentity } from '@latchkey/protocol';
import { eq } from 'ponder';
import type { Address } from 'viem';
import { onChange } from './changes.ts';

type Db = Context['db'];

/** Makes the hash name this account, or none when `masterHash` is 0. */
async function name(db: Db, hash: bigint, masterHash: bigint): Promise<void> {
  await db.insert(names).values({ hash, masterHash }).onConflictDoUpdate({ masterHash });
}

/** Makes the wallet the admin of the account. Its identity then always names the account. */
async function choose(db: Db, masterHash: bigint, wallet: Address): Promise<void> {
  const identity = walletIdentity(wallet);
  if (identity === masterHash) await db.delete(names, { hash: identity });
  else await name(db, identity, masterHash);
  await db.update(accounts, { masterHash }).set({ adminWallet: wallet, managed: false });
}

/** Deletes an account with its contents and changes. Its names then name no account. */
async function end(db: Db, masterHash: bigint): Promise<void> {
  for (const table of [accounts, usageKeys, groups, groupActions, groupWallets, actions, wallets, changes])
    await db.sql.delete(table).where(eq(table.masterHash, masterHash));
  await db.sql.update(names).set({ masterHash: 0n }).where(eq(names.masterHash, masterHash));
}

onChange('AccountConfig:AccountCreated', async ({ event, context: { db } }) => {
  const { masterApiKeyHash, adminWalletAddress, managed, name, description } = event.args;
  await db.delete(names, { hash: masterApiKeyHash });
  await db.insert(accounts).values({
    masterHash: masterApiKeyHash,
    adminWallet: adminWalletAddress,
    managed,
    name,
    description,
  });
});

onChange('AccountConfig:AccountConvertedToChainSecured', async ({ event, context: { db } }) => {
  const { masterApiKeyHash, newAdminWalletAddress } = event.args;
  await choose(db, masterApiKeyHash, newAdminWalletAddress);
});

onChange('AccountConfig:AccountAccepted', async ({ event, context: { db } }) => {
  const { masterApiKeyHash, adminWalletAddress, namedByIdentity } = event.args;
  if (namedByIdentity) await choose(db, masterApiKeyHash, adminWalletAddress);
});

onChange('AccountConfig:ChainSecuredAccountOwnershipTransferred', async ({ event, context: { db } }) => {
  const { masterApiKeyHash: masterHash, newAdminWalletAddress: adminWallet } = event.args;
  await db.update(accounts, { masterHash }).set({ adminWallet });
});

onChange('AccountConfig:AccountTransferCancelled', async ({ event, context: { db } }) => {
  const { masterApiKeyHash: masterHash, newAdminWalletAddress: adminWallet } = event.args;
  await db.update(accounts, { masterHash }).set({ adminWallet });
});

onChange('AccountConfig:AccountKeyRotated', async ({ event, context: { db } }) => {
  const { masterApiKeyHash: masterHash, apiKeyHash, newApiKeyHash, newAdminWalletAddress } = event.args;
  await name(db, apiKeyHash, 0n);
  await name(db, newApiKeyHash, masterHash);
  await db.update(accounts, { masterHash }).set({ adminWallet: newAdminWalletAddress });
});

onChange('AccountConfig:AccountRetired', async ({ event, context: { db } }) => {
  await end(db, event.args.masterApiKeyHash);
});

onChange('AccountConfig:AccountEvicted', async ({ event, context: { db } }) => {
  await end(db, event.args.masterApiKeyHash);
});
