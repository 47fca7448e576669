import { inspect } from 'node:util';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { startWebhookReceiver } from '@latchkey/testing/webhook-receiver';
import { replayDeliveries } from '@latchkey/webhooks/deliveries';
import { createPost, type Post, WebhookError } from '@latchkey/webhooks/post';
import { deliveryRecord, listDeliveries } from '@latchkey/webhooks/routes';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addDelivery, addTestEndpoint, makeDue, sendDue } from '../../test/webhooks.ts';
import { webhookDeliveries, webhookEndpoints } from '../db/schema.ts';
import { webhookTables } from './endpoints.ts';

const { db } = disposeAfterAll(await openTestDatabase());
beforeEach(() => db.delete(webhookEndpoints));

const add = async (fields = {}) => (await addTestEndpoint(db, '0x01', fields)).id;
const list = (endpointId: string, query = {}) =>
  listDeliveries(db, webhookTables, endpointId, { page_size: 1_000, ...query });
const recordOf = async (endpointId: string) => (await list(endpointId))[0];
const endpoint = async (id: string) =>
  (await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id)))[0];
const refuse = (error = new WebhookError('the reply has the status 500', 500)) => Promise.reject(error);
/** Makes all that was stored older. */
const age = (hours: number) =>
  db.update(webhookDeliveries).set({
    createdAt: sql`created_at - make_interval(hours => ${hours})`,
    queuedAt: sql`queued_at - make_interval(hours => ${hours})`,
    dueAt: sql`due_at - make_interval(hours => ${hours})`,
  });
const ageFailing = (hours: number) =>
  db.update(webhookEndpoints).set({ failingSince: sql`failing_since - make_interval(hours => ${hours})` });

describe('a delivery', () => {
  test('is sent once, with the id of its row, and is kept', async () => {
    const endpointId = await add();
    const id = await addDelivery(db, endpointId);
    const message = { type: 'a type', timestamp: 'now', data: {} };
    expect(await sendDue(db)).toEqual([
      { id, url: 'https://example.com/', secret: expect.stringMatching(/^whsec_/), message },
    ]);
    expect(await sendDue(db)).toEqual([]);
    const found = await recordOf(endpointId);
    expect(deliveryRecord.parse(found)).toMatchObject({
      id,
      status: 'delivered',
      attempts: 1,
      response_status: 204,
      error: null,
      next_attempt_at: null,
    });
  });

  test('is sent again after it was refused, with the same id, until a day has passed', async () => {
    const endpointId = await add();
    const id = await addDelivery(db, endpointId);
    expect(await sendDue(db, () => refuse())).toHaveLength(1);
    expect(await sendDue(db, () => refuse())).toEqual([]);
    const refused = await recordOf(endpointId);
    expect(refused).toMatchObject({
      status: 'waiting',
      attempts: 1,
      response_status: 500,
      error: 'the reply has the status 500',
    });
    const delayMs = Date.parse(refused?.next_attempt_at ?? '') - Date.now();
    expect(delayMs).toBeGreaterThan(0);
    expect(delayMs).toBeLessThanOrEqual(5_000);
    await makeDue(db);
    expect((await sendDue(db, () => refuse())).map((sent) => sent.id)).toEqual([id]);
    await age(23);
    expect(await sendDue(db, () => refuse())).toHaveLength(1);
    expect(await recordOf(endpointId)).toMatchObject({ status: 'waiting', attempts: 3 });
    await age(1);
    await makeDue(db);
    await sendDue(db, () => refuse());
    expect(await recordOf(endpointId)).toMatchObject({
      status: 'failed',
      attempts: 4,
      next_attempt_at: null,
    });
  });

  test.each([
    [0, 5],
    [10, 30],
    [100, 300],
    [10_000, 3_600],
  ])('whose first attempt was %i s ago is sent again after at most %i s', async (ageSec, delaySec) => {
    const endpointId = await add();
    const ids = await Promise.all(Array.from({ length: 8 }, () => addDelivery(db, endpointId)));
    await db.update(webhookDeliveries).set({ queuedAt: sql`now() - make_interval(secs => ${ageSec})` });
    await sendDue(db, () => refuse());
    const { rows } = (await db.execute(
      sql`select extract(epoch from due_at - attempted_at)::float as delay from webhook_deliveries`,
    )) as unknown as { rows: { delay: number }[] };
    expect(rows).toHaveLength(ids.length);
    for (const { delay } of rows) {
      expect(delay).toBeGreaterThan(delaySec / 2 - 0.01);
      expect(delay).toBeLessThan(delaySec * 1.1 + 3);
    }
  });

  test('of an attempt that was interrupted is sent again when its lease expires', async () => {
    const endpointId = await add();
    await addDelivery(db, endpointId);
    const stop = new AbortController();
    const die: Post = async () => {
      stop.abort();
      throw new Error('shutdown');
    };
    await sendDue(db, die, stop.signal);
    expect(await sendDue(db)).toEqual([]);
    const leaseMs = Date.parse((await recordOf(endpointId))?.next_attempt_at ?? '') - Date.now();
    expect(leaseMs).toBeGreaterThan(20_000);
    await makeDue(db);
    expect(await sendDue(db)).toHaveLength(1);
  });

  test('keeps the result of a later attempt', async () => {
    const endpointId = await add();
    await addDelivery(db, endpointId);
    await sendDue(db, async () => {
      await db.update(webhookDeliveries).set({ attempt: sql`attempt + 1` });
      return 204;
    });
    expect(await recordOf(endpointId)).toMatchObject({ status: 'waiting', attempts: 2 });
    await makeDue(db);
    await sendDue(db, async () => {
      await db.update(webhookDeliveries).set({ attempt: sql`attempt + 1` });
      return refuse();
    });
    expect(await recordOf(endpointId)).toMatchObject({ status: 'waiting', error: null });
    expect((await endpoint(endpointId))?.failingSince).toBeNull();
  });

  test('whose secret no key opens is not sent, and its error says nothing about the service', async () => {
    const endpointId = await add({ secret: 'AAAA' });
    await addDelivery(db, endpointId);
    expect(await sendDue(db)).toEqual([]);
    expect(await recordOf(endpointId)).toMatchObject({
      status: 'waiting',
      error: 'the service failed to make the attempt',
    });
  });
});

describe('several relayers and endpoints', () => {
  test('make each attempt by one process', async () => {
    const endpoints = await Promise.all(Array.from({ length: 10 }, () => add()));
    for (const endpointId of endpoints) for (let i = 0; i < 20; i++) await addDelivery(db, endpointId);
    const answer: Post = async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      return 204;
    };
    const sent: { id: string }[] = [];
    for (let round = 0; round < 100 && sent.length < 200; round++)
      sent.push(...(await Promise.all(Array.from({ length: 5 }, () => sendDue(db, answer)))).flat());
    expect(sent).toHaveLength(200);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(200);
  });

  test('a long queue is sent at most 8 at a time, and one at a time while the endpoint fails', async () => {
    const endpointId = await add();
    for (let i = 0; i < 30; i++) await addDelivery(db, endpointId);
    const calm = await add();
    await addDelivery(db, calm);
    let inFlight = 0;
    let most = 0;
    const count =
      (fails: boolean): Post =>
      async () => {
        most = Math.max(most, ++inFlight);
        await new Promise((resolve) => setTimeout(resolve, 20));
        inFlight--;
        return fails ? refuse() : 204;
      };
    await db.update(webhookEndpoints).set({ failingSince: sql`now()` });
    expect(await sendDue(db, count(true))).toHaveLength(2);
    await db.update(webhookEndpoints).set({ failingSince: null });
    most = 0;
    expect(await sendDue(db, count(false))).toHaveLength(29);
    expect(most).toBeLessThanOrEqual(8);
  });

  test('a slow endpoint delays no other one', async () => {
    const [slow, fast] = [await add(), await add({ url: 'https://fast.example/' })];
    for (let i = 0; i < 8; i++) await addDelivery(db, slow);
    for (let i = 0; i < 20; i++) await addDelivery(db, fast);
    const { promise, resolve } = Promise.withResolvers<void>();
    let fastSent = 0;
    const answer: Post = async ({ url }) => {
      if (!url.includes('fast')) await promise;
      else if (++fastSent === 20) resolve();
      return 204;
    };
    expect(await sendDue(db, answer)).toHaveLength(28);
  });
});

describe('an endpoint', () => {
  test('that replies with 410 is disabled immediately, and keeps what waits', async () => {
    const endpointId = await add();
    await addDelivery(db, endpointId);
    await sendDue(db, () => refuse(new WebhookError('the reply has the status 410', 410)));
    expect(await endpoint(endpointId)).toMatchObject({
      isEnabled: false,
      disabledReason: 'the receiver replied with status 410',
    });
    expect(await recordOf(endpointId)).toMatchObject({ status: 'failed', response_status: 410 });
    await addDelivery(db, endpointId);
    expect(await sendDue(db)).toEqual([]);
    await db.update(webhookEndpoints).set({ isEnabled: true });
    expect(await sendDue(db)).toHaveLength(1);
  });

  test('without a success for a day is disabled', async () => {
    const endpointId = await add();
    await addDelivery(db, endpointId);
    await sendDue(db, () => refuse());
    await ageFailing(23);
    await makeDue(db);
    await sendDue(db, () => refuse());
    expect(await endpoint(endpointId)).toMatchObject({ isEnabled: true });
    await ageFailing(1);
    await makeDue(db);
    await sendDue(db, () => refuse());
    expect(await endpoint(endpointId)).toMatchObject({
      isEnabled: false,
      disabledReason: 'no delivery succeeded for 24 hours',
    });
  });

  test('that refuses one event and takes others stays enabled', async () => {
    const endpointId = await add();
    const poison = await addDelivery(db, endpointId, 'poison');
    const answer: Post = ({ id }) => (id === poison ? refuse() : Promise.resolve(204));
    await sendDue(db, answer);
    await ageFailing(25);
    await addDelivery(db, endpointId);
    await sendDue(db, answer);
    expect((await endpoint(endpointId))?.failingSince).toBeNull();
    await age(25);
    await sendDue(db, answer);
    expect(await list(endpointId, { status: 'failed' })).toMatchObject([{ id: poison }]);
    expect(await endpoint(endpointId)).toMatchObject({ isEnabled: true });
  });

  test('that its owner disabled gets nothing, and no reason', async () => {
    const endpointId = await add({ isEnabled: false });
    await addDelivery(db, endpointId);
    expect(await sendDue(db)).toEqual([]);
    expect((await endpoint(endpointId))?.disabledReason).toBeNull();
  });
});

describe('replay', () => {
  const fail = async (endpointId: string) => {
    const id = await addDelivery(db, endpointId);
    await db.update(webhookDeliveries).set({ dueAt: sql`'infinity'` }).where(eq(webhookDeliveries.id, id));
    return id;
  };

  test('sends a delivered event again with the same id, and retries it for another day', async () => {
    const endpointId = await add();
    const id = await addDelivery(db, endpointId);
    await sendDue(db);
    await age(25);
    expect(await replayDeliveries(db, webhookTables, endpointId, { id })).toBe(1);
    expect((await sendDue(db, () => refuse())).map((sent) => sent.id)).toEqual([id]);
    expect(await recordOf(endpointId)).toMatchObject({ status: 'waiting', attempts: 2, delivered_at: null });
  });

  test('sends an event that waits only once', async () => {
    const endpointId = await add();
    const id = await addDelivery(db, endpointId);
    const replays = () => replayDeliveries(db, webhookTables, endpointId, { id });
    expect(await replays()).toBe(0);
    await sendDue(db);
    const counts = await Promise.all(Array.from({ length: 8 }, replays));
    expect(counts.filter((count) => count === 1)).toHaveLength(1);
    expect(await sendDue(db)).toHaveLength(1);
  });

  test('sends what failed since a time', async () => {
    const endpointId = await add();
    const old = await fail(endpointId);
    await age(2);
    await addDelivery(db, endpointId);
    await sendDue(db);
    const failed = [await fail(endpointId), await fail(endpointId)];
    const failedSince = new Date(Date.now() - 3_600_000);
    const some = () => replayDeliveries(db, webhookTables, endpointId, { failedSince, limit: 1 });
    expect([await some(), await some(), await some()]).toEqual([1, 1, 0]);
    expect((await sendDue(db)).map(({ id }) => id).sort()).toEqual(failed.sort());
    expect(await list(endpointId, { status: 'failed' })).toMatchObject([{ id: old }]);
  });

  test('of another endpoint changes nothing', async () => {
    const [own, other] = [await add(), await add()];
    const id = await fail(own);
    expect(await replayDeliveries(db, webhookTables, other, { id })).toBe(0);
    expect(await replayDeliveries(db, webhookTables, other, { failedSince: new Date(0), limit: 9 })).toBe(0);
    expect(await recordOf(own)).toMatchObject({ status: 'failed' });
  });
});

test('a receiver gets what its secret verifies, from the row on', async () => {
  await using receiver = await startWebhookReceiver();
  const { id, secret } = await addTestEndpoint(db, '0x01', { url: receiver.url });
  const delivery = await addDelivery(db, id);
  const post = createPost({ allowedAddresses: [receiver.address] });
  await sendDue(db, post);
  expect(receiver.verified(secret)).toEqual([{ type: 'a type', timestamp: 'now', data: {} }]);
  expect(receiver.received[0]?.headers['webhook-id']).toBe(delivery);
});

test('no log has the secret, the URL or the body, whatever the result is', async () => {
  const { id, secret } = await addTestEndpoint(db, '0x01', { url: 'https://example.com/?token=hidden' });
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const log = { info: write, warn: write, error: write };
  const unknown: Post = () => Promise.reject(new Error('a fault of the service'));
  for (const answer of [async () => 204, () => refuse(), unknown]) {
    await addDelivery(db, id);
    await makeDue(db);
    await sendDue(db, answer, undefined, log as never);
  }
  expect(lines.length).toBeGreaterThan(2);
  const text = inspect(lines, { depth: null });
  const [stored] = await db.select().from(webhookEndpoints);
  for (const hidden of [secret, stored?.secret ?? '', 'hidden']) expect(text).not.toContain(hidden);
});

test('pages of the list have each delivery once', async () => {
  const endpointId = await add();
  const ids = [];
  for (let i = 0; i < 7; i++) ids.unshift(await addDelivery(db, endpointId));
  await db.update(webhookDeliveries).set({ createdAt: sql`date_trunc('minute', created_at)` });
  const pages = [];
  for (let before: string | undefined; ; before = pages.at(-1)) {
    const page = await list(endpointId, { page_size: 3, before });
    if (page.length === 0) break;
    pages.push(...page.map(({ id }) => id));
  }
  expect(pages.toSorted()).toEqual(ids.toSorted());
  const foreign = await addDelivery(db, await add());
  await expect(list(endpointId, { before: foreign })).rejects.toThrow('does not have this delivery');
});
