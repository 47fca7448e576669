import { startPostgresProxy } from '@latchkey/testing/message-proxies';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { addTrigger, addUser, clear, sealer } from '../../test/fixtures.ts';
import { startWebhookReplica } from '../../test/webhook-replica.ts';
import { runs } from '../db/schema.ts';
import { webhook } from '../sources/webhook.ts';

let database: OpenTestDatabase;
let replica: Awaited<ReturnType<typeof startWebhookReplica>>;
const resources = new AsyncDisposableStack();
let statements: string[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  resources.defer(() => database.dispose());
  const url = new URL(database.url);
  const proxy = await startPostgresProxy(Number(url.port), (label, moment) => {
    if (moment === 'sent') statements.push(label);
    return false;
  });
  resources.use(proxy);
  replica = await startWebhookReplica(Object.assign(url, { port: proxy.port }).href);
  resources.use(replica);
});
afterAll(() => resources.disposeAsync());
beforeEach(() => clear(database.db));

/** Adds a trigger that has had a delivery. */
async function addUsedTrigger(fields: Parameters<typeof addTrigger>[2] = {}): Promise<string> {
  const { id } = await addTrigger(database.db, await addUser(database.db), fields);
  await replica.deliver(id, '{}');
  statements = [];
  return id;
}

test('a webhook costs one statement, also a repeated and a refused one', async () => {
  const id = await addUsedTrigger({ maxRunsPerMinute: 2, config: { delivery_header: 'x-delivery' } });
  const headers = { 'X-Delivery': 'one' };
  for (const status of [202, 202]) {
    statements = [];
    expect(await replica.deliver(id, '{}', headers)).toBe(status);
    expect(statements).toHaveLength(1);
  }
  statements = [];
  expect(await replica.deliver(id, '{}')).toBe(429);
  expect(statements).toHaveLength(1);
});

test('a webhook whose signature is invalid costs one statement', async () => {
  const id = crypto.randomUUID();
  const config = await webhook.accept(
    { verification: { scheme: 'github', secret: 'a secret' } },
    { id },
    { sealer, rpcUrls: {} as never },
  );
  await addUsedTrigger({ id, config });
  expect(await replica.deliver(id, '{}')).toBe(401);
  expect(statements).toHaveLength(1);
});

test('concurrent webhooks of several triggers share statements', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => addUsedTrigger()));
  statements = [];
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, n) => replica.deliver(ids[n % 4] as string, `{"n":${n}}`)),
  );
  expect(replies).toEqual(Array(16).fill(202));
  expect(statements.length).toBeLessThan(16);
  expect(await database.db.$count(runs)).toBe(20);
});

test('first webhooks of concurrent triggers share their reads', async () => {
  const userId = await addUser(database.db);
  const triggers = await Promise.all(Array.from({ length: 16 }, () => addTrigger(database.db, userId)));
  statements = [];
  await Promise.all(triggers.map(({ id }) => replica.deliver(id, '{}')));
  expect(statements.length).toBeLessThan(32);
  expect(await database.db.$count(runs)).toBe(16);
});
