import { randomBytes, randomUUID } from 'node:crypto';
import { apiKeyHash } from '@latchkey/protocol';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { eq, sql } from 'drizzle-orm';
import { numberToHex } from 'viem';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Reply, startService } from '../../../test/service.ts';
import { revisions, runs, triggers } from '../../db/schema.ts';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const newKey = () => randomBytes(32).toString('base64');
const usageKey = newKey();
const otherKey = newKey();
const hashOf = (key: string) => numberToHex(apiKeyHash(key), { size: 32 });
const webhook = { name: 'hook', kind: 'webhook', action_code: 'code', usage_api_key: usageKey };
const schedule = { ...webhook, name: 'tick', kind: 'schedule', config: { cron: '*/5 * * * *' } };

let token: string;
let userId: string;
const chain = disposeAfterAll(await startChain());
const service = disposeAfterAll(await startService({ SERVICE_RPC_URL: chain.url }));
beforeEach(async () => {
  service.relayer.behave = () => ({ kind: 'run' });
  ({ token, userId } = await service.newAgent());
});

const ask = (method: string, path: string, body?: unknown, as = token) => service.ask(method, path, as, body);
async function create(fields: object = {}): Promise<Reply['body']> {
  const { status, body } = await ask('POST', '/api/triggers', { ...webhook, ...fields });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}
const readRow = async (id: string) => {
  const [row] = await service.context.db.select().from(triggers).where(eq(triggers.id, id));
  return row as typeof triggers.$inferSelect;
};

describe('POST /api/triggers', () => {
  test('200: a webhook with its URL and the limits of the service', async () => {
    const { id, created_at, updated_at, ...rest } = await create({ default_params: { a: '\0' } });
    expect(rest).toEqual({
      name: 'hook',
      kind: 'webhook',
      action_code: 'code',
      action_cid: null,
      usage_key_hash: hashOf(usageKey),
      default_params: { a: '\0' },
      max_runs_per_minute: 60,
      max_queued_runs: 100,
      max_concurrent_runs: 12,
      throttle_per_minute: null,
      concurrency_key: null,
      debounce_seconds: null,
      hold_when_paused: false,
      pause_after_failures: null,
      config: expect.anything(),
      enabled: true,
      consecutive_failures: 0,
      paused_reason: null,
      filter_error: null,
      held: null,
      webhook_url: `${service.url}/webhook/${id}`,
      warnings: [],
    });
    for (const moment of [created_at, updated_at])
      expect(Date.now() - Date.parse(moment)).toBeLessThan(60_000);
    expect((await readRow(id)).userId).toBe(userId);
  });

  test('200: a schedule with its next runs', async () => {
    const { id, next_runs } = await create(schedule);
    expect(next_runs).toHaveLength(5);
    expect((await readRow(id)).nextSlotAt?.toISOString()).toBe(next_runs[0]);
  });

  test.each(['chain_event', 'chain-event'])('200: %s with a CID', async (kind) => {
    const config = {
      chain: 'service',
      contract_address: `0x${'11'.repeat(20)}`,
      event_signature: 'Transfer(address,address,uint256)',
    };
    const made = await create({ kind, config, action_code: undefined, action_cid: cid, enabled: false });
    expect(made).toMatchObject({ kind: 'chain_event', action_code: null, action_cid: cid, enabled: false });
  });

  test('stores the usage key sealed for the trigger, and never returns it', async () => {
    const made = await create();
    const { usageApiKey } = await readRow(made.id);
    expect(usageApiKey).not.toContain(usageKey);
    expect(service.context.sealer.openText(usageApiKey, made.id)).toBe(usageKey);
    for (const path of ['/api/triggers', `/api/triggers/${made.id}`]) {
      const text = JSON.stringify((await ask('GET', path)).body);
      expect(text).not.toContain(usageKey);
      expect(text).not.toContain(usageApiKey);
      expect(text.replaceAll('usage_key_hash', '')).not.toMatch(/usage/i);
    }
  });

  test('400: an account key', async () => {
    const key = newKey();
    service.relayer.accountKeys.add(key);
    const { status, body } = await ask('POST', '/api/triggers', { ...webhook, usage_api_key: key });
    expect([status, body.error]).toEqual([400, 'bad_request']);
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test.each([
    [{ usage_api_key: 'my own key' }, 400],
    [{ action_code: undefined, action_cid: 'Qm' }, 400],
    [{ action_code: 'a\0' }, 400],
    [{ max_queued_runs: 0 }, 400],
    [{ max_runs_per_minute: 1_000_001 }, 400],
    [{ kind: 'schedule' }, 422],
    [{ kind: 'schedule', config: { cron: '* * * * * *' } }, 400],
    [{ kind: 'chain_event', config: {} }, 422],
    [{ kind: 'mail' }, 422],
    [{ kind: undefined }, 422],
    [{ config: [] }, 422],
    [{ config: 'x' }, 422],
    [{ config: { unknown: 1 } }, 422],
    [{ kind: 'schedule', config: null }, 422],
    [{ name: 5 }, 422],
    [{ usage_api_key: undefined }, 422],
    [{ action_code: undefined }, 422],
    [{ action_cid: cid }, 422],
    [{ default_params: [] }, 422],
    [{ max_concurrent_runs: '1' }, 422],
    [{ pause_after_failures: 0 }, 400],
    [{ pause_after_failures: 1_001 }, 400],
    [{ pause_after_failures: '3' }, 422],
  ])('%j returns %i', async (fields, status) => {
    const reply = await ask('POST', '/api/triggers', { ...webhook, ...fields });
    expect([reply.status, reply.body.request_id]).toEqual([status, expect.any(String)]);
  });

  test('accepts a usage key in any format', async () => {
    const reply = await ask('POST', '/api/triggers', { ...webhook, usage_api_key: 'my-own-key!' });
    expect(reply.status).toBe(200);
  });

  test('413: more than 1 MiB', async () => {
    const withCode = (length: number) =>
      ask('POST', '/api/triggers', { ...webhook, action_code: 'x'.repeat(length) });
    expect((await withCode(1024 * 1024 - 1024)).status).toBe(200);
    expect((await withCode(1024 * 1024)).status).toBe(413);
  });

  test('409: the maximum number of triggers, also under concurrency', async () => {
    const small = await startService({ MAX_TRIGGERS_PER_ACCOUNT: '3' });
    try {
      const [one, other] = [await small.newAgent(), await small.newAgent()];
      const create = (as: string) => small.ask('POST', '/api/triggers', as, webhook);
      const replies = await Promise.all(Array.from({ length: 8 }, () => create(one.token)));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409, 409, 409]);
      expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
        error: 'conflict',
        message: 'The account has 3 triggers, which is the maximum.',
        fix: 'Delete a trigger: DELETE /api/triggers/:id.',
      });
      expect((await create(other.token)).status).toBe(200);
      const [{ body }] = replies.filter(({ status }) => status === 200) as [Reply];
      expect((await small.ask('DELETE', `/api/triggers/${body.id}`, one.token)).status).toBe(200);
      expect((await create(one.token)).status).toBe(200);
    } finally {
      await small.dispose();
    }
  });
});

test('503: the relayer does not answer', async () => {
  const lonely = await startService({ RELAYER_URLS: 'http://127.0.0.1:9' });
  try {
    const agent = await lonely.newAgent();
    expect((await lonely.ask('POST', '/api/triggers', agent.token, webhook)).status).toBe(503);
  } finally {
    await lonely.dispose();
  }
});

test('GET /api/triggers: own triggers, newest first, in pages', async () => {
  const ids = [(await create()).id, (await create()).id, (await create()).id].reverse();
  const list = async (query = '') =>
    (await ask('GET', `/api/triggers${query}`)).body.triggers.map(({ id }: { id: string }) => id);
  expect(await list()).toEqual(ids);
  expect(await list('?limit=1&offset=1')).toEqual([ids[1]]);
  expect((await ask('GET', '/api/triggers?limit=2')).body.next_offset).toBe(2);
  expect((await ask('GET', '/api/triggers?limit=2&offset=1')).body.next_offset).toBeUndefined();
  expect((await ask('GET', '/api/triggers?limit=0')).status).toBe(400);
  const stranger = await service.newAgent();
  expect((await ask('GET', '/api/triggers', undefined, stranger.token)).body).toEqual({ triggers: [] });
});

describe('unknown triggers return 404, malformed ids 400', () => {
  test.each([
    ['GET', '', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['DELETE', '', undefined],
    ['POST', '/test', {}],
    ['GET', '/runs', undefined],
    ['POST', '/replay', { status: 'failed' }],
  ])('%s /api/triggers/:id%s', async (method, path, body) => {
    const unknown = await ask(method, `/api/triggers/${randomUUID()}${path}`, body);
    expect(unknown).toMatchObject({ status: 404, body: { message: 'Trigger not found.' } });
    expect((await ask(method, `/api/triggers/none${path}`, body)).status).toBe(400);
  });
});

test('a usage key that cannot be decrypted has no hash, and hides no trigger', async () => {
  const { id } = await create();
  const sealed = createSealer([sealingKey(Buffer.alloc(32))]).seal(usageKey, id);
  await service.context.db.update(triggers).set({ usageApiKey: sealed }).where(eq(triggers.id, id));
  const shown = { id, usage_key_hash: null };
  expect((await ask('GET', `/api/triggers/${id}`)).body).toMatchObject(shown);
  expect((await ask('GET', '/api/triggers')).body.triggers).toMatchObject([shown]);
});

describe('PATCH /api/triggers/:id', () => {
  test('changes only the given fields', async () => {
    const made = await create({ default_params: { a: 1 } });
    const { body } = await ask('PATCH', `/api/triggers/${made.id}`, { name: 'new', max_queued_runs: 3 });
    expect(body).toEqual({ ...made, name: 'new', max_queued_runs: 3, updated_at: expect.any(String) });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(made.updated_at as string));
    expect((await readRow(made.id)).revision).toBe(1);
    const { warnings: _, ...stored } = body;
    expect((await ask('GET', `/api/triggers/${made.id}`)).body).toEqual(stored);
  });

  test.each([
    [{ action_cid: cid }, { action_cid: cid, action_code: null }],
    [{ action_code: 'other' }, { action_code: 'other', action_cid: null }],
    [{ default_params: { b: 2 } }, { default_params: { b: 2 } }],
    [{ usage_api_key: otherKey }, { usage_key_hash: hashOf(otherKey) }],
  ])('%j increases the revision', async (change, shown) => {
    const made = await create();
    const { body } = await ask('PATCH', `/api/triggers/${made.id}`, change);
    expect(body).toEqual({ ...made, ...shown, updated_at: expect.any(String) });
    const row = await readRow(made.id);
    expect(row.revision).toBe(2);
    const key = 'usage_api_key' in change ? change.usage_api_key : usageKey;
    expect(service.context.sealer.openText(row.usageApiKey, made.id)).toBe(key);
  });

  test('429: the hundred-and-first revision within an hour, and nothing changes', async () => {
    const { id } = await create();
    const revise = (n: number) => ask('PATCH', `/api/triggers/${id}`, { default_params: { n } });
    for (let n = 1; n <= 100; n++) expect((await revise(n)).status).toBe(200);
    expect((await revise(101)).status).toBe(429);
    expect(await readRow(id)).toMatchObject({ revision: 101, defaultParams: { n: 100 } });
    expect((await ask('PATCH', `/api/triggers/${id}`, { name: 'other' })).status).toBe(200);
    await service.context.db.delete(revisions).where(eq(revisions.triggerId, id));
    expect((await revise(101)).status).toBe(200);
  });

  test('a schedule keeps its slot until its config changes or it is enabled', async () => {
    const { id } = await create(schedule);
    const missed = new Date(0);
    const { db } = service.context;
    const retryAt = new Date('2100-01-01');
    const setBack = () => db.update(triggers).set({ nextSlotAt: missed, retryAt }).where(eq(triggers.id, id));
    const patch = (change: object) => ask('PATCH', `/api/triggers/${id}`, change);
    // Paused, so that the scheduler leaves the slot alone.
    await patch({ enabled: false });
    await setBack();
    for (const change of [{ name: 'x' }, { enabled: false }, { max_queued_runs: 7 }]) {
      expect((await patch(change)).status).toBe(200);
      // A refused slot is retried immediately.
      expect(await readRow(id)).toMatchObject({ nextSlotAt: missed, retryAt: null });
    }
    await patch({ enabled: true });
    expect((await readRow(id)).nextSlotAt?.getTime()).toBeGreaterThan(Date.now() - 1_000);
    await patch({ enabled: false });
    await setBack();
    // The slot is also a slot of the new schedule, so it still fires.
    await patch({ config: { cron: '*/10 * * * *' } });
    expect((await readRow(id)).nextSlotAt).toEqual(missed);
    expect((await patch({ config: { cron: '1 1 1 1 *' } })).body.config.cron).toBe('1 1 1 1 *');
    expect((await readRow(id)).nextSlotAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test('sets how runs wait, and resets it with null', async () => {
    const { id } = await create();
    const waits = {
      throttle_per_minute: 5,
      concurrency_key: 'event.id',
      debounce_seconds: 2,
      hold_when_paused: true,
    };
    const patch = async (change: object) => (await ask('PATCH', `/api/triggers/${id}`, change)).body;
    expect(await patch(waits)).toMatchObject(waits);
    expect(await patch({ name: 'y' })).toMatchObject(waits);
    for (const concurrency_key of [{ path: 'event.id', scope: 'account' }, { value: '0x1f' }])
      expect(await patch({ concurrency_key })).toMatchObject({ concurrency_key });
    const ofTrigger = { path: 'event.id', scope: 'trigger' };
    expect(await patch({ concurrency_key: ofTrigger })).toMatchObject({ concurrency_key: 'event.id' });
    const none = { throttle_per_minute: null, concurrency_key: null, debounce_seconds: null };
    expect(await patch({ ...none, hold_when_paused: false })).toMatchObject({
      ...none,
      hold_when_paused: false,
    });
  });

  test.each([
    { throttle_per_minute: 0 },
    { debounce_seconds: 3_601 },
    { concurrency_key: 'a..b' },
    { concurrency_key: '' },
    { concurrency_key: { path: '.account.event', scope: 'account' } },
    { concurrency_key: { value: 'a\0b' } },
    { default_params: { text: 'x'.repeat(256 * 1024) } },
  ])('400: a value out of range, case %#', async (change) => {
    const { id } = await create();
    expect((await ask('PATCH', `/api/triggers/${id}`, change)).status).toBe(400);
  });

  test('enabling resets the failures in a row', async () => {
    const { id } = await create({ pause_after_failures: 3 });
    const paused = { enabled: false, pausedReason: 'why', consecutiveFailures: 3, alertedAt: new Date() };
    await service.context.db.update(triggers).set(paused).where(eq(triggers.id, id));
    const { body: renamed } = await ask('PATCH', `/api/triggers/${id}`, { name: 'new' });
    expect(renamed).toMatchObject({ pause_after_failures: 3, consecutive_failures: 3, paused_reason: 'why' });
    const { body } = await ask('PATCH', `/api/triggers/${id}`, { enabled: true, pause_after_failures: null });
    expect(body).toMatchObject({ pause_after_failures: null, consecutive_failures: 0, paused_reason: null });
    expect((await readRow(id)).alertedAt).toBeNull();
  });

  test('a change of kind requires a valid config', async () => {
    const { id } = await create();
    expect((await ask('PATCH', `/api/triggers/${id}`, { kind: 'schedule' })).status).toBe(422);
    const { body } = await ask('PATCH', `/api/triggers/${id}`, {
      kind: 'schedule',
      config: schedule.config,
    });
    expect(body).toMatchObject({ kind: 'schedule', next_runs: expect.any(Array) });
    expect(body.webhook_url).toBeUndefined();
    await ask('PATCH', `/api/triggers/${id}`, { kind: 'webhook' });
    expect((await readRow(id)).nextSlotAt).toBeNull();
  });

  test('returns 400 for an account key, 422 for two actions', async () => {
    const { id } = await create();
    const key = newKey();
    service.relayer.accountKeys.add(key);
    expect((await ask('PATCH', `/api/triggers/${id}`, { usage_api_key: key })).status).toBe(400);
    expect((await ask('PATCH', `/api/triggers/${id}`, { action_code: 'a', action_cid: cid })).status).toBe(
      422,
    );
    expect((await readRow(id)).revision).toBe(1);
  });
});

test('DELETE /api/triggers/:id deletes the runs too', async () => {
  const { id } = await create();
  await ask('POST', `/api/triggers/${id}/test`);
  expect((await ask('DELETE', `/api/triggers/${id}`)).body).toEqual({ success: true });
  expect((await ask('GET', `/api/triggers/${id}`)).status).toBe(404);
  expect(await service.context.db.$count(runs, eq(runs.triggerId, id))).toBe(0);
});

test('DELETE /api/triggers/:id and a claim of its runs do not wait for each other, in whatever order rows are deleted', async () => {
  const { db } = service.context;
  await db.execute(sql`
    alter table triggers.runs drop constraint runs_trigger_id_triggers_id_fk,
      add constraint runs_trigger_id_triggers_id_fk foreign key (trigger_id) references triggers.triggers (id) on delete cascade`);
  const { id } = await create();
  const over = Promise.withResolvers<void>();
  onTestFinished(() => over.resolve());
  service.relayer.behave = () => ({ kind: 'hang', until: over.promise });
  service.relayer.requests.length = 0;
  await ask('POST', `/api/triggers/${id}/test`);
  await until('the run is claimed', async () => service.relayer.requests.length > 0);
  const deletion = await db.transaction(async (claim) => {
    await claim.execute(sql`select from triggers.queue_users where user_id = ${userId} for no key update`);
    await claim.execute(sql`update triggers.runs set claim = claim + 1 where trigger_id = ${id}`);
    const deleting = ask('DELETE', `/api/triggers/${id}`);
    const waits = sql`select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`;
    await until('the deletion waits', async () => {
      const { rows } = (await db.execute(waits)) as unknown as { rows: unknown[] };
      return rows.length > 0;
    });
    await claim.execute(sql`update triggers.queue_triggers set served_at = now() where trigger_id = ${id}`);
    return { deleting };
  });
  expect(await deletion.deleting).toMatchObject({ status: 200 });
});

describe('POST /api/triggers/:id/test', () => {
  test('202: runs the action immediately with the input', async () => {
    const { id } = await create({ default_params: { a: 1, b: 1 } });
    service.relayer.requests.length = 0;
    const { status, body } = await ask('POST', `/api/triggers/${id}/test`, { input: { b: 2 } });
    expect([status, body]).toEqual([202, { run_id: expect.any(String), status: 'queued', matches: true }]);
    await until('the action runs', async () => service.relayer.requests.length === 1);
    expect(service.relayer.requests[0]?.body.js_params).toEqual({
      a: 1,
      b: 2,
      source: 'webhook',
      test: true,
    });
    expect(service.relayer.requests[0]?.key).toBe(usageKey);
  });

  test('409: the trigger is paused', async () => {
    const { id } = await create({ enabled: false });
    expect((await ask('POST', `/api/triggers/${id}/test`)).status).toBe(409);
  });

  test('429: the limit per minute is reached', async () => {
    const { id } = await create({ max_runs_per_minute: 1 });
    await ask('POST', `/api/triggers/${id}/test`);
    const { status, headers } = await ask('POST', `/api/triggers/${id}/test`);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});
