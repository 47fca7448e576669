import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountKey, otherAccountKey, startAgent, startWithAccounts } from '../../../test/browsers.ts';
import { GRANTS } from '../../auth/pairing.ts';
import { hashToken } from '../../auth/secrets.ts';
import { agentTokens, idempotency } from '../../db/schema.ts';

let token: string;
let stranger: string;
const service = disposeAfterAll(await startWithAccounts({ TRUST_PROXY: '1' }));
beforeAll(async () => {
  [token, stranger] = [await logIn(accountKey), await logIn(otherAccountKey)];
});

const logIn = async (account_key: string): Promise<string> =>
  (await service.ask('POST', '/api/login', undefined, { account_key })).body.token;
const review = (step: 'review' | 'approve' | 'deny', code: string, by = token) =>
  service.ask('POST', `/api/pairings/${step}`, by, { code });
async function pairedAgent(label = 'laptop') {
  const agent = await startAgent(service, label);
  expect((await review('approve', agent.code)).body).toEqual({ success: true });
  expect((await agent.complete()).status).toBe(200);
  return { ...agent, id: hashToken(agent.token) };
}
const listed = async (by = token): Promise<{ id: string; last_used_at: string | null }[]> =>
  (await service.ask('GET', '/api/agents', by)).body.agents;

test('GET /api/agents lists own agents, newest first, and no login', async () => {
  const [older, newer] = [await pairedAgent('older'), await pairedAgent('newer')];
  const agents = await listed();
  expect(agents.slice(0, 2)).toEqual(
    [newer, older].map(({ id }, i) => ({
      id,
      label: ['newer', 'older'][i],
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      last_used_at: null,
    })),
  );
  expect(JSON.stringify(agents)).not.toContain(hashToken(token));
  expect(await listed(stranger)).toEqual([]);
});

test('DELETE /api/agents/:id revokes own agents only', async () => {
  const agent = await pairedAgent();
  const path = `/api/agents/${agent.id}`;
  expect((await service.ask('DELETE', path, stranger)).status).toBe(404);
  expect((await agent.me()).status).toBe(200);
  const reply = await service.ask('DELETE', path, token);
  expect([reply.status, reply.body]).toEqual([200, { success: true }]);
  expect((await agent.me()).status).toBe(401);
  expect((await service.ask('DELETE', path, token)).status).toBe(404);
  // A login is not an agent.
  expect((await service.ask('DELETE', `/api/agents/${hashToken(token)}`, token)).status).toBe(404);
  expect((await service.ask('GET', '/api/me', token)).status).toBe(200);
});

test('the last use of an agent is stored once per hour', async () => {
  const agent = await pairedAgent();
  const mine = eq(agentTokens.tokenHash, agent.id);
  const lastUse = async () => (await listed()).find(({ id }) => id === agent.id)?.last_used_at;
  const use = async (agoMs: number) => {
    await service.db
      .update(agentTokens)
      .set({ lastUsedAt: new Date(Date.now() - agoMs) })
      .where(mine);
    const before = await lastUse();
    await agent.me();
    return { isStored: (await lastUse()) !== before };
  };
  expect(await lastUse()).toBeNull();
  await agent.me();
  expect(Math.abs(Date.parse((await lastUse()) ?? '') - Date.now())).toBeLessThan(60_000);
  expect(await use(3_500_000)).toEqual({ isStored: false });
  expect(await use(3_700_000)).toEqual({ isStored: true });
});

test.each(['x', '%00', `${'a'.repeat(42)}%00`])('DELETE /api/agents/%s returns 400', async (id) => {
  expect((await service.ask('DELETE', `/api/agents/${id}`, token)).status).toBe(400);
});

describe('pairings', () => {
  test('review shows who asks, from where, until when and for what', async () => {
    const reply = await service.post(
      '/agent/pair',
      { token_hash: hashToken('t'), label: 'laptop' },
      { 'x-forwarded-for': '::ffff:192.0.2.7' },
    );
    const paired = (await reply.json()) as { authorize_url: string; user_code: string };
    const code = new URL(paired.authorize_url).searchParams.get('code') ?? '';
    const { status, body } = await review('review', code);
    expect([status, body]).toEqual([
      200,
      {
        label: 'laptop',
        user_code: paired.user_code,
        requested_from: '192.0.2.7',
        created_at: expect.any(String),
        expires_at: expect.any(String),
        grants: [...GRANTS],
        valid_days: 90,
      },
    ]);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(600_000);
  });

  test('an approval is for the account of the login, once', async () => {
    const agent = await startAgent(service);
    expect((await agent.complete()).status).toBe(200);
    expect((await agent.me()).status).toBe(401);
    expect((await review('approve', agent.code, stranger)).status).toBe(200);
    for (const step of ['review', 'approve', 'deny'] as const)
      expect((await review(step, agent.code)).status).toBe(404);
    expect(await (await agent.complete()).json()).toEqual({ status: 'authorized' });
    const { account } = (await (await agent.me()).json()) as { account: string };
    expect((await service.ask('GET', '/api/me', stranger)).body.account).toBe(account);
  });

  test('a denied agent gets 404, and its code is unknown', async () => {
    const agent = await startAgent(service);
    expect((await review('deny', agent.code)).body).toEqual({ success: true });
    expect((await agent.complete()).status).toBe(404);
    expect((await agent.me()).status).toBe(401);
    for (const step of ['review', 'approve', 'deny'] as const)
      expect((await review(step, agent.code)).status).toBe(404);
  });

  test('the stored outcome of an approval does not have the code', async () => {
    const agent = await startAgent(service);
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'k' };
    for (let i = 0; i < 2; i++)
      expect((await service.post('/api/pairings/approve', { code: agent.code }, headers)).status).toBe(200);
    expect(JSON.stringify(await service.db.select().from(idempotency))).not.toContain(agent.code);
  });
});

// Every caller at every endpoint: routes/authority.test.ts.
describe('authority', () => {
  test('an agent approves and denies no pairing', async () => {
    const [agent, waiting] = [await pairedAgent(), await startAgent(service)];
    for (const step of ['review', 'approve', 'deny'] as const)
      expect((await review(step, waiting.code, agent.token)).status).toBe(403);
    expect(await (await waiting.complete()).json()).toEqual({ status: 'pending' });
  });

  test('a browser session can, but not from a page of another origin', async () => {
    const browser = service.browser();
    await browser.logIn();
    const { code } = await startAgent(service);
    const send = (headers: Record<string, string>) =>
      service.post(
        '/api/pairings/approve',
        { code },
        {
          cookie: `session=${browser.cookies.get('session')}`,
          ...headers,
        },
      );
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({ origin: service.url })).status).toBe(200);
    expect((await browser.get('/api/agents')).status).toBe(200);
  });
});
