import { usageKeys } from 'ponder:schema';
import { eq } from 'ponder';
import { onChange } from './changes.ts';

/** Returns the ids ascending and without duplicates. A list with 0 grants all groups and becomes `[0]`. */
function normalize(groupIds: readonly bigint[]): bigint[] {
  if (groupIds.includes(0n)) return [0n];
  return [...new Set(groupIds)].sort((a, b) => (a < b ? -1 : 1));
}

onChange('AccountConfig:UsageApiKeySet', async ({ event, context }) => {
  const { masterApiKeyHash, usageApiKeyHash, expiration, balance, name, description, permissions } =
    event.args;
  const values = {
    name,
    description,
    expiration,
    balance,
    createGroups: permissions.createGroups,
    deleteGroups: permissions.deleteGroups,
    createPkps: permissions.createPKPs,
    manageIpfsIdsInGroups: normalize(permissions.manageIPFSIdsInGroups),
    addPkpToGroups: normalize(permissions.addPkpToGroups),
    removePkpFromGroups: normalize(permissions.removePkpFromGroups),
    executeInGroups: normalize(permissions.executeInGroups),
  };
  await context.db
    .insert(usageKeys)
    .values({ hash: usageApiKeyHash, masterHash: masterApiKeyHash, position: event.id, ...values })
    .onConflictDoUpdate(values);
});

onChange('AccountConfig:UsageApiKeyMetadataUpdated', async ({ event, context }) => {
  const { usageApiKeyHash, name, description } = event.args;
  await context.db.update(usageKeys, { hash: usageApiKeyHash }).set({ name, description });
});

onChange('AccountConfig:UsageApiKeyRemoved', async ({ event, context }) => {
  await context.db.delete(usageKeys, { hash: event.args.usageApiKeyHash });
});

onChange('AccountConfig:UsageApiKeyExpirationSet', async ({ event, context }) => {
  const { usageApiKeyHash, expiration } = event.args;
  await context.db.update(usageKeys, { hash: usageApiKeyHash }).set({ expiration });
});

onChange('AccountConfig:UsageApiKeyRotated', async ({ event, context: { db } }) => {
  const { usageApiKeyHash, newUsageApiKeyHash } = event.args;
  const key = await db.find(usageKeys, { hash: usageApiKeyHash });
  if (key === null) throw new Error('the log names an unknown usage key');
  await db.delete(usageKeys, { hash: usageApiKeyHash });
  await db.insert(usageKeys).values({ ...key, hash: newUsageApiKeyHash });
});

onChange('AccountConfig:AllUsageApiKeysRemoved', async ({ event, context: { db } }) => {
  await db.sql.delete(usageKeys).where(eq(usageKeys.masterHash, event.args.masterApiKeyHash));
});
