import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { configured, startWebhooks } from '../../test/webhooks.ts';

const secret = 'a secret of the sender';
const signed = (body: string) =>
  `X-Hub-Signature-256: sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const delivery = (id: string) => `X-GitHub-Delivery: ${id}`;
const verified = (id: string) => configured(id, { verification: { scheme: 'github', secret } });

test('a delivery id fires once and returns the first run, also under concurrency', async () => {
  const [id, other] = [randomUUID(), randomUUID()];
  const service = await startWebhooks([verified(id), { id: other }]);
  const post = (to: string, deliveryId: string) =>
    service.post(to, '{}', [signed('{}'), delivery(deliveryId)]);
  const replies = await Promise.all(Array.from({ length: 20 }, () => post(id, 'one')));
  const later = await post(id, 'one');
  expect(new Set([...replies, later].map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set([...replies, later].map(({ body }) => body.run_id)).size).toBe(1);
  const two = await post(id, 'two');
  const elsewhere = await post(other, 'one');
  expect(new Set([later, two, elsewhere].map(({ body }) => body.run_id)).size).toBe(3);
  expect(await service.stop()).toHaveLength(3);
});

test('unsigned and malformed deliveries are refused before they count against limits', async () => {
  const id = randomUUID();
  const service = await startWebhooks([{ ...verified(id), maxRunsPerMinute: 2 }]);
  const json = 'Content-Type: application/json';
  for (let i = 0; i < 5; i++) {
    expect(await service.post(id, '{}', [json])).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
    expect(await service.post(id, '{}', [signed('{ }')])).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
    expect(await service.post(id, 'x', [json, signed('x')])).toMatchObject({
      status: 400,
      body: { error: 'invalid_json' },
    });
    // Without a signature, the reply does not depend on the body.
    expect(await service.post(id, 'x', [json])).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
  }
  for (const expected of [202, 202, 429])
    expect((await service.post(id, '{}', [signed('{}')])).status).toBe(expected);
  expect(await service.stop()).toHaveLength(2);
});

test.each([
  ['a trigger', { maxRunsPerMinute: 2 }, {}, 'runs-of-trigger', 202],
  ['an account', {}, { WEBHOOKS_PER_MINUTE_PER_ACCOUNT: '2' }, 'webhooks-of-account', 429],
  ['an address', {}, { WEBHOOKS_PER_MINUTE_PER_ADDRESS: '2' }, 'webhooks-of-address', 429],
])(
  'returns 429 over the limit of %s, which its headers name',
  async (_what, fields, settings, name, ofAnother) => {
    const [id, another] = [randomUUID(), randomUUID()];
    const service = await startWebhooks([{ id, ...fields }, { id: another }], settings);
    for (const status of [202, 202, 429]) {
      const reply = await service.post(id, 'x');
      expect(reply.status).toBe(status);
      const policy = reply.headers.get('ratelimit-policy');
      const state = reply.headers.get('ratelimit');
      if (status === 429) {
        const seconds = Number(reply.headers.get('retry-after'));
        expect(seconds).toBeGreaterThan(0);
        expect([policy, state]).toEqual([`"${name}";q=2;w=60`, `"${name}";r=0;t=${seconds}`]);
      } else expect(state).toMatch(/^"webhooks-of-address";r=\d+;t=(?:60|5\d)$/);
    }
    expect((await service.post(another, 'x')).status).toBe(ofAnother);
    expect(await service.stop()).toHaveLength(ofAnother === 202 ? 3 : 2);
  },
);

test('a flooded trigger does not use up the limit of its user', async () => {
  const [flooded, calm] = [randomUUID(), randomUUID()];
  const service = await startWebhooks([{ id: flooded, maxRunsPerMinute: 2 }, { id: calm }], {
    WEBHOOKS_PER_MINUTE_PER_ACCOUNT: '4',
  });
  for (let i = 0; i < 20; i++) await service.post(flooded, 'x');
  for (const expected of [202, 202, 429]) expect((await service.post(calm, 'x')).status).toBe(expected);
  expect(await service.stop()).toHaveLength(4);
});

test('a signed url_verification of Slack returns the challenge and fires nothing', async () => {
  const id = randomUUID();
  const service = await startWebhooks([configured(id, { verification: { scheme: 'slack', secret } })]);
  const body = JSON.stringify({ token: 't', challenge: '3eZbrw1aB', type: 'url_verification' });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const hmac = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  const lines = (signature: string) => [
    `X-Slack-Request-Timestamp: ${timestamp}`,
    `X-Slack-Signature: v0=${signature}`,
  ];
  const reply = await service.post(id, body, lines(hmac));
  expect([reply.status, reply.body]).toEqual([200, { challenge: '3eZbrw1aB' }]);
  expect((await service.post(id, body, lines('0'.repeat(64)))).status).toBe(401);
  expect(await service.stop()).toEqual([]);
});
