/** Keeps alerts from a former owner of an account, who chose the URL. */
import { and, eq, sql } from 'drizzle-orm';
import { isHandedOver } from '../auth/authority.ts';
import type { Database } from '../db/database.ts';
import { alertWebhooks, users } from '../db/schema.ts';
import { type RelayerClient, RelayerUnavailableError } from '../relayer-client.ts';

type Options = { db: Database; relayer: Pick<RelayerClient, 'getAdmin'> };

/**
 * Resolves to true when the webhook gets its alerts. Disables it when another key or wallet owns the account since it was set. Alerts are sent while the
 * relayer does not answer, because an outage is one of their causes.
 */
export async function mayReceive({ db, relayer }: Options, userId: string): Promise<boolean> {
  const [webhook] = await db
    .select({ account: users.account, authority: alertWebhooks.authority })
    .from(alertWebhooks)
    .innerJoin(users, eq(users.id, alertWebhooks.id))
    .where(eq(alertWebhooks.id, userId));
  const { account = '', authority } = webhook ?? {};
  if (authority == null) return true;
  const isOver = await isHandedOver(relayer, { account, authority }).catch((error: unknown) => {
    if (error instanceof RelayerUnavailableError) return false;
    throw error;
  });
  if (!isOver) return true;
  await db
    .update(alertWebhooks)
    .set({
      isEnabled: false,
      disabledReason: 'the account has another key or admin wallet: check the URL and set it again',
      updatedAt: sql`clock_timestamp()`,
    })
    // Its new owner can have set it meanwhile.
    .where(and(eq(alertWebhooks.id, userId), eq(alertWebhooks.authority, authority)));
  return false;
}
