import type { Context } from 'ponder:registry';
import { groupActions, groups, groupWallets } from 'ponder:schema';
import { and, eq } from 'ponder';
import type { Address } from 'viem';
import { onChange } from './changes.ts';

type Group = { masterHash: bigint; groupId: bigint };

async function addMembers(
  db: Context['db'],
  group: Group,
  cidHashes: readonly bigint[],
  pkpIds: readonly Address[],
): Promise<void> {
  // The arguments may repeat a member.
  for (const actionHash of new Set(cidHashes)) {
    await db
      .insert(groupActions)
      .values({ ...group, actionHash })
      .onConflictDoNothing();
  }
  for (const wallet of new Set(pkpIds)) {
    await db
      .insert(groupWallets)
      .values({ ...group, wallet })
      .onConflictDoNothing();
  }
}

async function removeMembers(db: Context['db'], { masterHash, groupId }: Group): Promise<void> {
  for (const table of [groupActions, groupWallets]) {
    await db.sql.delete(table).where(and(eq(table.masterHash, masterHash), eq(table.groupId, groupId)));
  }
}

onChange('AccountConfig:GroupAdded', async ({ event, context }) => {
  const { masterApiKeyHash, groupId, name, description, cidHashes, pkpIds } = event.args;
  const group = { masterHash: masterApiKeyHash, groupId };
  await context.db.insert(groups).values({ ...group, name, description });
  await addMembers(context.db, group, cidHashes, pkpIds);
});

onChange('AccountConfig:GroupUpdated', async ({ event, context }) => {
  const { masterApiKeyHash, groupId, name, description, cidHashes, pkpIds } = event.args;
  const group = { masterHash: masterApiKeyHash, groupId };
  await context.db.update(groups, group).set({ name, description });
  await removeMembers(context.db, group);
  await addMembers(context.db, group, cidHashes, pkpIds);
});

onChange('AccountConfig:GroupMetadataUpdated', async ({ event, context }) => {
  const { masterApiKeyHash, groupId, name, description } = event.args;
  await context.db.update(groups, { masterHash: masterApiKeyHash, groupId }).set({ name, description });
});

onChange('AccountConfig:GroupRemoved', async ({ event, context }) => {
  const group = { masterHash: event.args.masterApiKeyHash, groupId: event.args.groupId };
  await context.db.delete(groups, group);
  await removeMembers(context.db, group);
});

onChange('AccountConfig:ActionAddedToGroup', async ({ event, context }) => {
  const { masterApiKeyHash, groupId, actionHash } = event.args;
  await addMembers(context.db, { masterHash: masterApiKeyHash, groupId }, [actionHash], []);
});

onChange('AccountConfig:ActionRemovedFromGroup', async ({ event, context }) => {
  const { masterApiKeyHash, groupId, actionHash } = event.args;
  await context.db.delete(groupActions, { masterHash: masterApiKeyHash, groupId, actionHash });
});

onChange('AccountConfig:PkpAddedToGroup', async ({ event, context }) => {
  const { masterApiKeyHash, groupId, pkpId } = event.args;
  await addMembers(context.db, { masterHash: masterApiKeyHash, groupId }, [], [pkpId]);
});

onChange('AccountConfig:PkpRemovedFromGroup', async ({ event, context }) => {
  const { masterApiKeyHash, groupId, pkpId } = event.args;
  await context.db.delete(groupWallets, { masterHash: masterApiKeyHash, groupId, wallet: pkpId });
});
