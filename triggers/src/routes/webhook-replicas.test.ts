import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { usageKey } from '../../test/fixtures.ts';
import { type Service, startService } from '../../test/service.ts';
import { runs } from '../db/schema.ts';

const secret = 'a secret of the sender';
const signed = (body: string) => ({
  'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

let replicas: Service[];
let token: string;
let id: string;
const changed = (fields: object, method = 'PATCH') =>
  replicas[0]?.ask(method, `/api/triggers/${id}`, token, fields);
/** Delivers to both replicas. Resolves to the statuses. */
const deliver = (headers = {}) =>
  Promise.all(
    replicas.map(async (replica) => (await replica.post(`/webhook/${id}`, { a: 1 }, headers)).status),
  );

beforeAll(async () => {
  const SEALING_KEYS = randomBytes(32).toString('base64');
  const first = await startService({ SEALING_KEYS });
  const DATABASE_URL = first.context.config.secrets.database.url;
  replicas = [first, await startService({ SEALING_KEYS, DATABASE_URL })];
  ({ token } = await first.newAgent());
});
afterAll(async () => {
  for (const replica of replicas.toReversed()) await replica.dispose();
});
beforeEach(async () => {
  const made = await replicas[0]?.ask('POST', '/api/triggers', token, {
    name: 'a trigger',
    kind: 'webhook',
    action_code: 'code',
    usage_api_key: usageKey,
    config: {},
  });
  id = made?.body.id;
  expect(await deliver()).toEqual([202, 202]);
});

test('a pause and its end apply to the next webhook of every replica', async () => {
  await changed({ enabled: false });
  expect(await deliver()).toEqual([410, 410]);
  await changed({ enabled: true });
  expect(await deliver()).toEqual([202, 202]);
  await changed({ enabled: false, hold_when_paused: true });
  expect(await deliver()).toEqual([202, 202]);
});

test('a deleted trigger returns 404 on every replica', async () => {
  await replicas[0]?.ask('DELETE', `/api/triggers/${id}`, token);
  expect(await deliver()).toEqual([404, 404]);
});

test('a changed kind returns 404 on every replica', async () => {
  await changed({ kind: 'schedule', config: { cron: '0 0 1 1 *' } });
  expect(await deliver()).toEqual([404, 404]);
});

test('a new verification refuses the next unsigned webhook of every replica, and its end accepts it', async () => {
  await changed({ config: { verification: { scheme: 'github', secret } } });
  expect(await deliver()).toEqual([401, 401]);
  expect(await deliver(signed('{"a":1}'))).toEqual([202, 202]);
  await changed({ config: {} });
  expect(await deliver()).toEqual([202, 202]);
});

test('a changed reply, limit and concurrency key apply to the next webhook of every replica', async () => {
  await changed({ config: { reply: { status: 299 } }, concurrency_key: 'event.a' });
  expect(await deliver()).toEqual([299, 299]);
  const stored = await replicas[0]?.db.select({ key: runs.concurrencyKey }).from(runs);
  expect(stored?.filter(({ key }) => key !== null)).toHaveLength(2);
  await changed({ max_runs_per_minute: 1 });
  expect(await deliver()).toEqual([429, 429]);
});
