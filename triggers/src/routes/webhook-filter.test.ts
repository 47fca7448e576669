import { randomUUID } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { usageKey } from '../../test/fixtures.ts';
import { startService } from '../../test/service.ts';
import { runs } from '../db/schema.ts';

const service = disposeAfterAll(await startService());
const { token } = await service.newAgent();

const create = (config: object) =>
  service.ask('POST', '/api/triggers', token, {
    name: 'a trigger',
    kind: 'webhook',
    action_code: 'code',
    usage_api_key: usageKey,
    config,
  });
const send = (id: string, body: object) => service.post(`/webhook/${id}`, body);
const read = async (id: string) => (await service.ask('GET', `/api/triggers/${id}`, token)).body;

test('a delivery that does not match is ignored and costs nothing', async () => {
  const { id } = (await create({ if: 'event.type == "paid"' })).body;
  for (let repeats = 0; repeats < 2; repeats++) {
    const ignored = await send(id, { type: 'created' });
    expect([ignored.status, await ignored.json()]).toEqual([202, { status: 'ignored' }]);
  }
  const paid = await send(id, { type: 'paid' });
  expect([paid.status, await paid.json()]).toEqual([202, { run_id: expect.any(String), status: 'queued' }]);
  expect(await service.db.$count(runs)).toBe(1);
  const metrics = await (await fetch(service.metricsUrl)).text();
  expect(metrics).toContain('events_ignored_total{kind="webhook",reason="no_match"} 2');
  expect(await read(id)).toMatchObject({ filter_error: null });
});

test('an ignored delivery gets the reply of the config', async () => {
  const { id } = (await create({ if: 'false', reply: { status: 299, body: 'thanks' } })).body;
  const reply = await send(id, {});
  expect([reply.status, await reply.text()]).toEqual([299, 'thanks']);
});

test('a form that does not match is ignored', async () => {
  const { id } = (await create({ if: '"/hello" in form.command' })).body;
  const post = (command: string) =>
    fetch(`${service.url}/webhook/${id}`, { method: 'POST', body: new URLSearchParams({ command }) });
  expect(await (await post('/other')).json()).toEqual({ status: 'ignored' });
  expect(await (await post('/hello')).json()).toMatchObject({ status: 'queued' });
});

test('an error of the expression is shown in the trigger until its config changes', async () => {
  const { id } = (await create({ if: 'event.type == "paid"' })).body;
  expect(await (await send(id, {})).json()).toEqual({ status: 'ignored' });
  expect((await read(id)).filter_error).toEqual({ message: 'No such key: type', at: expect.any(String) });
  const change = { config: { if: 'has(event.type) && event.type == "paid"' } };
  expect((await service.ask('PATCH', `/api/triggers/${id}`, token, change)).body.filter_error).toBeNull();
  expect(await (await send(id, { type: 'paid' })).json()).toMatchObject({ status: 'queued' });
});

test('a malformed expression is refused with its position', async () => {
  expect(await create({ if: 'event.type = "paid"' })).toMatchObject({
    status: 400,
    body: {
      error: 'bad_request',
      message: expect.stringMatching(/^body\.config\.if: .*, at character 12\.$/),
    },
  });
});

test('a test tells whether the input matches, and a dry run fires nothing', async () => {
  const { id } = (await create({ if: 'event.type == "paid"' })).body;
  const before = await service.db.$count(runs);
  const tested = (body: object) => service.ask('POST', `/api/triggers/${id}/test`, token, body);
  const dry = (event: object) => tested({ input: { event }, dry_run: true });
  expect((await dry({ type: 'paid' })).body).toEqual({ status: 'dry_run', matches: true });
  expect((await dry({ type: 'x' })).body).toEqual({ status: 'dry_run', matches: false });
  const error = { status: 'dry_run', matches: false, filter_error: 'No such key: type' };
  expect((await dry({})).body).toEqual(error);
  expect(await service.db.$count(runs)).toBe(before);
  const run = await tested({ input: { event: { type: 'x' } } });
  expect(run.body).toEqual({ run_id: expect.any(String), status: 'queued', matches: false });
  expect((await service.ask('POST', `/api/triggers/${randomUUID()}/test`, token, {})).status).toBe(404);
});
