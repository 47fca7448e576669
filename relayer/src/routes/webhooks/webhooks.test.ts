import { randomUUID } from 'node:crypto';
import { walletIdentity } from '@latchkey/protocol';
import { addUsageKey, call, newAccount, payAndConfirm, stack } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { startWebhookReceiver } from '@latchkey/testing/webhook-receiver';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

// A test starts its own relayers, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const resources = new AsyncDisposableStack();
let key: string;
const receiver = resources.use(await startWebhookReceiver());
const relayer = resources.use(
  await ownRelayer({ WEBHOOK_ALLOWED_ADDRESSES: receiver.address, STARTER_CREDIT_CENTS: '1000' }),
);
afterAll(() => resources.disposeAsync());
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.state.answer = (_, response) => response.writeHead(204).end();
  ({ key } = await newAccount());
});

type Headers = Record<string, string>;
const by = (apiKey: string): Headers => ({ 'X-Api-Key': apiKey });
const ask = (method: 'GET' | 'POST', path: string, body?: object, headers = by(key), url = relayer.url) =>
  call(method, path, { headers, ...(body && { body }) }, url);
const types = ['run.finished'];
const add = async (fields: object = {}, headers?: Headers) =>
  (await ask('POST', 'add_webhook', { url: receiver.url, types, ...fields }, headers)).body as {
    id: string;
    secret: string;
  };
const list = async (headers?: Headers) =>
  (await ask('GET', 'list_webhooks', undefined, headers)).body as Record<string, unknown>[];
type Delivery = { id: string; type: string; status: string; attempts: number };
const deliveries = async (id: string, query = '', headers?: Headers) =>
  (await ask('GET', `list_webhook_deliveries?webhook_id=${id}${query}`, undefined, headers))
    .body as Delivery[];
const run = async (usageKey: string, code = 'const main = () => 1', url = relayer.url) => {
  const { status, headers } = await call(
    'POST',
    'svc_action',
    { headers: by(usageKey), body: { code } },
    url,
  );
  expect(status).toBe(200);
  return headers.get('x-run-id');
};
const runner = async () => {
  await payAndConfirm(by(key), { url: relayer.url });
  return addUsageKey(key, { execute_in_groups: [0] });
};
const received = (secret: string, count: number) =>
  until('events arrive', async () => receiver.received.length >= count && receiver.verified(secret));

describe('add_webhook', () => {
  test('200: returns the secret once', async () => {
    const made = await add({ types: ['run.finished', 'credit.low'], credit_low_cents: 250 });
    const { secret, ...shown } = made;
    expect(made).toEqual({
      id: expect.any(String),
      url: receiver.url,
      types: ['run.finished', 'credit.low'],
      credit_low_cents: 250,
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(await list()).toEqual([shown]);
    expect(JSON.stringify(await ask('POST', 'update_webhook', { webhook_id: made.id }))).not.toContain(
      secret,
    );
  });

  test('409: more than 5 per account, also concurrently', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => ask('POST', 'add_webhook', { url: receiver.url, types })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(200),
      ...Array(3).fill(409),
    ]);
    expect(await list()).toHaveLength(5);
  });

  test.each([
    [{ url: 'example.com' }, 400],
    [{ url: 'http://example.com/' }, 400],
    [{ url: 'https://user:word@example.com/' }, 400],
    [{ url: 'https://127.0.0.1/' }, 400],
    [{ url: 'https://169.254.169.254/latest' }, 400],
    [{ url: 5 }, 422],
    [{ types: [] }, 422],
    [{ types: ['run.begun'] }, 422],
    [{ types: ['credit.low'] }, 400],
    [{ credit_low_cents: 5 }, 400],
    [{ credit_low_cents: 0, types: ['credit.low'] }, 400],
    [{ secret: 'whsec_' }, 422],
  ])('%j returns %i and adds nothing', async (fields, status) => {
    expect((await ask('POST', 'add_webhook', { url: receiver.url, types, ...fields })).status).toBe(status);
    expect(await list()).toEqual([]);
  });
});

describe('update_webhook', () => {
  test('200: changes the given fields', async () => {
    const { id } = await add();
    const change = {
      url: 'https://example.com/',
      types: ['credit.low'],
      credit_low_cents: 1,
      enabled: false,
    };
    const { body } = await ask('POST', 'update_webhook', { webhook_id: id, ...change });
    expect(body).toMatchObject(change);
    expect(await ask('POST', 'update_webhook', { webhook_id: id, enabled: true })).toMatchObject({
      body: { ...change, enabled: true },
    });
  });

  test('200: rotate_secret replaces the secret', async () => {
    const { id, secret } = await add();
    const { body } = await ask('POST', 'update_webhook', { webhook_id: id, rotate_secret: true });
    const rotated = (body as { secret: string }).secret;
    expect(rotated).not.toBe(secret);
    await ask('POST', 'test_webhook', { webhook_id: id });
    expect(receiver.verified(rotated)).toHaveLength(1);
  });

  test.each([
    [{ url: 'https://[::1]/' }, 400],
    [{ types: ['run.finished', 'credit.low'] }, 400],
    [{ credit_low_cents: 1 }, 400],
    [{ account: '0x01' }, 422],
  ])('%j returns %i and changes nothing', async (fields, status) => {
    const { id } = await add();
    const before = await list();
    expect((await ask('POST', 'update_webhook', { webhook_id: id, ...fields })).status).toBe(status);
    expect(await list()).toEqual(before);
  });
});

describe('test_webhook', () => {
  test('200: sends a signed event, and returns why one was not delivered', async () => {
    const { id, secret } = await add();
    const test = () => ask('POST', 'test_webhook', { webhook_id: id });
    expect((await test()).body).toEqual({ delivered: true, response_status: 204, error: null });
    expect(receiver.verified(secret)).toEqual([
      { type: 'webhook.test', timestamp: expect.any(String), data: {} },
    ]);
    receiver.state.answer = (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end('body');
    const error = 'the reply has the status 302';
    expect((await test()).body).toEqual({ delivered: false, response_status: 302, error });
    expect(receiver.received).toHaveLength(2);
  });

  test('429: more than 10 per minute', async () => {
    const { id } = await add();
    const statuses = [];
    for (let i = 0; i < 11; i++)
      statuses.push((await ask('POST', 'test_webhook', { webhook_id: id })).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
  });
});

test('a run, the removal of a key and a change of the account arrive, once from two relayers', async () => {
  await using sibling = await relayer.sibling();
  const usageKey = await runner();
  const { id, secret } = await add({ types: ['run.finished', 'usage_key.removed', 'account.changed'] });
  const runIds = [await run(usageKey), await run(usageKey, undefined, sibling.url)];
  await call('POST', 'remove_usage_api_key', { headers: by(key), body: { usage_api_key: usageKey } });
  const isRemoval = ({ type, data }: Awaited<ReturnType<typeof received>>[number]): boolean =>
    type === 'account.changed' && JSON.stringify(data.changes).includes('UsageApiKeyRemoved');
  const events = await until('the removal has come', async () => {
    const all = await received(secret, 4);
    return all.some(isRemoval) && all;
  });
  const of = (type: string) => events.filter((event) => event.type === type);
  expect(
    of('run.finished')
      .map(({ data }) => data.run_id)
      .toSorted(),
  ).toEqual(runIds.toSorted());
  expect(of('usage_key.removed')).toHaveLength(1);
  expect(of('account.changed').filter(isRemoval)).toHaveLength(1);
  await until('all are delivered', async () =>
    (await deliveries(id)).every(({ status }) => status === 'delivered'),
  );
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a stored event is delivered after the relayer was stopped before its delivery', async () => {
  const usageKey = await runner();
  receiver.state.answer = (_, response) => response.destroy();
  const { id, secret } = await add();
  const runId = await run(usageKey);
  await until('it was refused', async () => ((await deliveries(id))[0]?.attempts ?? 0) > 0);
  await relayer.stop();
  receiver.received.length = 0;
  receiver.state.answer = (_, response) => response.writeHead(204).end();
  await relayer.restart();
  const [event] = await received(secret, 1);
  expect(event?.data.run_id).toBe(runId);
});

test('replay_webhook_deliveries sends delivered and failed events again', async () => {
  const usageKey = await runner();
  const { id, secret } = await add();
  await run(usageKey);
  const [delivered] = await until('it is delivered', async () => {
    const found = await deliveries(id);
    return found[0]?.status === 'delivered' && found;
  });
  const replay = (which: object) => ask('POST', 'replay_webhook_deliveries', { webhook_id: id, ...which });
  expect((await replay({ delivery_id: delivered?.id })).body).toEqual({ replayed: 1 });
  await received(secret, 2);
  expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
  receiver.state.answer = (_, response) => response.writeHead(410).end();
  await run(usageKey);
  await until('it is disabled', async () => (await list())[0]?.enabled === false);
  expect(await list()).toMatchObject([{ disabled_reason: 'the receiver replied with status 410' }]);
  const since = { failed_since: new Date(Date.now() - 600_000).toISOString() };
  expect((await replay(since)).status).toBe(409);
  await ask('POST', 'update_webhook', { webhook_id: id, enabled: true });
  receiver.state.answer = (_, response) => response.writeHead(204).end();
  expect((await replay(since)).body).toEqual({ replayed: 1 });
  await received(secret, 4);
  expect((await replay({})).status).toBe(400);
  expect((await replay({ ...since, delivery_id: delivered?.id })).status).toBe(400);
  expect((await replay({ delivery_id: randomUUID() })).status).toBe(404);
});

test('remove_webhook deletes it and its deliveries', async () => {
  const usageKey = await runner();
  const { id } = await add();
  await run(usageKey);
  await until('it is stored', async () => (await deliveries(id)).length === 1);
  expect((await ask('POST', 'remove_webhook', { webhook_id: id })).body).toEqual({ success: true });
  expect(await list()).toEqual([]);
  expect((await ask('GET', `list_webhook_deliveries?webhook_id=${id}`)).status).toBe(404);
  expect((await ask('POST', 'remove_webhook', { webhook_id: id })).status).toBe(404);
});

test('a neighbour can neither see, change, replay nor test a webhook', async () => {
  const { id } = await add();
  const { key: neighbour } = await newAccount();
  const as = by(neighbour);
  const body = { webhook_id: id };
  const before = await list();
  expect(await list(as)).toEqual([]);
  for (const [path, fields] of [
    ['update_webhook', { enabled: false, rotate_secret: true }],
    ['remove_webhook', {}],
    ['test_webhook', {}],
    ['replay_webhook_deliveries', { failed_since: '2026-01-01T00:00:00.000Z' }],
  ] as const)
    expect([path, (await ask('POST', path, { ...body, ...fields }, as)).status]).toEqual([path, 404]);
  expect((await ask('GET', `list_webhook_deliveries?webhook_id=${id}`, undefined, as)).status).toBe(404);
  expect(await list()).toEqual(before);
  expect(receiver.received).toEqual([]);
});

test('the admin wallet of a ChainSecured account has webhooks, and hears of its own transactions', async () => {
  const admin = await eoa();
  const write = accountOf(admin);
  await write('newChainSecuredAccount', ['mine', '']);
  const headers = async () => billingAuth(admin);
  const { id, secret } = await add({ types: ['account.changed'] }, await headers());
  await write('addGroup', [walletIdentity(admin.address), 'group', '', [], []]);
  await until('the event arrives', async () =>
    receiver.verified(secret).some(({ data }) => JSON.stringify(data).includes('GroupAdded')),
  );
  const events = await deliveries(id, '', await headers());
  expect(events.filter((event) => JSON.stringify(event).includes('GroupAdded'))).toHaveLength(1);
});

test('no reply has the sealed secret, and the URL of the stack is refused', async () => {
  const { id } = await add();
  const replies = [
    await ask('GET', 'list_webhooks'),
    await ask('GET', `list_webhook_deliveries?webhook_id=${id}`),
  ];
  for (const { body } of replies) expect(JSON.stringify(body)).not.toMatch(/secret|whsec/);
  expect((await ask('POST', 'add_webhook', { url: stack.url, types })).status).toBe(400);
});
