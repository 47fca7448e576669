/** Deliveries of every sender through HTTP. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { samples, signSample, verificationOf } from '../../test/sender-samples.ts';
import { configured, startWebhooks } from '../../test/webhooks.ts';

const table = Object.entries(samples).map(([name, sample]) => ({ name, sample, id: randomUUID() }));
const replying = { xml: randomUUID(), empty: randomUUID(), odd: randomUUID() };
const idOf = (wanted: string) => table.find(({ name }) => name === wanted)?.id ?? '';

let accepted = 0;
const service = await startWebhooks([
  ...table.map(({ id, sample }) => configured(id, { verification: verificationOf(sample) })),
  configured(replying.xml, { reply: { status: 201, content_type: 'text/xml', body: '<Response/>' } }),
  configured(replying.empty, { reply: { status: 204 } }),
  configured(replying.odd, { reply: { body: 'NUL \0, a lone surrogate \ud800, ü' } }),
]);
afterAll(async () => {
  expect(await service.stop()).toHaveLength(accepted);
});

const linesOf = (headers: Record<string, string[]>) =>
  Object.entries(headers).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));

describe.each(table)('$name', ({ sample, id }) => {
  test('a delivery fires once, a malformed signature is 401', async () => {
    const { headers, body, search } = await signSample(sample, { url: `${service.url}/webhook/${id}` });
    const post = (lines: string[]) => service.post(`${id}${search}`, body, lines);
    const first = await post(linesOf(headers));
    const status = sample.okStatus ?? 202;
    expect(first.status).toBe(status);
    const second = await post(linesOf(headers));
    expect(second.status).toBe(status);
    if (sample.repeats === 'never') expect(second.body.run_id).not.toBe(first.body.run_id);
    else expect(second.body.run_id).toBe(first.body.run_id);
    accepted += sample.repeats === 'never' ? 2 : 1;
    if (sample.signature === undefined) return;
    const { [sample.signature]: _right, ...others } = headers;
    for (const value of ['', 'x', 'v1', 'v1,', 't=,v1=', '=', '\u00e4'])
      expect(await post([...linesOf(others), `${sample.signature}: ${value}`])).toMatchObject({
        status: 401,
        body: { error: 'unauthorized', message: 'Invalid webhook signature.' },
      });
  });
});

test('a challenge is answered as the sender expects and fires nothing', async () => {
  const meta = '?hub.mode=subscribe&hub.verify_token=a%20verify%20token&hub.challenge=11%3C';
  for (const [path, method, text] of [
    [`${idOf('meta')}${meta}`, 'GET', '11<'],
    [`${idOf('microsoft_graph')}?validationToken=a%2Bb`, 'GET', 'a+b'],
    [`${idOf('microsoft_graph')}?validationToken=a%2Bb`, 'POST', 'a+b'],
    [`${idOf('slack, command')}?ssl_check=1`, 'GET', ''],
  ] as const) {
    const reply = await fetch(`${service.url}/webhook/${path}`, { method });
    expect([reply.status, await reply.text()]).toEqual([200, text]);
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(reply.headers.get('content-security-policy')).toContain('sandbox');
  }
  const discord = samples.discord ?? expect.unreachable();
  const { headers } = await signSample(discord, { body: '{"type":0}' });
  const flat = Object.fromEntries(Object.entries(headers).map(([name, [value = '']]) => [name, value]));
  const url = `${service.url}/webhook/${idOf('discord')}`;
  const pong = await fetch(url, { method: 'POST', headers: flat, body: '{"type":0}' });
  expect([pong.status, pong.headers.get('content-type')]).toEqual([204, 'application/json; charset=utf-8']);
});

test('the reply of the config replaces the id of the run', async () => {
  const post = (id: string) => fetch(`${service.url}/webhook/${id}`, { method: 'POST', body: 'x' });
  const xml = await post(replying.xml);
  expect([xml.status, xml.headers.get('content-type'), await xml.text()]).toEqual([
    201,
    'text/xml; charset=utf-8',
    '<Response/>',
  ]);
  const empty = await post(replying.empty);
  expect([empty.status, await empty.text()]).toEqual([204, '']);
  const odd = await post(replying.odd);
  expect([odd.status, await odd.text()]).toEqual([200, 'NUL \0, a lone surrogate \ufffd, ü']);
  accepted += 3;
});

test('the query reaches the action', async () => {
  const requestId = randomUUID();
  await service
    .post(`${replying.empty}?a=1&a=2&token=t`, 'x', [`X-Request-Id: ${requestId}`])
    .catch(() => {});
  accepted++;
  await expect.poll(() => service.ranFor(requestId)?.query).toEqual({ a: ['1', '2'], token: ['[masked]'] });
});
