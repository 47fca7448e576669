import { randomUUID } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { usageKey } from '../../test/fixtures.ts';
import { startService } from '../../test/service.ts';
import { removeExpired } from '../auth/expired.ts';
import { idempotency, runs, triggers } from '../db/schema.ts';

const hook = { name: 'hook', kind: 'webhook', action_code: 'code', usage_api_key: usageKey };

let token: string;
const service = disposeAfterAll(await startService());
beforeEach(async () => {
  ({ token } = await service.newAgent());
});

/** Sends a POST with an Idempotency-Key. */
async function post(path: string, body: object, key: string, as = token) {
  const headers = { Authorization: `Bearer ${as}`, 'Idempotency-Key': key };
  const reply = await service.post(path, body, headers);
  return { status: reply.status, body: (await reply.json()) as Record<string, string> };
}
const create = async () => (await post('/api/triggers', hook, randomUUID())).body.id ?? '';
/** Removes the records, as if each process had stopped between the effect and the record of its reply. */
const forget = () => service.db.delete(idempotency);

/** Each write that has an effect: its path and body, and the number of its effects so far. */
const writes: [
  string,
  (id: string) => Promise<{ path: string; body: object; count: () => Promise<number> }>,
][] = [
  [
    'POST /api/triggers',
    async () => {
      const { userId, token: own } = await service.newAgent();
      token = own;
      return {
        path: '/api/triggers',
        body: hook,
        count: () => service.db.$count(triggers, eq(triggers.userId, userId)),
      };
    },
  ],
  [
    'POST /api/triggers/:id/test',
    async (id) => ({
      path: `/api/triggers/${id}/test`,
      body: { input: { n: 1 } },
      count: () => service.db.$count(runs, eq(runs.triggerId, id)),
    }),
  ],
  [
    'POST /api/runs/:id/replay',
    async (id) => {
      const { body } = await post(`/api/triggers/${id}/test`, {}, randomUUID());
      const origin = body.run_id ?? '';
      return {
        path: `/api/runs/${origin}/replay`,
        body: {},
        count: () => service.db.$count(runs, eq(runs.replayOf, origin)),
      };
    },
  ],
];

describe.each(writes)('%s', (_name, prepare) => {
  test('has one effect and one reply per key, also concurrently', async () => {
    const { path, body, count } = await prepare(await create());
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 5 }, () => post(path, body, key)));
    expect(await count()).toBe(1);
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    expect(replies[0]?.status).toBeLessThan(300);
    const other = await post(path, body, randomUUID());
    expect(other.body).not.toEqual(replies[0]?.body);
    expect(await count()).toBe(2);
  });

  test('has one effect when the process stopped before it stored the reply', async () => {
    const { path, body, count } = await prepare(await create());
    const key = randomUUID();
    const first = await post(path, body, key);
    await forget();
    expect(await post(path, body, key)).toEqual(first);
    expect(await count()).toBe(1);
  });
});

test('returns 409 for another body with the same key, and creates another trigger once the record is gone', async () => {
  const key = randomUUID();
  const first = await post('/api/triggers', hook, key);
  const other = { ...hook, name: 'other' };
  expect(await post('/api/triggers', other, key)).toMatchObject({ status: 409, body: { error: 'conflict' } });
  await forget();
  const second = await post('/api/triggers', other, key);
  expect([second.status, second.body.name]).toEqual([200, 'other']);
  expect(second.body.id).not.toBe(first.body.id);
});

test('the keys of two users are independent', async () => {
  const key = randomUUID();
  const mine = await post('/api/triggers', hook, key);
  const theirs = await post('/api/triggers', hook, key, (await service.newAgent()).token);
  expect(theirs.status).toBe(200);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test('POST /agent/pair returns the first reply again, and requires a random key', async () => {
  const body = { token_hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' };
  const key = randomUUID();
  expect(await post('/agent/pair', body, key)).toEqual(await post('/agent/pair', body, key));
  expect((await post('/agent/pair', body, 'first')).status).toBe(400);
});

test('a webhook ignores the header, as POST /api/login does; every other POST accepts it', async () => {
  const id = await create();
  const [one, two] = [await post(`/webhook/${id}`, {}, 'key'), await post(`/webhook/${id}`, { n: 2 }, 'key')];
  expect([one.status, two.status]).toEqual([202, 202]);
  expect(one.body.run_id).not.toBe(two.body.run_id);
  const { paths } = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { parameters: { name: string }[] }>>;
  };
  const accepting = Object.entries(paths).filter(([, { post }]) =>
    post?.parameters.some(({ name }) => name === 'Idempotency-Key'),
  );
  const posts = Object.entries(paths).filter(([, { post }]) => post);
  expect(accepting.map(([path]) => path)).toEqual(
    posts.map(([path]) => path).filter((path) => !path.startsWith('/webhook') && path !== '/api/login'),
  );
});

test('replies are sealed, and deleted after more than 24 hours', async () => {
  await forget();
  await create();
  const rows = await service.db.select().from(idempotency);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('hook');
  const age = (hours: number) =>
    service.db.update(idempotency).set({ createdAt: sql`now() - make_interval(hours => ${hours}::int)` });
  await age(24);
  await removeExpired(service.db);
  expect(await service.db.$count(idempotency)).toBe(1);
  await age(26);
  await removeExpired(service.db);
  expect(await service.db.$count(idempotency)).toBe(0);
});
