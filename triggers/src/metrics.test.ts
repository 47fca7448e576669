import { randomBytes } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { startService } from '../test/service.ts';
import { triggers } from './db/schema.ts';

const service = disposeAfterAll(await startService());
const { token } = await service.newAgent();

/** Returns the value of a sample such as `runs_failed_total{reason="action"}`, 0 when it is absent. */
async function read(sample: string): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.split(' ')[1] ?? 0,
  );
}
const becomes = (sample: string, value: number) =>
  until(`${sample} is ${value}`, async () => (await read(sample)) === value);

async function create(fields: object = {}): Promise<string> {
  const { body } = await service.ask('POST', '/api/triggers', token, {
    name: 'secret name',
    kind: 'webhook',
    action_code: 'code',
    usage_api_key: randomBytes(32).toString('base64'),
    ...fields,
  });
  return body.id;
}
const fire = (id: string) => service.ask('POST', `/api/triggers/${id}/test`, token);

test('counts runs by kind and reason, without text of users', async () => {
  const hook = await create();
  const tick = await create({ kind: 'schedule', config: { cron: '0 0 1 1 *' } });
  for (const id of [hook, hook, tick]) await fire(id);
  await becomes('runs_succeeded_total', 3);
  expect(await read('runs_accepted_total{kind="webhook"}')).toBe(2);
  expect(await read('runs_accepted_total{kind="schedule"}')).toBe(1);
  expect(await read('runs_started_total')).toBe(3);
  expect(await read('run_lag_seconds_count')).toBe(3);
  expect(await read('run_lag_seconds_sum')).toBeLessThan(3 * 30);

  const error = { name: 'secret_error', message: 'secret message' };
  service.relayer.behave = () => ({
    kind: 'run',
    reply: { response: null, logs: '', has_error: true, error },
  });
  await fire(hook);
  await becomes('runs_failed_total{reason="action"}', 1);
  // The name of an error of the service does not make it one.
  error.name = 'payment_required';
  await fire(hook);
  await becomes('runs_failed_total{reason="action"}', 2);
  service.relayer.behave = () => ({ kind: 'status', status: 404 });
  await fire(hook);
  await until(
    'a refusal is counted',
    async () =>
      (await read('runs_failed_total{reason="other"}')) +
        (await read('runs_failed_total{reason="not_found"}')) ===
      1,
  );
  expect(await read('runs_failed_total{reason="payment_required"}')).toBe(0);
  const replayed = await service.ask('POST', `/api/triggers/${hook}/replay`, token, { status: 'failed' });
  expect(replayed.body.replayed).toBe(3);
  expect(await read('runs_accepted_total{kind="webhook"}')).toBe(2 + 3 + 3);
  expect(await (await fetch(service.metricsUrl)).text()).not.toMatch(/secret/);
});

test('a delivery that is repeated is not counted again', async () => {
  const { body } = await service.ask('POST', '/api/triggers', token, {
    name: 'hook',
    kind: 'webhook',
    action_code: 'code',
    usage_api_key: 'a-key',
    config: { dedupe_by: 'body' },
  });
  const before = await read('runs_accepted_total{kind="webhook"}');
  for (const _ of [1, 2, 3]) await service.post(new URL(body.webhook_url).pathname, 'once');
  expect(await read('runs_accepted_total{kind="webhook"}')).toBe(before + 1);
});

test('shows runs that wait, held triggers and triggers that the service has paused', async () => {
  const set = async (fields: object) =>
    service.db
      .update(triggers)
      .set(fields)
      .where(eq(triggers.id, await create()));
  await set({ heldUntil: new Date(Date.now() + 60_000) });
  await set({ heldUntil: new Date(Date.now() - 1) });
  await set({ enabled: false, pausedReason: 'failed' });
  await set({ enabled: false });
  expect(await read('triggers_held')).toBe(1);
  expect(await read('triggers_paused')).toBe(1);
  await becomes('runs_waiting', 0);
  const held = await create();
  await service.db
    .update(triggers)
    .set({ heldUntil: new Date(Date.now() + 60_000) })
    .where(eq(triggers.id, held));
  await fire(held);
  expect(await read('runs_waiting')).toBe(1);
});
