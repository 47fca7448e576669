/** Limits on the length of a run: of the request, of its usage key, and of a client that has gone. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { addUsageKey, expectError, get, newAccount, post, stack } from '@latchkey/testing/stack';
import { expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

const code = 'const main = () => { for (;;); }';
const account = await newAccount();
const addKey = (caps: object = {}) => addUsageKey(account.key, { execute_in_groups: [0], ...caps });

type Ended = { has_error: boolean; error?: { name: string; message: string } };
test.each([
  ['timeout_ms of the request', {}, { timeout_ms: 1_500 }, 1_500],
  ['max_run_seconds of its key', { max_run_seconds: 1 }, {}, 1_000],
  ['the shorter of both, of the key', { max_run_seconds: 1 }, { timeout_ms: 60_000 }, 1_000],
  ['the shorter of both, of the request', { max_run_seconds: 60 }, { timeout_ms: 1_200 }, 1_200],
])('an endless run ends at %s, and its seconds are charged', async (_what, caps, more, limitMs) => {
  const { status, body, headers } = await post('svc_action', { code, ...more }, await addKey(caps));
  expect(status).toBe(200);
  expect((body as Ended).error).toMatchObject({
    name: 'TimeLimitError',
    message: `the action ran longer than ${limitMs} ms`,
  });
  const durationMs = Number(headers.get('x-run-duration-ms'));
  // A timer can end a millisecond early.
  expect(durationMs).toBeGreaterThanOrEqual(limitMs - 1);
  expect(Number(headers.get('x-run-cost-micros'))).toBe(Math.ceil(durationMs / 1_000) * 10_000);
});

test.each([
  [0, 400],
  [-1, 400],
  [3_600_001, 400],
  [1.5, 422],
  ['1000', 422],
] as const)('timeout_ms of %j is %i', async (timeout_ms, status) => {
  expectError(await post('svc_action', { code, timeout_ms }, await addKey()), status);
});

type Run = { id: string; status: string; error_name: string | null; charged_micros: number | null };
const runsOf = async (key: string): Promise<Run[]> => {
  const { body } = await get('list_runs', key);
  return body as Run[];
};
/** Sends a run of five seconds, and closes the request when the run has begun. */
async function leave(key: string, headers: Record<string, string> = {}): Promise<void> {
  const leaving = new AbortController();
  const sleeper = 'const main = () => new Promise((done) => setTimeout(done, 5_000, "done"))';
  const sent = fetch(`${stack.url}/core/v1/svc_action`, {
    method: 'POST',
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ code: sleeper }),
    signal: leaving.signal,
  });
  await expect.poll(async () => (await runsOf(key)).length, { timeout: 10_000 }).toBe(1);
  // The record is there some milliseconds before the code begins.
  await delay(1_000);
  leaving.abort();
  await expect(sent).rejects.toThrow();
}

test('a closed request stops its run, and the started seconds are charged', async () => {
  const key = await addKey();
  await leave(key);
  await expect
    .poll(async () => (await runsOf(key))[0], { timeout: 4_000 })
    .toMatchObject({ status: 'failed', error_name: 'StoppedError' });
  const [run] = await runsOf(key);
  expect(run?.charged_micros).toBeGreaterThanOrEqual(10_000);
  expect(run?.charged_micros).toBeLessThan(50_000);
});

test('a closed request with an Idempotency-Key does not stop its run', async () => {
  const key = await addKey();
  await leave(key, { 'Idempotency-Key': randomUUID() });
  await expect
    .poll(async () => (await runsOf(key))[0], { timeout: 20_000 })
    .toMatchObject({ status: 'success' });
});
