import { createLogger } from '@latchkey/service/logger';
import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addUser, sealer } from '../../test/fixtures.ts';
import type { Database } from '../db/database.ts';
import { alertDeliveries, alertWebhooks } from '../db/schema.ts';
import { retryDelaySec } from './deliveries.ts';
import { AlertError, type Message } from './post.ts';
import { sendDueAlerts } from './sender.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.dispose());
beforeEach(() => db.delete(alertWebhooks));

async function addWebhook(): Promise<string> {
  const userId = await addUser(db);
  const secret = sealer.seal('whsec_', userId);
  await db.insert(alertWebhooks).values({ userId, url: 'https://example.com', secret, afterFailures: 1 });
  return userId;
}
const addAlert = async (userId: string, type = 'a type') => {
  const [row] = await db
    .insert(alertDeliveries)
    .values({ userId, alert: { type, timestamp: 'now', data: {} } })
    .returning();
  return row?.id ?? '';
};
const read = async (id: string) =>
  (await db.select().from(alertDeliveries).where(eq(alertDeliveries.id, id)))[0];
const makeDue = () => db.update(alertDeliveries).set({ dueAt: sql`now()` });
const refuse = () => Promise.reject(new AlertError('no'));

/** Sends the due alerts. Resolves to the messages. */
async function send(answer: (message: Message) => Promise<void> = async () => {}): Promise<Message[]> {
  const sent: Message[] = [];
  const postAlert = (message: Message) => {
    sent.push(message);
    return answer(message);
  };
  await sendDueAlerts({ db, sealer, log, postAlert });
  return sent;
}

test('a delivered alert is sent once, with the id of its row', async () => {
  const id = await addAlert(await addWebhook());
  const alert = { type: 'a type', timestamp: 'now', data: {} };
  expect(await send()).toEqual([{ id, url: 'https://example.com', secret: 'whsec_', alert }]);
  await makeDue();
  expect(await send()).toEqual([]);
  expect(await read(id)).toBeUndefined();
});

test('a refused alert is sent again after the delay, with the same id, for a day', async () => {
  const id = await addAlert(await addWebhook());
  expect(await send(refuse)).toHaveLength(1);
  expect(await send(refuse)).toEqual([]);
  const delayMs = ((await read(id))?.dueAt.getTime() ?? 0) - Date.now();
  expect(delayMs).toBeGreaterThan(500);
  expect(delayMs).toBeLessThanOrEqual(5_000);
  await makeDue();
  expect((await send(refuse)).map((message) => message.id)).toEqual([id]);
  const setAge = (hours: number) =>
    db
      .update(alertDeliveries)
      .set({ createdAt: sql`now() - make_interval(hours => ${hours})`, dueAt: sql`now()` });
  await setAge(23);
  await send(refuse);
  expect((await read(id))?.attempt).toBe(3);
  await setAge(24);
  await send(refuse);
  expect(await read(id)).toBeUndefined();
});

test('the delay grows fourfold per attempt, up to an hour', () => {
  for (const [attempt, sec] of [
    [1, 5],
    [2, 20],
    [3, 80],
    [6, 3_600],
    [30, 3_600],
  ] as const)
    for (let i = 0; i < 50; i++) {
      expect(retryDelaySec(attempt)).toBeGreaterThanOrEqual(sec / 2);
      expect(retryDelaySec(attempt)).toBeLessThanOrEqual(sec);
    }
});

test('several processes send each alert once', async () => {
  for (let i = 0; i < 40; i++) await addAlert(await addWebhook());
  const sent: Message[] = [];
  while ((await db.$count(alertDeliveries)) > 0)
    sent.push(...(await Promise.all(Array.from({ length: 5 }, () => send()))).flat());
  expect(sent).toHaveLength(40);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(40);
});

test('each account sends its oldest alert first, and one at a time', async () => {
  const [busy, calm] = [await addWebhook(), await addWebhook()];
  for (let i = 0; i < 30; i++) await addAlert(busy, String(i));
  await addAlert(calm, 'calm');
  expect((await send()).map(({ alert }) => alert.type)).toEqual(['0', 'calm']);
  expect((await send()).map(({ alert }) => alert.type)).toEqual(['1']);
});

test('an attempt that was interrupted is made again when its lease expires', async () => {
  const id = await addAlert(await addWebhook());
  const stop = new AbortController();
  const postAlert = async () => {
    stop.abort();
    throw new Error('shutdown');
  };
  await sendDueAlerts({ db, sealer, log, postAlert }, stop.signal);
  expect(await send()).toEqual([]);
  const dueMs = ((await read(id))?.dueAt.getTime() ?? 0) - Date.now();
  expect(dueMs).toBeGreaterThan(20_000);
  await makeDue();
  expect(await send()).toHaveLength(1);
});

test('a late result of an earlier attempt changes nothing', async () => {
  const id = await addAlert(await addWebhook());
  await send(async () => {
    await db.update(alertDeliveries).set({ attempt: sql`${alertDeliveries.attempt} + 1` });
  });
  expect(await read(id)).toMatchObject({ attempt: 2 });
});

test('a secret that no key opens delays the alert', async () => {
  const id = await addAlert(await addWebhook());
  await db.update(alertWebhooks).set({ secret: 'AAAA' });
  expect(await send()).toEqual([]);
  expect(await read(id)).toMatchObject({ attempt: 1 });
  expect(await db.select().from(alertDeliveries).orderBy(asc(alertDeliveries.id))).toHaveLength(1);
});
