import { randomUUID } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { desc, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { addTrigger } from '../../../test/fixtures.ts';
import { startService } from '../../../test/service.ts';
import { runs, triggers } from '../../db/schema.ts';
import { matches } from './search.ts';

let token: string;
let userId: string;
/** Ids of the runs, oldest first. */
const ids: string[] = [];
const [relayerRunId, foreignRunId] = [randomUUID(), randomUUID()];
let [one, other] = ['', ''];
const day = (number: number) => new Date(Date.UTC(2026, 0, number));

const service = disposeAfterAll(await startService());
beforeAll(async () => {
  const agent = await service.newAgent();
  ({ token, userId } = agent);
  const stranger = await service.newAgent();
  // Disabled, so that no run is claimed.
  const add = async (userId: string, name = 'foreign') =>
    (await addTrigger(service.db, userId, { enabled: false, name })).id;
  [one, other] = [await add(agent.userId, 'one'), await add(agent.userId, 'other')];
  const foreign = await add(stranger.userId);
  const hostile = '\0 \ud800 back\\u0000slash 100%_ "quoted" ÄÖ';
  for (const [i, fields] of [
    { triggerId: one, status: 'failed' as const, error: { name: 'TypeError', message: 'Cannot read x' } },
    { triggerId: one, status: 'success' as const },
    {
      triggerId: other,
      status: 'failed' as const,
      error: { name: 'Error', message: hostile, stack: 'stacked' },
    },
    { triggerId: other, relayerRunId },
  ].entries()) {
    const [run] = await service.db
      .insert(runs)
      .values({ userId: agent.userId, number: i + 1, input: {}, createdAt: day(i + 1), ...fields })
      .returning({ id: runs.id });
    ids.push(run?.id ?? '');
  }
  await service.db.insert(runs).values({
    userId: stranger.userId,
    triggerId: foreign,
    number: 1,
    input: {},
    status: 'failed',
    error: { name: 'TypeError', message: hostile },
    relayerRunId: foreignRunId,
  });
});

const search = (query: Record<string, string>) =>
  service.ask('GET', `/api/runs?${new URLSearchParams(query)}`, token);
test('names the trigger of each run', async () => {
  const { body } = await search({});
  const names = body.runs.map((run: { trigger_name: string }) => run.trigger_name);
  expect(names).toEqual(['other', 'other', 'one', 'one']);
});

/** Resolves to the indexes of the found runs. */
const find = async (query: Record<string, string> = {}) => {
  const { status, body } = await search(query);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.runs.map(({ id }: { id: string }) => ids.indexOf(id));
};

describe('GET /api/runs', () => {
  test('returns the runs of all own triggers, newest first, in pages', async () => {
    expect(await find()).toEqual([3, 2, 1, 0]);
    const { body } = await search({ limit: '2', offset: '1' });
    expect(body.runs.map(({ id }: { id: string }) => ids.indexOf(id))).toEqual([2, 1]);
    expect(body.next_offset).toBe(3);
    expect((await search({ limit: '1', offset: '3' })).body.next_offset).toBeUndefined();
  });

  test.each([
    [{ status: 'failed' }, [2, 0]],
    [{ status: 'queued' }, [3]],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-04T00:00:00Z' }, [2, 1]],
    [{ from: '2026-01-04T01:00:00+01:00' }, [3]],
    [{ from: '2026-01-03T00:00:00Z', to: '2026-01-01T00:00:00Z' }, []],
    [{ error: 'typeerror' }, [0]],
    [{ error: 'CANNOT READ' }, [0]],
    [{ error: 'error' }, [2, 0]],
    [{ error: 'stacked' }, []],
    [{ error: 'message' }, []],
    [{ error: '"quoted"' }, [2]],
    [{ error: '100%_' }, [2]],
    [{ error: '%' }, [2]],
    [{ error: '_' }, [2]],
    [{ error: 'äö' }, [2]],
    [{ error: '\ufffd' }, [2]],
    [{ error: 'error', status: 'success' }, []],
    [{ error: 'error', to: '2026-01-02T00:00:00Z' }, [0]],
  ])('%j', async (query, found) => {
    expect(await find(query)).toEqual(found);
  });

  test('trigger_id finds the runs of an own trigger only', async () => {
    expect(await find({ trigger_id: one })).toEqual([1, 0]);
    expect(await find({ trigger_id: other, status: 'failed' })).toEqual([2]);
    for (const { id } of await service.db.select({ id: triggers.id }).from(triggers))
      if (![one, other].includes(id)) expect(await find({ trigger_id: id })).toEqual([]);
    expect(await find({ trigger_id: randomUUID() })).toEqual([]);
  });

  test('relayer_run_id finds the own run with this record at the relayer', async () => {
    expect(await find({ relayer_run_id: relayerRunId })).toEqual([3]);
    expect(await find({ relayer_run_id: foreignRunId })).toEqual([]);
    expect(await find({ relayer_run_id: randomUUID() })).toEqual([]);
  });

  test('delivery_id finds the run of a delivery', async () => {
    const hook = async (as: string) => {
      const { body } = await service.ask('POST', '/api/triggers', as, {
        name: 'hook',
        kind: 'webhook',
        action_code: 'code',
        usage_api_key: 'a-key',
        config: { delivery_header: 'X-Delivery' },
      });
      return new URL(body.webhook_url).pathname;
    };
    const [agent, stranger] = [await service.newAgent(), await service.newAgent()];
    const deliver = async (path: string, id: string) =>
      (await service.postRaw(path, 'x', [`X-Delivery: ${id}`])).body.run_id;
    const path = await hook(agent.token);
    const run = await deliver(path, 'Number 1');
    await deliver(path, 'Number 2');
    await deliver(await hook(stranger.token), 'Number 1');
    const found = async (id: string) => {
      const { body } = await service.ask(
        'GET',
        `/api/runs?delivery_id=${encodeURIComponent(id)}`,
        agent.token,
      );
      return body.runs.map((each: { id: string }) => each.id);
    };
    expect(await found('Number 1')).toEqual([run]);
    expect(await found('number 1')).toEqual([]);
  });

  test.each([
    [{ status: 'done' }, 422],
    [{ trigger_id: 'x' }, 400],
    [{ relayer_run_id: 'x' }, 400],
    [{ from: 'yesterday' }, 400],
    [{ from: '0000-01-01T00:00:00Z' }, 400],
    [{ to: '1969-12-31T23:59:59Z' }, 400],
    [{ error: 'a\0' }, 400],
    [{ error: '' }, 422],
    [{ error: 'x'.repeat(201) }, 422],
    [{ delivery_id: '\0' }, 400],
    [{ limit: '0' }, 400],
    [{ offset: '-1' }, 400],
  ])('%j returns %i', async (query, status) => {
    expect((await search(query as Record<string, string>)).status).toBe(status);
  });
});

test('a search reads no rows of other accounts', async () => {
  const { db } = service;
  const busy = await service.newAgent();
  const trigger = await addTrigger(db, busy.userId, { enabled: false });
  await db.execute(sql`
    insert into ${runs} (trigger_id, user_id, number, input, status, error)
    select ${trigger.id}, ${busy.userId}, generate_series, '{}', 'failed', '{"name":"Error","message":"x"}' from generate_series(1, 20000)`);
  await db.execute(sql`analyze ${runs}`);
  for (const query of [
    {},
    { status: 'success' as const },
    { status: 'queued' as const },
    { error: 'error' },
    { trigger_id: one },
    { relayer_run_id: randomUUID() },
    { delivery_id: 'none' },
    { from: day(1), to: day(2) },
  ]) {
    const page = db
      .select({ id: runs.id })
      .from(runs)
      .where(matches(db, userId, query))
      .orderBy(desc(runs.createdAt), desc(runs.id))
      .limit(50);
    const { rows } = (await db.execute(sql`explain ${page}`)) as unknown as {
      rows: { 'QUERY PLAN': string }[];
    };
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toContain('Seq Scan on runs');
    expect(plan).toMatch(/Index Cond: .*(user_id|trigger_id) = /);
  }
});
