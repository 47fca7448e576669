/** Webhooks in the database of a test. */
import { randomUUID } from 'node:crypto';
import { createLogger } from '@latchkey/service/logger';
import { newSecret, type Post, type Posted } from '@latchkey/webhooks/post';
import { createSender, type SenderOptions } from '@latchkey/webhooks/sender';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../src/db/database.ts';
import { webhookDeliveries, webhookEndpoints } from '../src/db/schema.ts';
import { rootSecretsFrom } from '../src/keys/root-secrets.ts';
import { webhookTables } from '../src/webhooks/endpoints.ts';
import { eventTypeNames } from '../src/webhooks/event-types.ts';

const sealer = rootSecretsFrom(new Uint8Array(32).fill(1)).sealer('webhook-secret');
const silent = createLogger({ name: 'test', level: 'silent' });
/** The sealer of these endpoints, and a log. */
export const sending = { sealer, log: silent };

type Fields = Partial<typeof webhookEndpoints.$inferInsert>;

/** Adds an endpoint that wants all types. */
export async function addTestEndpoint(db: Database, account: string, fields: Fields = {}) {
  const [id, secret] = [randomUUID(), newSecret()];
  const url = 'https://example.com/';
  await db
    .insert(webhookEndpoints)
    .values({ id, account, url, types: eventTypeNames, secret: sealer.seal(secret, id), ...fields });
  return { id, secret };
}

export async function addDelivery(db: Database, endpointId: string, type = 'a type'): Promise<string> {
  const message = { type, timestamp: 'now', data: {} };
  const [row] = await db
    .insert(webhookDeliveries)
    .values({ endpointId, message })
    .returning({ id: webhookDeliveries.id });
  return row?.id ?? '';
}

export const makeDue = (db: Database) =>
  db.update(webhookDeliveries).set({ dueAt: sql`now()` }).where(sql`due_at < 'infinity'`);

/** Resolves to the messages queued for the account, the oldest first. */
export async function messagesTo(db: Database, account: string, type?: string) {
  const rows = await db
    .select({ message: webhookDeliveries.message })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(eq(webhookEndpoints.account, account))
    .orderBy(webhookDeliveries.createdAt);
  const messages = rows.map(({ message }) => message);
  return type === undefined ? messages : messages.filter((message) => message.type === type);
}

/** Makes the attempts that are due, as one process. Resolves to what was posted. */
export async function sendDue(
  db: Database,
  answer: Post = async () => 204,
  signal = new AbortController().signal,
  log: SenderOptions['log'] = silent,
): Promise<Posted[]> {
  const posted: Posted[] = [];
  const post: Post = (each, stop) => {
    posted.push(each);
    return answer(each, stop);
  };
  const sender = createSender({ db, tables: webhookTables, sealer, log, post }, signal);
  await sender.poll();
  await sender.idle();
  return posted;
}
