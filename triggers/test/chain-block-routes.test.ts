/** Chain-block triggers over HTTP. */
import { until } from '@latchkey/testing/until';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs, triggers } from '../src/db/schema.ts';
import { CONTRACT, listFirings, SIGNATURE } from './chain-triggers.ts';
import { type Service, startService } from './service.ts';
import { createStandInChain } from './stand-in-chain.ts';

const ADDRESS = `0x${'11'.repeat(20)}`;
const chain = createStandInChain();
let node: Awaited<ReturnType<typeof chain.serve>>;
let service: Service;
let token: string;
beforeAll(async () => {
  chain.mine([], [], []);
  node = await chain.serve();
  service = await startService({ SERVICE_RPC_URL: node.url });
  ({ token } = await service.newAgent());
});
afterAll(async () => {
  await service?.dispose();
  await node?.[Symbol.asyncDispose]();
});

const form = { name: 'a', kind: 'chain_block', action_code: 'code', usage_api_key: 'key' };
const every = { chain: 'service', every: 2 };
const balance = { chain: 'service', balance: { address: ADDRESS, below: '10', every: 1 } };
const create = (config: object, by = token) => service.ask('POST', '/api/triggers', by, { ...form, config });
const patch = (id: string, change: object, by = token) =>
  service.ask('PATCH', `/api/triggers/${id}`, by, change);
const blocksOf = async (id: string) => (await listFirings(service.db, id)).map(({ block }) => block);

test('is created, shown, listed, tried, changed, fired and deleted', async () => {
  const { status, body } = await create({ ...every, if: 'args.base_fee > 5' });
  expect([status, body.kind, body.warnings]).toEqual([200, 'chain_block', expect.any(Array)]);
  const config = {
    ...every,
    confirmations: 0,
    fire_on_retraction: false,
    paused_events: 'drop',
    if: 'args.base_fee > 5',
  };
  expect(body.config).toEqual(config);
  const path = `/api/triggers/${body.id}`;
  const listed = await service.ask('GET', '/api/triggers', token);
  expect(JSON.stringify(listed.body)).toContain('"every":2');
  for (const [base_fee, matches] of [
    ['6', true],
    ['5', false],
  ])
    expect(
      (await service.ask('POST', `${path}/test`, token, { input: { event: { base_fee } }, dry_run: true }))
        .body,
    ).toEqual({ status: 'dry_run', matches });
  await until(
    'the chain is followed',
    async () => ((await service.ask('GET', path, token)).body.follower?.last_block ?? 0) >= 3,
  );
  chain.state.baseFee = 6n;
  chain.mine([], [], [], []);
  await until('the blocks fire', async () => (await blocksOf(body.id)).length === 2);
  expect(await blocksOf(body.id)).toEqual([4, 6]);
  // A config as it is shown changes nothing.
  const { body: changed } = await patch(body.id, { config });
  expect(changed).toMatchObject({ config, reads: { from_block: 8, to_block: 7 } });
  expect((await service.ask('DELETE', path, token)).status).toBe(200);
  expect(await service.db.$count(runs, eq(runs.triggerId, body.id))).toBe(0);
});

test('a chain event becomes a chain block, and the other way round', async () => {
  const event = { chain: 'service', contract_address: CONTRACT, event_signature: SIGNATURE };
  const { body } = await service.ask('POST', '/api/triggers', token, {
    ...form,
    kind: 'chain_event',
    config: event,
  });
  const changed = await patch(body.id, { kind: 'chain_block', config: { ...every, every: 1 } });
  expect(changed.body).toMatchObject({ kind: 'chain_block', config: { every: 1 } });
  chain.mine([]);
  const block = chain.head();
  await until('the block fires', async () => (await blocksOf(body.id)).length === 1);
  expect(await blocksOf(body.id)).toEqual([block]);
  expect((await patch(body.id, { kind: 'chain_event', config: event })).body.kind).toBe('chain_event');
});

test.each([
  [422, { ...form, config: {} }],
  [400, { ...form, config: { ...every, every: 0 } }],
  [400, { ...form, config: { ...every, ...balance } }],
  [400, { ...form, config: { ...balance, balance: { ...balance.balance, token: CONTRACT } } }],
  [422, { ...form, kind: 'chain-block', config: every }],
])('%i stores nothing: %j', async (status, body) => {
  const count = await service.db.$count(triggers);
  expect((await service.ask('POST', '/api/triggers', token, body)).status).toBe(status);
  expect(await service.db.$count(triggers)).toBe(count);
});

test('an account has at most twenty balances, also with concurrent requests', async () => {
  const agent = await service.newAgent();
  const replies = await Promise.all(Array.from({ length: 22 }, () => create(balance, agent.token)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
  const refused = replies.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('20 triggers with a balance') },
  });
  const plain = await create(every, agent.token);
  expect((await patch(plain.body.id, { config: balance }, agent.token)).status).toBe(409);
  const kept = replies.find(({ status }) => status === 200)?.body.id;
  expect((await patch(kept, { config: balance }, agent.token)).status).toBe(200);
  expect((await create(balance)).status).toBe(200);
});

test('the balances of a block are one request', async () => {
  const accounts = Array.from({ length: 5 }, (_, n) => `0x${String(n + 2).repeat(40)}`);
  for (const address of accounts) await create({ ...balance, balance: { ...balance.balance, address } });
  const ofBalances = () => chain.requests.filter(({ method }) => method === 'eth_getBalance').length;
  // A new trigger is read on its own at first.
  await until('one request has them all', async () => {
    chain.requests.length = 0;
    chain.batches.length = 0;
    chain.mine([]);
    await until('the block is read', async () => ofBalances() > 0);
    return Math.max(...chain.batches) >= accounts.length;
  });
});
