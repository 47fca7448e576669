import { randomBytes, randomUUID } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { RUN_ID } from '../../../test/relayer-stand-in.ts';
import { startService } from '../../../test/service.ts';
import { hashToken } from '../../auth/secrets.ts';
import { agentTokens, runs, triggers } from '../../db/schema.ts';

const error = { name: 'TypeError', message: 'no', stack: 'TypeError: no\n    at main' };

let token: string;
let trigger: string;
const service = disposeAfterAll(await startService());
beforeEach(async () => {
  service.relayer.behave = ({ body }) => ({
    kind: 'run',
    reply: body.js_params?.fails
      ? { response: null, logs: 'before', has_error: true, error }
      : { response: { n: body.js_params?.n }, logs: 'log', has_error: false },
  });
  ({ token } = await service.newAgent());
  const { body } = await service.ask('POST', '/api/triggers', token, {
    name: 'hook',
    kind: 'webhook',
    action_code: 'code',
    usage_api_key: randomBytes(32).toString('base64'),
  });
  trigger = body.id;
});

const ask = (method: string, path: string, body?: unknown, as = token) => service.ask(method, path, as, body);
/** Runs the trigger with this input. Resolves to the id when the run has ended. */
async function run(input: object): Promise<string> {
  const { body } = await ask('POST', `/api/triggers/${trigger}/test`, { input });
  await waitForEnd(body.run_id);
  return body.run_id;
}
const waitForEnd = (id: string) =>
  until('the run ends', async () => {
    const { body } = await ask('GET', `/api/runs/${id}`);
    return body.finished_at !== null && body;
  });
const list = async (query = '') => (await ask('GET', `/api/triggers/${trigger}/runs${query}`)).body.runs;

describe('GET /api/runs/:id', () => {
  test('200: a success', async () => {
    const id = await run({ n: 1 });
    const { body } = await ask('GET', `/api/runs/${id}`);
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({
      id,
      trigger_id: trigger,
      trigger_name: 'hook',
      status: 'success',
      input: { n: 1, source: 'webhook', test: true },
      response: { n: 1 },
      error: null,
      cost_micros: 10_000,
      attempt: 1,
      approval_id: null,
      revision: 1,
      cid: 'QmOfTheCode',
      relayer_run_id: RUN_ID,
      duration_ms: 5,
      scheduled_for: null,
      started_at: moment,
      finished_at: moment,
      created_at: moment,
      replay_of: null,
      retracted_at: null,
      logs: 'log',
      attempts: [{ number: 1, started_at: moment, finished_at: moment, http_status: 200, message: 'ran' }],
    });
  });

  test('200: a failed run with its stack', async () => {
    const { body } = await ask('GET', `/api/runs/${await run({ fails: true })}`);
    expect(body).toMatchObject({ status: 'failed', error, response: null, logs: 'before' });
  });
});

test.each([
  ['GET', ''],
  ['POST', '/replay'],
  ['POST', '/stop'],
])('%s /api/runs/:id%s of an unknown run returns 404', async (method, path) => {
  const body = method === 'POST' ? {} : undefined;
  expect((await ask(method, `/api/runs/${randomUUID()}${path}`, body)).status).toBe(404);
});

test('GET /api/triggers/:id/runs: newest first, in pages, by status', async () => {
  const ids = [await run({ n: 1 }), await run({ fails: true }), await run({ n: 3 })].reverse();
  const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
  expect(idsOf(await list())).toEqual(ids);
  expect(idsOf(await list('?limit=1&offset=1'))).toEqual([ids[1]]);
  expect(idsOf(await list('?status=failed'))).toEqual([ids[1]]);
  expect(idsOf(await list('?status=success'))).toEqual([ids[0], ids[2]]);
  const { attempts: _, logs: __, ...record } = (await ask('GET', `/api/runs/${ids[0]}`)).body;
  expect((await list())[0]).toEqual(record);
  for (const [query, status] of [
    ['?limit=1001', 400],
    ['?offset=-1', 400],
    ['?status=lost', 422],
  ])
    expect((await ask('GET', `/api/triggers/${trigger}/runs${query}`)).status).toBe(status);
});

test('GET /api/triggers/:id/runs: a page of large runs ends early with next_offset', async () => {
  const { db } = service.context;
  const [{ userId } = { userId: '' }] = await db.select().from(triggers).where(eq(triggers.id, trigger));
  const input = { text: 'x'.repeat(1024 * 1024) };
  const times = Array.from({ length: 9 }, (_, n) => new Date(Date.UTC(2026, 0, 1) - n));
  const made = await db
    .insert(runs)
    .values(
      times.map((createdAt, n) => ({
        triggerId: trigger,
        userId,
        number: 9 - n,
        input,
        status: 'failed' as const,
        createdAt,
      })),
    )
    .returning({ id: runs.id });
  const pages: string[][] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { body } = await ask('GET', `/api/triggers/${trigger}/runs?limit=7&offset=${offset}`);
    pages.push(body.runs.map(({ id }: { id: string }) => id));
    offset = body.next_offset;
  }
  expect(pages.map(({ length }) => length)).toEqual([4, 4, 1]);
  expect(pages.flat()).toEqual(made.map(({ id }) => id));
});

describe('POST /api/runs/:id/replay', () => {
  test('202: a new run with the same input and a new idempotency key', async () => {
    const id = await run({ fails: true });
    service.relayer.requests.length = 0;
    service.relayer.behave = () => ({ kind: 'run' });
    const { status, body } = await ask('POST', `/api/runs/${id}/replay`);
    expect([status, body]).toEqual([202, { run_id: expect.any(String), status: 'queued' }]);
    const replayed = await waitForEnd(body.run_id);
    const original = (await ask('GET', `/api/runs/${id}`)).body;
    expect(replayed).toMatchObject({ status: 'success', replay_of: id, input: original.input });
    expect(original.status).toBe('failed');
    const keys = await service.context.db.select().from(runs).where(eq(runs.triggerId, trigger));
    expect(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  test('202: a new run with another input', async () => {
    const id = await run({ n: 1 });
    const { body } = await ask('POST', `/api/runs/${id}/replay`, { input: { n: 2 } });
    expect(await waitForEnd(body.run_id)).toMatchObject({ replay_of: id, input: { n: 2 } });
    expect((await ask('POST', `/api/runs/${id}/replay`, { input: [] })).status).toBe(422);
  });

  test('409: the trigger is paused', async () => {
    const id = await run({});
    await ask('PATCH', `/api/triggers/${trigger}`, { enabled: false });
    expect((await ask('POST', `/api/runs/${id}/replay`)).status).toBe(409);
  });
});

describe('POST /api/triggers/:id/replay', () => {
  test('202: counts the runs and replays each once', async () => {
    const failed = [await run({ fails: true }), await run({ fails: true })];
    await run({ n: 1 });
    const replay = () => ask('POST', `/api/triggers/${trigger}/replay`, { status: 'failed' });
    service.relayer.behave = () => ({ kind: 'run' });
    expect(await replay()).toMatchObject({ status: 202, body: { replayed: 2, remaining: 0 } });
    expect((await replay()).body).toEqual({ replayed: 0, remaining: 0 });
    await until('the replays end', async () => (await list('?status=success')).length === 3);
    const origins = (await list()).map(({ replay_of }: { replay_of: string | null }) => replay_of);
    expect(origins.filter(Boolean).sort()).toEqual(failed.sort());
  });

  test('202: a time range of both statuses', async () => {
    const [first, second] = [await run({ n: 1 }), await run({ fails: true })];
    await run({ n: 3 });
    const { created_at: from } = (await ask('GET', `/api/runs/${first}`)).body;
    const { created_at: last } = (await ask('GET', `/api/runs/${second}`)).body;
    // Times on the wire are whole milliseconds.
    const to = new Date(Date.parse(last) + 1).toISOString();
    const { body } = await ask('POST', `/api/triggers/${trigger}/replay`, { from, to });
    expect(body).toEqual({ replayed: 2, remaining: 0 });
  });

  test.each([
    [{}, 422],
    [{ status: 'queued' }, 422],
    [{ from: 'yesterday' }, 400],
    [{ from: 5 }, 422],
  ])('%j returns %i', async (body, status) => {
    expect((await ask('POST', `/api/triggers/${trigger}/replay`, body)).status).toBe(status);
  });
});

describe('POST /api/runs/:id/stop', () => {
  test('200: a queued run is not executed', async () => {
    await ask('PATCH', `/api/triggers/${trigger}`, { hold_when_paused: true });
    const requests = service.relayer.requests.length;
    const [found] = await service.db.select().from(triggers).where(eq(triggers.id, trigger));
    const later = new Date(Date.now() + 3_600_000);
    const [queued] = await service.db
      .insert(runs)
      .values({ triggerId: trigger, userId: found?.userId ?? '', number: 1, input: {}, dueAt: later })
      .returning();
    const { status, body } = await ask('POST', `/api/runs/${queued?.id}/stop`, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'failed',
      error: { name: 'StoppedError', message: 'the run was stopped before it began' },
      attempt: 0,
      cost_micros: null,
      finished_at: expect.any(String),
    });
    expect(service.relayer.requests.length).toBe(requests);
  });

  test('200: a run that has ended stays as it is', async () => {
    const id = await run({ n: 3 });
    const { body: ended } = await ask('GET', `/api/runs/${id}`);
    const { body } = await ask('POST', `/api/runs/${id}/stop`, {});
    expect(ended).toMatchObject(body);
    expect(body.status).toBe('success');
  });
});

describe('GET /api/runs/:id as a stream', () => {
  const stream = (id: string, by = token) =>
    fetch(`${service.url}/api/runs/${id}`, {
      headers: { Authorization: `Bearer ${by}`, Accept: 'text/event-stream' },
    });

  test('of a run that has ended has its logs and the run', async () => {
    const id = await run({ n: 5 });
    const { body } = await ask('GET', `/api/runs/${id}`);
    const result = JSON.stringify({ status: 200, headers: {}, body });
    expect(await (await stream(id)).text()).toBe(
      `event: status\ndata: {"status":"success"}\n\nevent: log\ndata: {"text":"log"}\n\nevent: result\ndata: ${result}\n\n`,
    );
  });

  test('429: more than 10 by agents of an account, which leave an agent without one a stream', async () => {
    const id = await run({ n: 6 });
    await service.db.update(runs).set({ status: 'running', finishedAt: null }).where(eq(runs.id, id));
    const open = [];
    for (let i = 0; i < 10; i++) open.push(await stream(id));
    expect(open.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await stream(id)).status).toBe(429);
    const other = randomBytes(32).toString('hex');
    const [own] = await service.db
      .select()
      .from(agentTokens)
      .where(eq(agentTokens.tokenHash, hashToken(token)));
    if (own) await service.db.insert(agentTokens).values({ ...own, tokenHash: hashToken(other) });
    open.push(await stream(id, other));
    expect(await open[9]?.text()).toMatch(/event: result\ndata: {"status":429,/);
    expect((await stream(id)).status).toBe(429);
    await service.db.update(runs).set({ status: 'success' }).where(eq(runs.id, id));
    for (const response of [...open.slice(0, 9), ...open.slice(10)])
      expect(await response.text()).toMatch(/event: result\ndata: {"status":200,/);
    expect((await stream(id)).status).toBe(200);
  });

  test('ends with 401 when the token has ended', async () => {
    const id = await run({ n: 7 });
    await service.db.update(runs).set({ status: 'running', finishedAt: null }).where(eq(runs.id, id));
    const open = await stream(id);
    expect(open.status).toBe(200);
    await service.db.delete(agentTokens).where(eq(agentTokens.tokenHash, hashToken(token)));
    expect(await open.text()).toMatch(
      /^event: status\n.*\n\nevent: log\n.*\n\nevent: result\ndata: {"status":401,/,
    );
  });

  test('404 is a plain reply', async () => {
    const reply = await stream(randomUUID());
    expect([reply.status, await reply.json()]).toMatchObject([404, { error: 'not_found' }]);
  });
});
