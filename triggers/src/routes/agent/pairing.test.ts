import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accountKey,
  type Browser,
  otherAccountKey,
  type ServiceWithAccounts,
  startAgent,
  startWithAccounts,
} from '../../../test/browsers.ts';
import { hashToken } from '../../auth/secrets.ts';
import { agentTokens, pairings } from '../../db/schema.ts';

const MY_ACCOUNT = /^0x[0-9a-f]{64}$/;

let service: ServiceWithAccounts;
let browser: Browser;
beforeAll(async () => {
  service = await startWithAccounts();
  browser = service.browser();
  await browser.logIn();
});
afterAll(() => service.dispose());

const approve = (code: string, by = browser) => by.post('/agent/authorize', { code });
const pairedAgent = async () => {
  const agent = await startAgent(service);
  await approve(agent.code);
  expect((await agent.complete()).status).toBe(200);
  return agent;
};

test('an agent is paired only after approval', async () => {
  const agent = await startAgent(service, 'laptop');
  expect((await agent.me()).status).toBe(401);
  expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
  const { page } = await browser.get(agent.path);
  expect(page).toContain('<bdi>laptop</bdi>');
  expect(page).toContain(agent.userCode);
  expect((await agent.me()).status).toBe(401);
  expect((await approve(agent.code)).status).toBe(200);
  expect((await agent.me()).status).toBe(401);
  expect(await (await agent.complete()).json()).toEqual({ status: 'authorized' });
  const me = await agent.me();
  expect(me.status).toBe(200);
  expect(await me.json()).toEqual({
    id: expect.any(String),
    account: expect.stringMatching(MY_ACCOUNT),
    label: 'laptop',
  });
});

test('POST /agent/pair returns a link, a code to compare and an expiry of ten minutes', async () => {
  const reply = await service.post('/agent/pair', { token_hash: hashToken('x'.repeat(32)) });
  expect(reply.status).toBe(200);
  const body = await reply.json();
  expect(body).toEqual({
    authorize_url: expect.stringMatching(/\/agent\/authorize\?code=[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    expires_in_seconds: 600,
  });
  expect((body as { authorize_url: string }).authorize_url.startsWith(`${service.url}/`)).toBe(true);
});

test('stores only hashes of codes and tokens', async () => {
  const agent = await pairedAgent();
  const stored = JSON.stringify([
    await service.db.select().from(pairings),
    await service.db.select().from(agentTokens),
  ]);
  expect(stored).toContain(createHash('sha256').update(agent.code).digest('base64url'));
  expect(stored).toContain(createHash('sha256').update(agent.token).digest('base64url'));
  expect(stored).not.toContain(agent.code);
  expect(stored).not.toContain(agent.token);
});

describe('malformed requests', () => {
  test.each([
    ['a short hash', 400, 'A'.repeat(42)],
    ['a long hash', 400, 'A'.repeat(44)],
    ['base64 instead of base64url', 400, `+${'A'.repeat(42)}`],
    ['stray bits in the last character', 400, `${'A'.repeat(42)}B`],
    ['a number', 422, 7],
    ['no value', 422, undefined],
  ])('a token_hash with %s returns %i', async (_what, status, hash) => {
    expect((await service.post('/agent/pair', { token_hash: hash })).status).toBe(status);
  });

  test.each([
    ['NUL', 400, 'a\0b'],
    ['more than 128 bytes', 422, 'é'.repeat(65)],
  ])('a label with %s returns %i', async (_what, status, label) => {
    const sent = { token_hash: hashToken('x'), label };
    expect((await service.post('/agent/pair', sent)).status).toBe(status);
  });

  test('POST /agent/pair/complete without a code returns 422', async () => {
    const reply = await service.post(
      '/agent/pair/complete',
      {},
      { authorization: `Bearer ${'t'.repeat(32)}` },
    );
    expect(reply.status).toBe(422);
  });
});

describe('401', () => {
  test.each([
    ['no header', {}],
    ['another scheme', { authorization: `Basic ${'t'.repeat(32)}` }],
    ['31 characters', { authorization: `Bearer ${'t'.repeat(31)}` }],
    ['513 characters', { authorization: `Bearer ${'t'.repeat(513)}` }],
    ['a character outside the token alphabet', { authorization: `Bearer ${'t'.repeat(32)}+` }],
  ])('complete and revoke return 401 with %s', async (_what, headers) => {
    const agent = await startAgent(service);
    expect((await agent.complete(headers as Record<string, string>)).status).toBe(401);
    expect((await service.post('/agent/revoke', {}, headers as Record<string, string>)).status).toBe(401);
  });

  test.each([32, 512])('accepts a token of %i characters', async (length) => {
    const agent = await startAgent(service);
    expect((await agent.complete({ authorization: `Bearer ${'t'.repeat(length)}` })).status).toBe(403);
  });

  test('returns 401 with a session instead of a token', async () => {
    const agent = await startAgent(service);
    await approve(agent.code);
    const reply = await browser.post('/agent/pair/complete', { code: agent.code });
    expect(reply.status).toBe(401);
  });
});

test('another token returns 403 before and after approval, and changes nothing', async () => {
  const agent = await startAgent(service);
  const thief = { authorization: `Bearer ${'thief'.repeat(10)}` };
  expect((await agent.complete(thief)).status).toBe(403);
  await approve(agent.code);
  expect((await agent.complete(thief)).status).toBe(403);
  expect((await fetch(`${service.url}/api/me`, { headers: thief })).status).toBe(401);
  expect(await (await agent.complete()).json()).toEqual({ status: 'authorized' });
});

describe('404', () => {
  const expire = (code: string) =>
    service.db
      .update(pairings)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(pairings.codeHash, hashToken(code)));

  test('an unknown code', async () => {
    const agent = await startAgent(service);
    expect((await agent.complete(agent.bearer, 'A'.repeat(43))).status).toBe(404);
    expect((await approve('A'.repeat(43))).status).toBe(404);
    expect((await browser.get(`/agent/authorize?code=${'A'.repeat(43)}`)).status).toBe(404);
    expect((await browser.get('/agent/authorize')).status).toBe(404);
  });

  test('an expired code', async () => {
    const agent = await startAgent(service);
    await expire(agent.code);
    expect((await browser.get(agent.path)).status).toBe(404);
    expect((await approve(agent.code)).status).toBe(404);
    expect((await agent.complete()).status).toBe(404);
  });

  test('a code that expired after its approval', async () => {
    const agent = await startAgent(service);
    await approve(agent.code);
    await expire(agent.code);
    expect((await agent.complete()).status).toBe(404);
    expect((await agent.me()).status).toBe(401);
  });

  test('a used code', async () => {
    const agent = await pairedAgent();
    expect((await agent.complete()).status).toBe(404);
    expect((await browser.get(agent.path)).status).toBe(404);
    expect((await approve(agent.code)).status).toBe(404);
    expect((await agent.me()).status).toBe(200);
  });
});

describe('concurrency', () => {
  test('one of 12 concurrent approvals succeeds', async () => {
    const agent = await startAgent(service);
    const others = await Promise.all(
      [accountKey, otherAccountKey, accountKey, otherAccountKey].map(async (key) => {
        const other = service.browser();
        await other.logIn(key);
        return other;
      }),
    );
    const replies = await Promise.all(
      others.flatMap((other) => [1, 2, 3].map(() => approve(agent.code, other))),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(404)]);
  });

  test('one of 20 concurrent completions succeeds', async () => {
    const agent = await startAgent(service);
    await approve(agent.code);
    const replies = await Promise.all(Array.from({ length: 20 }, () => agent.complete()));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)]);
  });
});

test('a token expires after 90 days', async () => {
  const agent = await pairedAgent();
  const mine = eq(agentTokens.tokenHash, hashToken(agent.token));
  const [stored] = await service.db.select().from(agentTokens).where(mine);
  const days = ((stored?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThanOrEqual(90);
  await service.db.update(agentTokens).set({ expiresAt: sql`now() - interval '1 second'` }).where(mine);
  expect((await agent.me()).status).toBe(401);
  expect((await service.post('/agent/revoke', {}, agent.bearer)).status).toBe(401);
});

test('a revoked token returns 401 immediately, as does a second revocation', async () => {
  const agent = await pairedAgent();
  const bystander = await pairedAgent();
  const reply = await service.post('/agent/revoke', {}, agent.bearer);
  expect(reply.status).toBe(200);
  expect(await reply.json()).toEqual({ success: true });
  expect((await agent.me()).status).toBe(401);
  expect((await service.post('/agent/revoke', {}, agent.bearer)).status).toBe(401);
  expect((await bystander.me()).status).toBe(200);
});

test('a token that is paired again belongs to the user of the last pairing', async () => {
  const agent = await pairedAgent();
  const reply = await service.post('/agent/pair', { token_hash: hashToken(agent.token) });
  const { authorize_url } = (await reply.json()) as { authorize_url: string };
  const code = new URL(authorize_url).searchParams.get('code') ?? '';
  const other = service.browser();
  await other.logIn(otherAccountKey);
  const before = await (await agent.me()).json();
  await approve(code, other);
  expect(await (await agent.me()).json()).toEqual(before);
  await agent.complete(agent.bearer, code);
  expect(await (await agent.me()).json()).not.toEqual(before);
});

describe('429', () => {
  let service: ServiceWithAccounts;
  beforeAll(async () => {
    service = await startWithAccounts({
      PAIRINGS_PER_MINUTE_PER_ADDRESS: '3',
      PAIRING_POLLS_PER_MINUTE_PER_ADDRESS: '4',
      TRUST_PROXY: '1',
    });
  });
  afterAll(() => service.dispose());

  test.each([
    ['/agent/pair', 3, 200],
    ['/agent/pair/complete', 4, 404],
  ])('%s returns 429 after %i requests from one address', async (path, allowed, status) => {
    const send = (ip: string) =>
      service.post(
        path,
        { token_hash: hashToken('t'), code: 'c' },
        { 'x-forwarded-for': ip, authorization: `Bearer ${'t'.repeat(32)}` },
      );
    for (let i = 0; i < allowed; i++) expect((await send('192.0.2.1')).status).toBe(status);
    const refused = await send('192.0.2.1');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send('192.0.2.2')).status).toBe(status);
  });
});
