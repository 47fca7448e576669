/** The functions of triggers against the trigger service. */
import { inspect } from 'node:util';
import { walletIdentity } from '@latchkey/protocol';
import { pairAgent as pairApproved } from '@latchkey/testing/browser';
import { until } from '@latchkey/testing/until';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type CreateTriggerParameters,
  createClient,
  createTriggersClient,
  logInToTriggers,
  type PairingRequest,
  pairAgent,
  type TriggersClient,
} from '../src/index.ts';
import { newWallet, stack } from './clients.ts';
import { createProxy } from './proxy.ts';

const code = 'const main = ({ n }) => { if (n === 0) throw new RangeError("zero"); return n; }';

let accountKey: string;
let token: string;
let usageKey: string;
let client: TriggersClient;
beforeAll(async () => {
  const { apiKey } = await createClient({ url: stack.url }).newAccount({
    name: 'triggers',
    description: '',
  });
  accountKey = apiKey;
  ({ usageKey } = await createClient({ url: stack.url, apiKey }).addUsageApiKey({
    executeInGroups: [0n],
  }));
  token = await pairApproved(stack.triggersUrl, apiKey);
  client = createTriggersClient({ url: stack.triggersUrl, token });
});

const newHook = () =>
  client.createTrigger({ name: 'hook', kind: 'webhook', code, usageKey, defaultParams: { a: 1 } });
const runOf = async (runId: string) =>
  until('the run ends', async () => {
    const run = await client.getTriggerRun({ runId });
    return run.finishedAt !== undefined && run;
  });

test('creates, reads, lists, changes and deletes triggers', async () => {
  const { warnings, ...hook } = await newHook();
  expect(warnings).toEqual([]);
  expect(hook).toMatchObject({ name: 'hook', code, defaultParams: { a: 1 }, enabled: true });
  expect(hook.createdAt).toBeInstanceOf(Date);
  expect(await client.getTrigger({ triggerId: hook.id })).toEqual(hook);
  const tick = await client.createTrigger({
    name: 'tick',
    kind: 'schedule',
    code,
    usageKey,
    enabled: true,
    config: { cron: '0 9 1 1 *', timezone: 'Europe/Berlin' },
  });
  expect(tick.nextRuns?.[0]).toBeInstanceOf(Date);
  const page = await client.listTriggers({ pageSize: 1 });
  expect([page.items[0]?.id, page.nextPage]).toEqual([tick.id, { pageSize: 1, offset: 1 }]);
  expect((await client.listTriggers(page.nextPage)).items.map(({ id }) => id)).toEqual([hook.id]);
  const copies = await client.exportTriggers();
  expect(copies).toMatchObject([{ id: hook.id }, { id: tick.id, config: tick.config }]);
  expect(JSON.stringify(copies)).not.toContain(usageKey);
  const { id: copiedId, ...copy } = copies[0] as (typeof copies)[number];
  const again = await client.createTrigger({ ...copy, usageKey } as CreateTriggerParameters);
  const [, , made] = await client.exportTriggers();
  expect(made).toEqual({ ...copy, id: again.id });
  expect(again.id).not.toBe(copiedId);
  await client.deleteTrigger({ triggerId: again.id });
  const changed = await client.updateTrigger({
    triggerId: hook.id,
    name: 'other',
    maxQueuedRuns: 5,
    enabled: false,
  });
  expect(changed).toMatchObject({
    name: 'other',
    maxQueuedRuns: 5,
    enabled: false,
    code,
    warnings: [],
  });
  for (const { id } of [hook, tick]) await client.deleteTrigger({ triggerId: id });
  expect(await client.listTriggers()).toEqual({ items: [] });
  await expect(client.getTrigger({ triggerId: hook.id })).rejects.toMatchObject({
    code: 'not_found',
    status: 404,
  });
});

test('tests a trigger, and reads and replays its runs', async () => {
  const { id } = await newHook();
  const good = await runOf((await client.testTrigger({ triggerId: id, input: { n: 1 } })).runId);
  expect(good).toMatchObject({ triggerId: id, status: 'success', response: 1, attempt: 1, logs: '' });
  expect(good.attempts).toHaveLength(1);
  expect(good.costMicros).toBe(10_000n * BigInt(Math.max(1, Math.ceil((good.durationMs ?? 0) / 1_000))));
  const bad = await runOf((await client.testTrigger({ triggerId: id, input: { n: 0 } })).runId);
  expect(bad).toMatchObject({ status: 'failed', error: { name: 'RangeError', message: 'zero' } });
  const again = await runOf((await client.replayTriggerRun({ runId: good.id })).runId);
  expect(again).toMatchObject({ replayOf: good.id, response: 1 });
  expect(await client.stopTriggerRun({ runId: good.id })).toMatchObject({ id: good.id, status: 'success' });
  const other = await client.replayTriggerRun({ runId: bad.id, input: { n: 2 } });
  expect(await runOf(other.runId)).toMatchObject({ replayOf: bad.id, response: 2 });
  expect(await client.replayTriggerRuns({ triggerId: id, status: 'success', from: new Date(0) })).toEqual({
    replayed: 2,
    remaining: 0,
  });
  const { items } = await client.listTriggerRuns({ triggerId: id });
  expect(items).toHaveLength(6);
  const searched = await client.searchTriggerRuns({ triggerId: id, pageSize: 5 });
  expect([searched.items.map((run) => run.id), searched.nextPage]).toEqual([
    items.slice(0, 5).map((run) => run.id),
    { triggerId: id, pageSize: 5, offset: 5 },
  ]);
  const found = await client.searchTriggerRuns({ error: 'ZERO', from: bad.createdAt, to: new Date() });
  expect(found.items).toMatchObject([{ id: bad.id, triggerName: 'hook' }]);
  const byRecord = await client.searchTriggerRuns({ relayerRunId: good.relayerRunId });
  expect([good.relayerRunId, byRecord.items.map((run) => run.id)]).toEqual([expect.any(String), [good.id]]);
  const failed = await client.listTriggerRuns({ triggerId: id, status: 'failed', pageSize: 1 });
  expect(failed.items.map((run) => run.id)).toEqual([bad.id]);
  await client.deleteTrigger({ triggerId: id });
});

test('a create whose reply is lost creates one trigger', async () => {
  let isLost = false;
  const decide = () => {
    if (isLost) return 'pass';
    isLost = true;
    return 'lose';
  };
  await using proxy = await createProxy(stack.triggersUrl, decide);
  const behind = createTriggersClient({ url: proxy.url, token });
  const { id } = await behind.createTrigger({ name: 'once', kind: 'webhook', code, usageKey });
  expect(proxy.requests()).toBe(2);
  const { items } = await client.listTriggers();
  expect(items.filter(({ name }) => name === 'once').map((trigger) => trigger.id)).toEqual([id]);
  await client.deleteTrigger({ triggerId: id });
});

test('names the caller', async () => {
  expect(await client.getTriggersCaller()).toEqual({
    id: expect.any(String),
    account: expect.any(BigInt),
    label: 'test',
  });
});

/** Asks for a pairing. `paired` resolves once a person has approved it. */
async function requestPairing() {
  const { promise, resolve } = Promise.withResolvers<PairingRequest>();
  const paired = pairAgent({ url: stack.triggersUrl, label: 'laptop', onRequest: resolve });
  // A test can end before the agent asks again.
  paired.catch(() => {});
  const { authorizeUrl, userCode, expiresAt } = await promise;
  expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 9 * 60_000);
  return { code: new URL(authorizeUrl).searchParams.get('code') ?? '', userCode, paired };
}

test('the alert webhook is set, tested, its alerts are listed, and it is deleted', async () => {
  expect(await client.getAlerts()).toBeUndefined();
  const url = 'https://alerts.invalid/';
  const { secret, ...set } = await client.setAlerts({ url });
  expect(secret).toMatch(/^whsec_/);
  expect(set).toMatchObject({ url, afterFailures: 3, enabled: true, createdAt: expect.any(Date) });
  expect(await client.getAlerts()).toEqual(set);
  expect((await client.setAlerts({ url, afterFailures: 5 })).secret).toBeUndefined();
  expect((await client.setAlerts({ url, rotateSecret: true })).secret).not.toBe(secret);
  expect(await client.testAlerts()).toEqual(expect.any(String));
  expect(await client.listAlertDeliveries()).toEqual({ items: [], nextPage: undefined });
  expect(await client.replayAlerts({ failedSince: new Date(0) })).toBe(0);
  await client.removeAlerts();
  await expect(client.removeAlerts()).rejects.toMatchObject({ code: 'not_found' });
});

describe('people', () => {
  const url = stack.triggersUrl;

  test('log in with the account key, pair and revoke agents, and log out', async () => {
    const login = await logInToTriggers({ url, accountKey });
    expect(login.account).toBe((await client.getTriggersCaller()).account);
    expect(login.expiresAt.getTime()).toBeGreaterThan(Date.now() + 11 * 3_600_000);
    const person = createTriggersClient({ url, token: login.token });
    expect(await person.getTriggersCaller()).toMatchObject({ account: login.account, label: 'login' });

    const { code, userCode, paired } = await requestPairing();
    expect(await person.reviewPairing({ code })).toEqual({
      label: 'laptop',
      userCode,
      requestedFrom: '127.0.0.1',
      createdAt: expect.any(Date),
      expiresAt: expect.any(Date),
      grants: expect.arrayContaining([expect.any(String)]),
      validDays: 90,
    });
    await expect(client.approvePairing({ code })).rejects.toMatchObject({ code: 'forbidden', status: 403 });
    await person.approvePairing({ code });
    const agentClient = createTriggersClient({ url, ...(await paired) });
    expect(await agentClient.getTriggersCaller()).toMatchObject({ account: login.account, label: 'laptop' });
    const [agent] = await person.listAgents();
    expect(agent).toMatchObject({
      label: 'laptop',
      createdAt: expect.any(Date),
      expiresAt: expect.any(Date),
    });
    await person.revokeAgent({ agentId: agent?.id ?? '' });
    await expect(person.revokeAgent({ agentId: agent?.id ?? '' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await person.listAgents()).map(({ label }) => label)).toEqual(['test']);

    const denied = await requestPairing();
    await person.denyPairing({ code: denied.code });
    await expect(person.reviewPairing({ code: denied.code })).rejects.toMatchObject({ code: 'not_found' });
    await expect(denied.paired).rejects.toMatchObject({ code: 'not_found' });
    await expect(agentClient.listTriggers()).rejects.toMatchObject({ code: 'unauthorized' });

    await person.logOutOfTriggers();
    await expect(person.listAgents()).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(logInToTriggers({ url, accountKey: usageKey })).rejects.toMatchObject({ status: 401 });
  });

  test('log in with a wallet', async () => {
    const wallet = await newWallet('0');
    const { token, account } = await logInToTriggers({ url, wallet });
    expect(account).toBe(walletIdentity(wallet.account.address));
    const person = createTriggersClient({ url, token });
    expect(await person.listTriggers()).toEqual({ items: [] });
  });
});

describe('errors', () => {
  test('an invalid code, config and token', async () => {
    const fields = { name: 'x', usageKey, code };
    await expect(
      client.createTrigger({ ...fields, kind: 'webhook', code: 'let a = ;' }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('line 1, column 9') });
    await expect(
      client.createTrigger({ ...fields, kind: 'schedule', config: { cron: 'never' } }),
    ).rejects.toMatchObject({ status: 400 });
    const stranger = createTriggersClient({ url: stack.triggersUrl, token: 'x'.repeat(40) });
    await expect(stranger.listTriggers()).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
    expect(inspect(stranger, { depth: null })).not.toContain('xxx');
  });

  test('warnings are in the result', async () => {
    const made = await client.createTrigger({
      name: 'unknown key',
      kind: 'webhook',
      code,
      usageKey: 'an-unknown-key',
    });
    expect(made.warnings.map(({ code }) => code)).toEqual(['usage_key_unknown']);
    await client.deleteTrigger({ triggerId: made.id });
  });
});
