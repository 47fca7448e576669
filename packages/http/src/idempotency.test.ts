import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startService } from '../test/harness.ts';

const service = await startService();
afterAll(() => service.close());
afterEach(() => {
  service.context.effects.length = 0;
  service.context.gate = Promise.resolve();
  service.context.credit = 1_000;
});

const group = { group_name: 'g', cid_hashes_permitted: [] };
let keys = 0;
const newKey = () => `key ${keys++}`;
const add = (key: string, body: unknown = group, apiKey = 'ann') =>
  service.post('/core/v1/add_group', body, { 'x-api-key': apiKey, 'idempotency-key': key });

describe('the same key', () => {
  test('with the same body returns the first reply again, with its headers, and has one effect', async () => {
    const key = newKey();
    const first = await add(key);
    const second = await add(key);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers['x-block-number']).toBe('1');
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(service.context.effects).toEqual(['g']);
  });

  test('with the same fields in another order is the same request', async () => {
    const key = newKey();
    await add(key);
    const again = await add(key, '{"cid_hashes_permitted":[],  "group_name":"g"}');
    expect([again.status, service.context.effects]).toEqual([200, ['g']]);
  });

  test('with another body returns 409', async () => {
    const key = newKey();
    await add(key);
    const other = await add(key, { ...group, group_name: 'h' });
    expect(other.status).toBe(409);
    expect(other.json).toMatchObject({ error: 'conflict', request_id: other.headers['x-request-id'] });
    expect(service.context.effects).toEqual(['g']);
  });

  test('is independent per caller and per path', async () => {
    const key = newKey();
    await add(key);
    expect((await add(key, group, 'bob')).json).toMatchObject({ by: 'bob' });
    const headers = { 'idempotency-key': key };
    await service.post('/core/v1/new_account', {}, headers);
    await service.post('/core/v1/new_account', {}, headers);
    expect(service.context.effects).toEqual(['g', 'g', 'account']);
  });

  test('accepts 255 characters', async () => {
    expect((await add('k'.repeat(255))).status).toBe(200);
  });

  test('without authentication reveals nothing', async () => {
    const key = newKey();
    await add(key);
    expect((await add(key, group, 'eve')).status).toBe(401);
  });
});

describe('an outcome', () => {
  test('403 is stored', async () => {
    const key = newKey();
    const first = await add(key, { ...group, group_name: 'forbidden' });
    const second = await add(key, { ...group, group_name: 'forbidden' });
    const { request_id: _, ...error } = first.json as { request_id: string };
    expect(second).toMatchObject({ status: 403, json: error });
  });

  test('an error reply carries the id of the current request', async () => {
    const key = newKey();
    for (let attempt = 0; attempt < 2; attempt++) {
      const reply = await add(key, { ...group, group_name: 'forbidden' });
      expect(reply.json).toMatchObject({ request_id: reply.headers['x-request-id'] });
    }
  });

  test('500 is not stored', async () => {
    const key = newKey();
    const before = service.store.size();
    expect((await add(key, { ...group, group_name: 'fails' })).status).toBe(500);
    expect(service.store.size()).toBe(before);
    expect((await add(key, { ...group, group_name: 'fails' })).status).toBe(500);
    expect(service.context.effects).toEqual(['fails', 'fails']);
  });

  test('402 is not stored: the retry with credit runs', async () => {
    const key = newKey();
    service.context.credit = 0;
    expect((await add(key)).status).toBe(402);
    service.context.credit = 1;
    expect((await add(key)).status).toBe(200);
  });

  test('429 is not stored', async () => {
    const headers = { 'idempotency-key': newKey() };
    await service.post('/core/v1/things/429/fail', {}, headers);
    await service.post('/core/v1/things/429/fail', {}, headers);
    expect(service.context.effects).toEqual(['429', '429']);
  });

  test('a refusal with Retry-After is not stored', async () => {
    const headers = { 'idempotency-key': newKey() };
    const path = '/core/v1/things/409r/fail';
    expect(await service.post(path, {}, headers)).toMatchObject({
      status: 409,
      headers: { 'retry-after': '5' },
    });
    await service.post(path, {}, headers);
    expect(service.context.effects).toEqual(['409r', '409r']);
  });
});

describe('concurrent duplicates', () => {
  test('have one effect and one reply', async () => {
    const key = newKey();
    const { promise, resolve } = Promise.withResolvers<void>();
    service.context.gate = promise;
    const pending = Array.from({ length: 10 }, () => add(key));
    const other = await add(newKey(), { ...group, group_name: 'forbidden' });
    expect(other.status).toBe(403);
    resolve();
    const replies = await Promise.all(pending);
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(200);
    expect(service.context.effects).toEqual(['g']);
  });

  test('beyond twenty that wait return 429, and have the reply once there is one', async () => {
    const key = newKey();
    const { promise, resolve } = Promise.withResolvers<void>();
    service.context.gate = promise;
    const replies = Array.from({ length: 23 }, () => add(key));
    const refused = await Promise.race(replies);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    resolve();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(21).fill(200), 429, 429]);
    expect((await add(key)).status).toBe(200);
    expect(service.context.effects).toEqual(['g']);
  });

  test('with another body return 409 immediately', async () => {
    const key = newKey();
    const { promise, resolve } = Promise.withResolvers<void>();
    service.context.gate = promise;
    const before = service.store.size();
    const held = add(key);
    await expect.poll(() => service.store.size()).toBe(before + 1);
    expect((await add(key, { ...group, group_name: 'h' })).status).toBe(409);
    expect(service.store.size()).toBe(before + 1);
    resolve();
    expect((await held).status).toBe(200);
  });
});
