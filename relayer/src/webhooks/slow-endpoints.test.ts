/** A stranger whose many endpoints answer slowly, and the endpoint of another account. */
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { claimDeliveries } from '@latchkey/webhooks/deliveries';
import type { Post } from '@latchkey/webhooks/post';
import { listDeliveries } from '@latchkey/webhooks/routes';
import { createSender } from '@latchkey/webhooks/sender';
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addDelivery, addTestEndpoint, sending } from '../../test/webhooks.ts';
import { webhookDeliveries, webhookEndpoints } from '../db/schema.ts';
import { webhookTables } from './endpoints.ts';

const database = disposeAfterAll(await openTestDatabase());
beforeEach(() => database.db.delete(webhookEndpoints));

const SLOW = 'https://slow.example/';
const slowEndpoints = async (count: number) => {
  const endpoints = await Promise.all(
    Array.from({ length: count }, () => addTestEndpoint(database.db, '0x01', { url: SLOW })),
  );
  for (let i = 0; i < 8; i++) await Promise.all(endpoints.map(({ id }) => addDelivery(database.db, id)));
};

const waiting = async (endpointId: string) =>
  (await listDeliveries(database.db, webhookTables, endpointId, { status: 'waiting', page_size: 1_000 }))
    .length;

test('slow endpoints leave attempts to those of others while each of theirs hangs', async () => {
  const hung = Promise.withResolvers<number>();
  const started: string[] = [];
  const post: Post = ({ url }) => {
    started.push(url);
    return url === SLOW ? hung.promise : Promise.resolve(204);
  };
  await slowEndpoints(64);
  const sender = createSender(
    { db: database.db, tables: webhookTables, ...sending, post },
    new AbortController().signal,
  );
  await sender.poll();
  await expect.poll(() => started.length).toBe(256);
  const { id: own } = await addTestEndpoint(database.db, '0x02');
  for (let i = 0; i < 5; i++) await addDelivery(database.db, own);
  await sender.poll();
  await expect.poll(() => waiting(own)).toBe(0);
  expect(started.filter((url) => url === SLOW)).toHaveLength(256);
  hung.resolve(204);
  await sender.idle();
  expect(started).toHaveLength(64 * 8 + 5);
});

test('older deliveries of slow endpoints do not all go before the first one of another', async () => {
  await slowEndpoints(64);
  await database.db.update(webhookDeliveries).set({ dueAt: sql`now() - interval '1 hour'` });
  const { id: own } = await addTestEndpoint(database.db, '0x02');
  const id = await addDelivery(database.db, own);
  const claimed = await claimDeliveries(database.db, webhookTables, { busy: [], limit: 100, shared: 100 });
  expect(claimed).toHaveLength(100);
  expect(claimed.map((delivery) => delivery.id)).toContain(id);
});
