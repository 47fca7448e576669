/** PATCH of chain-event triggers over HTTP. */
import { until } from '@latchkey/testing/until';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { triggers } from '../src/db/schema.ts';
import { FACTORY, MADE_EVENT, made } from './chain-factories.ts';
import { CONTRACT, filled, listFirings, SIGNATURE } from './chain-triggers.ts';
import { type Service, startService } from './service.ts';
import { createStandInChain } from './stand-in-chain.ts';

const chain = createStandInChain();
let node: Awaited<ReturnType<typeof chain.serve>>;
let service: Service;
let token: string;
beforeAll(async () => {
  chain.mine([filled(1)], [filled(2)], []);
  node = await chain.serve();
  service = await startService({ SERVICE_RPC_URL: `http://127.0.0.1:1,${node.url}` });
  ({ token } = await service.newAgent());
});
afterAll(async () => {
  await service?.dispose();
  await node?.[Symbol.asyncDispose]();
});

const config = { chain: 'service', contract_address: CONTRACT, event_signature: SIGNATURE };
const form = { name: 'a', kind: 'chain_event', action_code: 'code', usage_api_key: 'key' };
async function create(change: object = {}): Promise<string> {
  const { status, body } = await service.ask('POST', '/api/triggers', token, {
    ...form,
    config: { ...config, ...change },
  });
  expect([status, body.reads]).toEqual([200, undefined]);
  return body.id;
}
const patch = (id: string, change: object) => service.ask('PATCH', `/api/triggers/${id}`, token, change);
const firedBlocks = async (id: string) => (await listFirings(service.db, id)).map(({ block }) => block);

test('the reply says which blocks are read', async () => {
  const id = await create();
  const other = { ...config, contract_address: `0x${'22'.repeat(20)}` };
  expect((await patch(id, { config: other })).body).toMatchObject({
    config: { ...other, start_block: 4 },
    reads: { from_block: 4, to_block: 3 },
  });
  const { body } = await patch(id, { config: { ...config, start_block: '0x1' } });
  expect(body).toMatchObject({ config: { start_block: 1 }, reads: { from_block: 1, to_block: 3 } });
  await until('the logs fire', async () => (await firedBlocks(id)).length === 2);
  expect((await patch(id, { name: 'b' })).body).not.toHaveProperty('reads');
  expect((await service.ask('GET', `/api/triggers/${id}`, token)).body).not.toHaveProperty('reads');
});

test('a trigger that is created paused reads its history when it is enabled', async () => {
  const { body } = await service.ask('POST', '/api/triggers', token, {
    ...form,
    enabled: false,
    config: { ...config, start_block: 2 },
  });
  expect((await patch(body.id, { enabled: true })).body.reads).toEqual({ from_block: 2, to_block: 3 });
  await until('the log fires', async () => (await firedBlocks(body.id)).length === 1);
  expect(await firedBlocks(body.id)).toEqual([2]);
});

test('concurrent requests all apply, and every change gets its own version', async () => {
  const id = await create();
  const seen = new Set<string>();
  const replies = await Promise.all([
    ...Array.from({ length: 6 }, (_, n) => patch(id, { max_queued_runs: 10 + n })),
    patch(id, { name: 'renamed' }),
    patch(id, { max_runs_per_minute: 7 }),
    patch(id, { action_code: 'other' }),
    patch(id, { default_params: { a: 1 } }),
  ]);
  for (const { status, body } of replies) {
    expect(status).toBe(200);
    seen.add(body.updated_at);
  }
  expect(seen.size).toBe(replies.length);
  const { body } = await service.ask('GET', `/api/triggers/${id}`, token);
  expect(body).toMatchObject({
    name: 'renamed',
    max_runs_per_minute: 7,
    action_code: 'other',
    default_params: { a: 1 },
  });
});

describe('a factory', () => {
  const factory = { address: FACTORY, event: MADE_EVENT, parameter: 'child', start_block: 1 };
  const { contract_address: _, ...others } = config;

  test('its children are counted in the reply, for their owner alone', async () => {
    const { body } = await service.ask('POST', '/api/triggers', token, {
      ...form,
      config: { ...others, factory },
    });
    chain.mine([made(1), made(2)]);
    const read = (by: string) => service.ask('GET', `/api/triggers/${body.id}`, by);
    await until('the children are followed', async () => (await read(token)).body.children.count === 2);
    expect((await read(token)).body.children).toEqual({ count: 2, max: 10_000 });
    const stranger = await service.newAgent();
    expect((await read(stranger.token)).status).toBe(404);
    const other = await patch(body.id, { config });
    expect(other.body.config).not.toHaveProperty('factory');
    expect((await read(token)).body).not.toHaveProperty('children');
  });

  test('an account has at most ten, also with concurrent requests', async () => {
    const agent = await service.newAgent();
    const made = { ...form, config: { ...others, factory } };
    const create = (of: object) => service.ask('POST', '/api/triggers', agent.token, of);
    const plain = await Promise.all(Array.from({ length: 6 }, () => create({ ...form, config })));
    const kept = (await Promise.all(Array.from({ length: 9 }, () => create(made))))[0]?.body.id;
    const replies = await Promise.all(
      plain.map(({ body }) =>
        service.ask('PATCH', `/api/triggers/${body.id}`, agent.token, { config: made.config }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await create(made)).status).toBe(409);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.body.message).toContain('10 triggers with a factory, which is the maximum');
    const again = await service.ask('PATCH', `/api/triggers/${kept}`, agent.token, {
      config: { ...made.config, start_block: 1 },
    });
    expect(again.status).toBe(200);
  });
});

test('without a node, 503 changes nothing; a pause and a resume that drops no event need none', async () => {
  const dropping = await create();
  const firing = await create({ paused_events: 'fire' });
  chain.faults.disconnect = 1;
  try {
    for (const id of [dropping, firing])
      expect((await patch(id, { enabled: false })).body).toMatchObject({ enabled: false });
    expect((await patch(firing, { enabled: true })).body).toMatchObject({ enabled: true });
    const [before] = await service.db.select().from(triggers).where(eq(triggers.id, dropping));
    for (const change of [{ enabled: true }, { config }]) {
      const { status, body } = await patch(dropping, change);
      expect([status, body.error]).toEqual([503, 'service_unavailable']);
    }
    expect(await service.db.select().from(triggers).where(eq(triggers.id, dropping))).toEqual([before]);
  } finally {
    chain.faults.disconnect = 0;
  }
});

test('a trigger, the metrics and later the health tell that the nodes of its chain do not answer', async () => {
  const id = await create();
  const follower = async () => (await service.ask('GET', `/api/triggers/${id}`, token)).body.follower;
  const metric = async (name: string) => {
    const text = await (await fetch(service.metricsUrl)).text();
    return Number(new RegExp(`^${name}\\{chain="service"\\} (\\d+)`, 'm').exec(text)?.[1]);
  };
  const head = chain.head();
  await until('the chain is followed', async () => {
    const { last_block: lastBlock, error } = await follower();
    return lastBlock === head && error === null;
  });
  expect(await follower()).toMatchObject({ node: 2, error_since: null });
  expect([await metric('chain_follower_block'), await metric('chain_follower_node')]).toEqual([head, 2]);
  chain.faults.disconnect = 1;
  try {
    await until('the error is shown', async () => (await follower()).error !== null);
    await until('the lag grows', async () => (await metric('chain_follower_lag_seconds')) > 0);
    expect(await follower()).toMatchObject({
      error: 'no RPC node of the chain answers as it should',
      error_since: expect.any(String),
    });
  } finally {
    chain.faults.disconnect = 0;
  }
  await until('it is followed again', async () => (await follower()).error === null);
  const { body } = await service.ask('GET', '/health', token);
  expect(body.chains).toEqual({ ok: true });
  expect((await service.ask('PATCH', `/api/triggers/${id}`, token, { enabled: false })).status).toBe(200);
  expect(await follower()).toBeUndefined();
});
