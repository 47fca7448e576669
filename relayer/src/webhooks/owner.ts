/** Keeps events from a former owner of an account, who chose the URL. */
import { hashStateOf, walletIdentity } from '@latchkey/protocol';
import { and, eq, sql } from 'drizzle-orm';
import type { AccountConfig } from '../chain/account-config.ts';
import type { AccountHeads } from '../db/account-heads.ts';
import type { Database } from '../db/database.ts';
import { webhookEndpoints } from '../db/schema.ts';

export type ReceiverOptions = {
  db: Database;
  accountConfig: Pick<AccountConfig, 'read'>;
  accountHeads: Pick<AccountHeads, 'get'>;
};

/**
 * Resolves to true when the key or wallet that set the webhook last owns the account. Disables the webhook when another one does, by a
 * rotation of the account key, a conversion or an accepted transfer.
 */
export async function mayReceive(options: ReceiverOptions, endpointId: string): Promise<boolean> {
  const { db } = options;
  const isEndpoint = eq(webhookEndpoints.id, endpointId);
  const { account, ownerHash } = webhookEndpoints;
  // A webhook of an earlier version has no owner hash: its account can have the key or wallet that opened it.
  const owner = sql<string>`coalesce(${ownerHash}, ${account})`;
  const [endpoint] = await db.select({ account, owner }).from(webhookEndpoints).where(isEndpoint);
  if (!endpoint) return false;
  if (await isOwner(options, endpoint)) return true;
  await db
    .update(webhookEndpoints)
    .set({
      isEnabled: false,
      disabledReason: 'the account has another key or admin wallet: check the URL and enable it again',
      updatedAt: sql`clock_timestamp()`,
    })
    // Its new owner can have set it meanwhile.
    .where(and(isEndpoint, eq(owner, endpoint.owner)));
  return false;
}

async function isOwner(
  { accountConfig, accountHeads }: ReceiverOptions,
  { account, owner }: { account: string; owner: string },
): Promise<boolean> {
  const minBlock = await accountHeads.get(BigInt(account));
  const found = await accountConfig.read('accountState', [BigInt(owner)], minBlock);
  const state = hashStateOf(found.state);
  // A retired account has no other owner.
  if (state === 'ended') return true;
  if (state !== 'account' || found.masterApiKeyHash !== BigInt(account)) return false;
  const { managed, accepted, adminWalletAddress, giver } = found;
  // The identity of a former admin wallet still names the account. Until a transfer is accepted, its giver can take the account back.
  return managed || walletIdentity(accepted ? adminWalletAddress : giver) === BigInt(owner);
}
