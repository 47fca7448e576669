import { randomUUID } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { beforeEach, expect, test } from 'vitest';
import { addTrigger, addUser } from '../../test/fixtures.ts';
import { type Sample, samples, signSample, verificationOf } from '../../test/sender-samples.ts';
import { startService } from '../../test/service.ts';
import { startTriggers } from '../index.ts';
import { webhook } from '../sources/webhook.ts';

let userId: string;
const service = disposeAfterAll(await startService());
beforeEach(async () => {
  userId = await addUser(service.db);
  service.relayer.behave = () => ({ kind: 'run' });
});

/** Adds a webhook trigger that replies with the result. Resolves to its id. */
async function add(wire: object, fields: Parameters<typeof addTrigger>[2] = {}): Promise<string> {
  const { sealer } = service.context;
  const id = randomUUID();
  const config = await webhook.accept({ respond: 'result', ...wire }, { id }, { sealer } as never);
  await addTrigger(service.db, userId, {
    id,
    config,
    usageApiKey: sealer.seal('a usage key', id),
    ...fields,
  });
  return id;
}
const returns = (response: unknown) => {
  service.relayer.behave = () => ({ kind: 'run', reply: { response } });
};
async function send(id: string, body: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${service.url}/webhook/${id}`, { method: 'POST', body, headers });
  return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
}
async function sendSample(id: string, sample: Sample) {
  const { headers, body } = await signSample(sample);
  return send(
    id,
    body,
    Object.fromEntries(Object.entries(headers).map(([name, [value = '']]) => [name, value])),
  );
}
const longest = { respond_within_ms: 25_000 };

test.each([
  ['an interaction of Discord', 'discord', { type: 4, data: { content: 'Hello.' } }],
  ['a slash command of Slack', 'slack, command', { response_type: 'in_channel', text: 'Hello.' }],
])(
  '%s is answered with what the action returned, also when it is repeated',
  async (_what, name, response) => {
    const sample = samples[name] as Sample;
    const id = await add({ ...longest, verification: verificationOf(sample) });
    returns(response);
    const expected = { status: 200, type: 'application/json; charset=utf-8', text: JSON.stringify(response) };
    expect(await sendSample(id, sample)).toEqual(expected);
    returns('another');
    if (name === 'discord') expect(await sendSample(id, sample)).toEqual(expected);
    const ping = { ...sample, body: '{"type":1}' };
    if (name === 'discord') expect(await sendSample(id, ping)).toMatchObject({ text: '{"type":1}' });
  },
);

test('a text is sent as text, or as the type of the reply', async () => {
  returns('<Response/>');
  expect(await send(await add(longest), '{}')).toEqual({
    status: 200,
    type: 'text/plain; charset=utf-8',
    text: '<Response/>',
  });
  const xml = await add({ ...longest, reply: { content_type: 'text/xml', body: '<Later/>' } });
  expect(await send(xml, '{}')).toMatchObject({ type: 'text/xml; charset=utf-8', text: '<Response/>' });
});

test('a failed run is told without its error and its logs', async () => {
  service.relayer.behave = () => ({
    kind: 'run',
    reply: { has_error: true, error: { name: 'Error', message: 'a secret' }, logs: 'a secret' },
  });
  const { status, text } = await send(await add(longest), '{}');
  expect([status, JSON.parse(text)]).toEqual([202, { run_id: expect.any(String), status: 'failed' }]);
});

test('a run that ends too late gets the usual reply, and a repetition its result', async () => {
  const held = Promise.withResolvers<void>();
  service.relayer.behave = () => ({ kind: 'hang', until: held.promise });
  const id = await add({ respond_within_ms: 1, delivery_header: 'x-id' });
  const headers = { 'X-Id': 'one' };
  const { status, text } = await send(id, '{}', headers);
  expect([status, JSON.parse(text)]).toEqual([202, { run_id: expect.any(String), status: 'queued' }]);
  held.resolve();
  await expect.poll(async () => (await send(id, '{}', headers)).text, { interval: 100 }).toBe('ok');
});

test('a paused trigger that holds its events does not wait', async () => {
  const id = await add(longest, { enabled: false, holdWhenPaused: true });
  expect(await send(id, '{}')).toMatchObject({ status: 202 });
});

test('a service that stops gives the usual reply to deliveries that wait', async () => {
  const { config } = service.context;
  const other = await startTriggers({ ...config, port: 0, metrics: { ...config.metrics, port: 0 } } as never);
  const never = Promise.withResolvers<void>();
  const asked = service.relayer.requests.length;
  service.relayer.behave = () => ({ kind: 'hang', until: never.promise });
  const id = await add(longest);
  const reply = fetch(`${other.url}/webhook/${id}`, { method: 'POST', body: '{}' });
  await expect.poll(() => service.relayer.requests.length, { timeout: 5_000 }).toBeGreaterThan(asked);
  const before = performance.now();
  await other.close();
  never.resolve();
  expect((await reply).status).toBe(202);
  expect(performance.now() - before).toBeLessThan(longest.respond_within_ms / 2);
});
