/** Runs with a `concurrency_key`, at two relayers on one database. */
import { randomUUID } from 'node:crypto';
import { addUsageKey, call, expectError, newAccount, payAndConfirm } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

vi.setConfig({ testTimeout: 120_000 });

type Reply = Awaited<ReturnType<typeof call>>;

const resources = new AsyncDisposableStack();
let urls: string[];
let key: string;
let accountKey: string;
beforeAll(async () => {
  const first = resources.use(await ownRelayer());
  const second = resources.use(await first.sibling());
  urls = [first.url, second.url];
  const account = await newAccount();
  accountKey = account.key;
  await payAndConfirm({ 'X-Api-Key': accountKey }, { url: first.url });
  key = await addUsageKey(accountKey, { execute_in_groups: [0] });
});
afterAll(() => resources.disposeAsync());

const code = `async function main({ ms }) {
  const from = Date.now();
  await new Promise((done) => setTimeout(done, ms));
  return [from, Date.now()];
}`;
const run = (concurrency_key: unknown, { ms = 200, at = 0, more = {} } = {}): Promise<Reply> =>
  call(
    'POST',
    'svc_action',
    { key, body: { code, js_params: { ms }, concurrency_key, ...more } },
    urls[at % 2],
  );
const times = async (reply: Promise<Reply>): Promise<[number, number]> => {
  const { status, body } = await reply;
  expect(status).toBe(200);
  return (body as { response: [number, number] }).response;
};
const overlaps = (periods: [number, number][]): boolean =>
  periods.toSorted(([a], [b]) => a - b).some(([from], index, all) => from < (all[index - 1]?.[1] ?? 0));

test('runs with one key run one after another, at whichever relayer', async () => {
  const periods = await Promise.all([0, 1, 0, 1, 0, 1].map((at) => times(run('payouts', { at }))));
  expect(overlaps(periods)).toBe(false);
});

test('runs without a key, or with other keys, do not wait', async () => {
  const slow = times(run('slow', { ms: 2_000 }));
  const others = await Promise.all([times(run(null, { at: 1 })), times(run('other', { at: 1 }))]);
  const [, end] = await slow;
  for (const [, otherEnd] of others) expect(otherEnd).toBeLessThan(end);
});

test('the forms of an address are one key', async () => {
  const address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
  const forms = [address, address.toLowerCase(), address, address.toLowerCase()];
  const periods = await Promise.all(forms.map((form, at) => times(run(form, { at }))));
  expect(overlaps(periods)).toBe(false);
});

test('a run that waits can be stopped, costs nothing, and the next one begins', async () => {
  const listed = (query: string) => call('GET', `list_runs?${query}`, { key: accountKey }, urls[0]);
  const first = times(run('stopped', { ms: 6_000 }));
  await expect.poll(async () => (await listed('status=running')).body, { timeout: 20_000 }).toHaveLength(1);
  const closing = new AbortController();
  const left = fetch(`${urls[0]}/core/v1/svc_action`, {
    method: 'POST',
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ code, js_params: { ms: 5_000 }, concurrency_key: 'stopped' }),
    signal: closing.signal,
  }).catch(() => {});
  await new Promise((done) => setTimeout(done, 1_000));
  closing.abort();
  await left;
  const [from] = await times(run('stopped', { at: 1, ms: 1 }));
  expect(from - (await first)[1]).toBeLessThan(2_000);
  const { body } = await listed('error_name=StoppedError');
  expect(body).toEqual([expect.objectContaining({ status: 'failed', duration_ms: 0, charged_micros: 0 })]);
});

test.each(['', 'k'.repeat(201)])('a key of %j is refused', async (text) => {
  expectError(await run(text), 422);
});

test('a run that waits is stopped by its Idempotency-Key before its code begins, at no cost, and by its usage key only', async () => {
  const idempotencyKey = randomUUID();
  const first = run('stopped', { ms: 3_000 });
  const waits = call(
    'POST',
    'svc_action',
    {
      key,
      body: { code, js_params: { ms: 0 }, concurrency_key: 'stopped' },
      headers: { 'Idempotency-Key': idempotencyKey },
    },
    urls[1],
  );
  const otherKey = await addUsageKey(accountKey, { execute_in_groups: [0] });
  for (const stranger of [otherKey, accountKey])
    expectError(await call('DELETE', `run/${idempotencyKey}`, { key: stranger }, urls[0]), 404);
  const stop = () => call('DELETE', `run/${idempotencyKey}`, { key }, urls[0]);
  const stopped = await until('the run is stopped', async () => {
    const reply = await stop();
    return reply.status === 200 && reply;
  });
  expect(stopped.body).toMatchObject({ status: 'failed', error_name: 'StoppedError', charged_micros: 0 });
  expect((await waits).body).toMatchObject({ has_error: true, error: { name: 'StoppedError' } });
  expectError(await stop(), 404);
  expect((await first).body).toMatchObject({ has_error: false });
});
