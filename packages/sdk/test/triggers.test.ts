/** The functions of triggers against the trigger service. */
import { inspect } from 'node:util';
import { pairAgent } from '@latchkey/testing/browser';
import { until } from '@latchkey/testing/until';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient, createTriggersClient, type TriggersClient } from '../src/index.ts';
import { stack } from './clients.ts';
import { createProxy } from './proxy.ts';

const actionCode = 'const main = ({ n }) => { if (n === 0) throw new RangeError("zero"); return n; }';

let token: string;
let usageApiKey: string;
let client: TriggersClient;
beforeAll(async () => {
  const { apiKey } = await createClient({ url: stack.url }).newAccount({
    accountName: 'triggers',
    accountDescription: '',
  });
  ({ usageApiKey } = await createClient({ url: stack.url, apiKey }).addUsageApiKey({
    executeInGroups: [0n],
  }));
  token = await pairAgent(stack.triggersUrl, apiKey);
  client = createTriggersClient({ url: stack.triggersUrl, token });
});

const newHook = () =>
  client.createTrigger({ name: 'hook', kind: 'webhook', actionCode, usageApiKey, defaultParams: { a: 1 } });
const runOf = async (runId: string) =>
  until('the run ends', async () => {
    const run = await client.getTriggerRun({ runId });
    return run.finishedAt !== undefined && run;
  });

test('creates, reads, lists, changes and deletes triggers', async () => {
  const { warnings, ...hook } = await newHook();
  expect(warnings).toEqual([]);
  expect(hook).toMatchObject({ name: 'hook', actionCode, defaultParams: { a: 1 }, enabled: true });
  expect(hook.createdAt).toBeInstanceOf(Date);
  expect(await client.getTrigger({ id: hook.id })).toEqual(hook);
  const tick = await client.createTrigger({
    name: 'tick',
    kind: 'schedule',
    actionCode,
    usageApiKey,
    enabled: true,
    config: { cron: '0 9 1 1 *', timezone: 'Europe/Berlin' },
  });
  expect(tick.nextRuns?.[0]).toBeInstanceOf(Date);
  const page = await client.listTriggers({ limit: 1 });
  expect([page.items[0]?.id, page.nextOffset]).toEqual([tick.id, 1]);
  expect((await client.listTriggers({ offset: 1 })).items.map(({ id }) => id)).toEqual([hook.id]);
  const changed = await client.updateTrigger({
    id: hook.id,
    name: 'other',
    maxQueuedRuns: 5,
    enabled: false,
  });
  expect(changed).toMatchObject({
    name: 'other',
    maxQueuedRuns: 5,
    enabled: false,
    actionCode,
    warnings: [],
  });
  for (const { id } of [hook, tick]) await client.deleteTrigger({ id });
  expect(await client.listTriggers()).toEqual({ items: [], nextOffset: undefined });
  await expect(client.getTrigger({ id: hook.id })).rejects.toMatchObject({ code: 'not_found', status: 404 });
});

test('tests a trigger, and reads and replays its runs', async () => {
  const { id } = await newHook();
  const good = await runOf((await client.testTrigger({ id, input: { n: 1 } })).runId);
  expect(good).toMatchObject({ triggerId: id, status: 'success', response: 1, attempt: 1, logs: '' });
  expect([good.costMicros, good.attempts.length]).toEqual([10_000n, 1]);
  const bad = await runOf((await client.testTrigger({ id, input: { n: 0 } })).runId);
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
  const failed = await client.listTriggerRuns({ triggerId: id, status: 'failed', limit: 1 });
  expect(failed.items.map((run) => run.id)).toEqual([bad.id]);
  await client.deleteTrigger({ id });
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
  const { id } = await behind.createTrigger({ name: 'once', kind: 'webhook', actionCode, usageApiKey });
  expect(proxy.requests()).toBe(2);
  const { items } = await client.listTriggers();
  expect(items.filter(({ name }) => name === 'once').map((trigger) => trigger.id)).toEqual([id]);
  await client.deleteTrigger({ id });
});

test('names the caller', async () => {
  expect(await client.getTriggersCaller()).toEqual({
    id: expect.any(String),
    account: expect.any(BigInt),
    label: 'test',
  });
});

describe('errors', () => {
  test('an invalid code, config and token', async () => {
    const fields = { name: 'x', usageApiKey, actionCode };
    await expect(
      client.createTrigger({ ...fields, kind: 'webhook', actionCode: 'let a = ;' }),
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
      actionCode,
      usageApiKey: 'an-unknown-key',
    });
    expect(made.warnings.map(({ code }) => code)).toEqual(['usage_key_unknown']);
    await client.deleteTrigger({ id: made.id });
  });
});
