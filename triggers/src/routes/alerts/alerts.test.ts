import { randomBytes } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { startWebhookReceiver } from '@latchkey/testing/webhook-receiver';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { startService } from '../../../test/service.ts';
import { agentTokens, alertDeliveries, alertWebhooks, users } from '../../db/schema.ts';

let token: string;
let userId: string;
const receiver = disposeAfterAll(await startWebhookReceiver());
const service = disposeAfterAll(await startService({ ALERT_ALLOWED_ADDRESSES: receiver.address }));
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.state.answer = (_, response) => response.writeHead(204).end();
  service.relayer.behave = () => ({ kind: 'run' });
  ({ token, userId } = await service.newAgent());
});

const ask = (method: string, path: string, body?: unknown, as: string | undefined = token) =>
  service.ask(method, path, as, body);
const put = async (fields: object = {}) =>
  (await ask('PUT', '/api/alerts', { url: receiver.url, ...fields })).body;
const readRow = async () => {
  const [row] = await service.db.select().from(alertWebhooks).where(eq(alertWebhooks.id, userId));
  return row;
};

describe('PUT /api/alerts', () => {
  test('200: returns the secret of a new webhook once, and stores it sealed', async () => {
    const made = await put();
    expect(made).toEqual({
      url: receiver.url,
      after_failures: 3,
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = made;
    const { body } = await ask('GET', '/api/alerts');
    expect(body).toEqual(shown);
    const row = await readRow();
    expect(row?.secret).not.toContain(secret);
    expect(service.context.sealer.openText(row?.secret ?? '', userId)).toBe(secret);
  });

  test('200: a change keeps the secret', async () => {
    await put();
    const before = await readRow();
    const changed = await put({ url: 'https://example.com/', after_failures: 7 });
    expect(changed).toMatchObject({ url: 'https://example.com/', after_failures: 7 });
    expect(changed).not.toHaveProperty('secret');
    expect((await readRow())?.secret).toBe(before?.secret);
  });

  test('200: rotate_secret returns a new secret', async () => {
    const { secret } = await put();
    const { secret: rotated } = await put({ rotate_secret: true });
    expect(rotated).toMatch(/^whsec_/);
    expect(rotated).not.toBe(secret);
    await ask('POST', '/api/alerts/test');
    expect(receiver.verified(rotated)).toHaveLength(1);
  });

  test('one of several concurrent requests returns the secret', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => put()));
    const secrets = made.flatMap(({ secret }) => secret ?? []);
    expect(secrets).toHaveLength(1);
    expect(service.context.sealer.openText((await readRow())?.secret ?? '', userId)).toBe(secrets[0]);
  });

  test.each([
    [{ url: 'example.com' }, 400],
    [{ url: 'http://example.com/' }, 400],
    [{ url: 'https://user:word@example.com/' }, 400],
    [{ url: 'https://127.0.0.1/' }, 400],
    [{ url: 'https://[::1]/' }, 400],
    [{ url: `http://127.0.0.1:1/` }, 400],
    [{ after_failures: 0 }, 400],
    [{ after_failures: 1_001 }, 400],
    [{ url: undefined }, 422],
    [{ url: 5 }, 422],
    [{ url: `https://example.com/${'x'.repeat(2_048)}` }, 422],
    [{ after_failures: '3' }, 422],
    [{ rotate_secret: 1 }, 422],
  ])('%j returns %i and changes nothing', async (fields, status) => {
    await put();
    const before = await readRow();
    expect((await ask('PUT', '/api/alerts', { url: receiver.url, ...fields })).status).toBe(status);
    expect(await readRow()).toEqual(before);
  });
});

describe('DELETE /api/alerts', () => {
  test('200: deletes the webhook and the alerts that wait', async () => {
    await put();
    const dueAt = new Date(Date.now() + 60_000);
    const message = { type: 'a type', timestamp: 'now', data: {} };
    await service.db.insert(alertDeliveries).values({ endpointId: userId, message, dueAt });
    expect((await ask('DELETE', '/api/alerts')).body).toEqual({ success: true });
    expect(await readRow()).toBeUndefined();
    expect(await service.db.$count(alertDeliveries, eq(alertDeliveries.endpointId, userId))).toBe(0);
  });
});

test.each([
  ['GET', '/api/alerts'],
  ['DELETE', '/api/alerts'],
  ['POST', '/api/alerts/test'],
])('%s %s: 404 without an own webhook, 401 without a token', async (method, path) => {
  await put();
  const stranger = await service.newAgent();
  const { status, body } = await ask(method, path, undefined, stranger.token);
  expect([status, body.message]).toEqual([404, 'The account has no alert webhook.']);
  expect(await readRow()).toBeDefined();
  expect((await service.ask(method, path)).status).toBe(401);
});

describe('POST /api/alerts/test', () => {
  test('200: sends a signed alert', async () => {
    const { secret } = await put();
    expect((await ask('POST', '/api/alerts/test')).body).toEqual({ delivered: true, error: null });
    expect(receiver.verified(secret)).toEqual([
      { type: 'alert.test', timestamp: expect.any(String), data: {} },
    ]);
  });

  test('200: says why the alert was not delivered', async () => {
    await put();
    receiver.state.answer = (_, response) => response.writeHead(500).end('the body');
    const { body } = await ask('POST', '/api/alerts/test');
    expect(body).toEqual({ delivered: false, error: 'the reply has the status 500' });
  });

  test('429: more than 10 per minute', async () => {
    await put();
    const replies = [];
    for (let i = 0; i < 11; i++) replies.push((await ask('POST', '/api/alerts/test')).status);
    expect(replies).toEqual([...Array(10).fill(200), 429]);
    expect(receiver.received).toHaveLength(10);
  });
});

describe('GET /api/alerts/deliveries and POST /api/alerts/replay', () => {
  const addFailed = async () => {
    const message = { type: 'trigger.failing', timestamp: 'now', data: { name: 'hook' } };
    const [row] = await service.db
      .insert(alertDeliveries)
      .values({ endpointId: userId, message, dueAt: sql`'infinity'` as never, attempt: 3, error: 'no' })
      .returning({ id: alertDeliveries.id });
    return row?.id;
  };
  const list = async (as = token) =>
    (await ask('GET', '/api/alerts/deliveries', undefined, as)).body.deliveries;

  test('200: lists a failed alert, and sends it again with the same id', async () => {
    const { secret } = await put();
    const id = await addFailed();
    expect(await list()).toMatchObject([
      { id, type: 'trigger.failing', status: 'failed', attempts: 3, error: 'no' },
    ]);
    expect((await ask('POST', '/api/alerts/replay', { delivery_id: id })).body).toEqual({ replayed: 1 });
    await until('it is delivered', async () => (await list())[0]?.status === 'delivered');
    expect(receiver.verified(secret)).toHaveLength(1);
    expect(receiver.received[0]?.headers['webhook-id']).toBe(id);
  });

  test('404: another account neither sees nor replays it', async () => {
    await put();
    const id = await addFailed();
    const stranger = await service.newAgent();
    await ask('PUT', '/api/alerts', { url: receiver.url }, stranger.token);
    expect(await list(stranger.token)).toEqual([]);
    expect((await ask('POST', '/api/alerts/replay', { delivery_id: id }, stranger.token)).status).toBe(404);
    expect(receiver.received).toEqual([]);
  });

  test('409 while the webhook is disabled by status 410, until PUT enables it', async () => {
    await put();
    const id = await addFailed();
    receiver.state.answer = (_, response) => response.writeHead(410).end();
    const replay = () => ask('POST', '/api/alerts/replay', { delivery_id: id });
    await replay();
    const read = async () => (await ask('GET', '/api/alerts')).body;
    await until('it is disabled', async () => !(await read()).enabled);
    expect(await read()).toMatchObject({ disabled_reason: 'the receiver replied with status 410' });
    expect((await replay()).status).toBe(409);
    await put();
    expect(await read()).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null });
  });
});

describe('after a transfer of the account', () => {
  const [former, next] = [
    '0x00000000000000000000000000000000000000Aa',
    '0x00000000000000000000000000000000000000bB',
  ];
  const identity = `0x${'1'.repeat(64)}`;
  /** The account of the user has this admin wallet. The identity of a former one still resolves to it. */
  const handTo = async (wallet: string) => {
    const [user] = await service.db.select().from(users).where(eq(users.id, userId));
    const admin = { account: user?.account ?? '', admin_wallet_address: wallet, managed: false };
    service.relayer.admins.set(identity, admin);
  };
  const logIn = (wallet: string) =>
    service.db
      .update(agentTokens)
      .set({ authority: `chain secured ${wallet} by ${identity}` })
      .where(eq(agentTokens.userId, userId));
  const queue = () =>
    service.db.insert(alertDeliveries).values({
      endpointId: userId,
      message: { type: 'trigger.failing', timestamp: 'now', data: { name: 'hook' } },
    });
  beforeEach(async () => {
    await handTo(former);
    await logIn(former);
  });

  test('the URL of the former owner gets no alert, and the webhook is disabled until the new one sets it', async () => {
    await put();
    await queue();
    await until('an alert arrives', async () => receiver.received.length === 1);
    await handTo(next);
    await queue();
    await until('the webhook is disabled', async () => (await readRow())?.isEnabled === false);
    expect(await readRow()).toMatchObject({
      disabledReason: expect.stringContaining('another key or admin'),
    });
    expect(receiver.received).toHaveLength(1);
    await logIn(next);
    expect(await put({ url: receiver.url })).toMatchObject({ enabled: true });
    await queue();
    await until('alerts arrive', async () => receiver.received.length >= 2);
  });

  test('the URL of a wallet that had no account then gets no alert of the account that it opened and gave away', async () => {
    const [user] = await service.db.select().from(users).where(eq(users.id, userId));
    const { account = '' } = user ?? {};
    await service.db
      .update(agentTokens)
      .set({ authority: 'no account' })
      .where(eq(agentTokens.userId, userId));
    await put();
    service.relayer.admins.set(account, { account, admin_wallet_address: next, managed: false });
    await queue();
    await until('the webhook is disabled', async () => (await readRow())?.isEnabled === false);
    expect(receiver.received).toEqual([]);
  });

  test('the URL of a thief gets no alert after a rotation of the leaked account key, until the owner sets the webhook', async () => {
    const byKey = (hash: string) => ({ authority: `managed ${former} by ${hash}` });
    const set = (authority: { authority: string }) =>
      service.db.update(agentTokens).set(authority).where(eq(agentTokens.userId, userId));
    const [user] = await service.db.select().from(users).where(eq(users.id, userId));
    const admin = { account: user?.account ?? '', admin_wallet_address: former, managed: true };
    const [leaked, next] = [`0x${'2'.repeat(64)}`, `0x${'3'.repeat(64)}`];
    service.relayer.admins.set(leaked, admin);
    await set(byKey(leaked));
    await put();
    await queue();
    await until('an alert arrives', async () => receiver.received.length === 1);
    service.relayer.admins.delete(leaked);
    service.relayer.admins.set(next, admin);
    await queue();
    await until('the webhook is disabled', async () => (await readRow())?.isEnabled === false);
    expect(receiver.received).toHaveLength(1);
    await set(byKey(next));
    expect(await put()).toMatchObject({ enabled: true });
    await queue();
    await until('alerts arrive', async () => receiver.received.length >= 2);
  });

  test('the webhook of the giver stays while the transfer waits', async () => {
    await put();
    service.relayer.unaccepted.add(identity);
    await queue();
    await until('an alert arrives', async () => receiver.received.length === 1);
    service.relayer.unaccepted.clear();
    expect(await readRow()).toMatchObject({ isEnabled: true });
  });

  test('alerts are sent while the relayer does not answer', async () => {
    await put();
    service.relayer.isDown = true;
    try {
      await queue();
      await until('an alert arrives', async () => receiver.received.length === 1);
    } finally {
      service.relayer.isDown = false;
    }
  });
});

describe('alerts of runs', () => {
  const create = async (fields: object = {}) =>
    (
      await ask('POST', '/api/triggers', {
        name: 'hook',
        kind: 'webhook',
        action_code: 'code',
        usage_api_key: randomBytes(32).toString('base64'),
        ...fields,
      })
    ).body.id as string;
  const fire = (id: string) => ask('POST', `/api/triggers/${id}/test`);
  const received = (secret: string, count: number) =>
    until('alerts arrive', async () => receiver.received.length === count && receiver.verified(secret));

  test('failed runs in a row send trigger.failing and trigger.paused', async () => {
    const error = { name: 'TypeError', message: 'no' };
    const reply = { response: null, logs: '', has_error: true, error };
    service.relayer.behave = () => ({ kind: 'run', reply });
    const { secret } = await put({ after_failures: 2 });
    const id = await create({ pause_after_failures: 2 });
    for (const _ of [1, 2]) await fire(id);
    const alerts = await received(secret, 2);
    const data = { trigger_id: id, name: 'hook', failures: 2, run_id: expect.any(String), error };
    expect(alerts.find(({ type }) => type === 'trigger.failing')?.data).toEqual(data);
    const reason = expect.stringMatching(/^2 runs in a row failed/);
    expect(alerts.find(({ type }) => type === 'trigger.paused')?.data).toEqual({
      trigger_id: id,
      name: 'hook',
      reason,
    });
    expect((await ask('GET', `/api/triggers/${id}`)).body).toMatchObject({
      enabled: false,
      paused_reason: reason,
    });
    expect((await fire(id)).status).toBe(409);
    // The next run starts a new series of failures.
    await ask('PATCH', `/api/triggers/${id}`, { enabled: true });
    await fire(id);
    await until('the run fails', async () => {
      const { body } = await ask('GET', `/api/triggers/${id}`);
      return body.consecutive_failures === 1 && body.enabled;
    });
    expect(receiver.received).toHaveLength(2);
  });
});
