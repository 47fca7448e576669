import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq, sql } from 'drizzle-orm';
import { numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { parseSiweMessage } from 'viem/siwe';
import { describe, expect, test } from 'vitest';
import { accountKey, startWithAccounts, unknownKey, usageKey } from '../../../test/browsers.ts';
import { hashToken, newSecret } from '../../auth/secrets.ts';
import { idempotency, loginNonces, sessions } from '../../db/schema.ts';

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const word = (hash: bigint) => numberToHex(hash, { size: 32 });
const account = word(apiKeyHash(accountKey));
const identity = word(walletIdentity(wallet.address));
const DASHBOARD = 'https://app.example:8443';

const chain = disposeAfterAll(await startChain());
const service = disposeAfterAll(
  await startWithAccounts({ SERVICE_RPC_URL: chain.url, DASHBOARD_URL: `${DASHBOARD}/console` }),
);

type Signed = { message: string; signature: string; login_secret: string };
/** Requests a message and signs it with the wallet. */
async function sign(at = service, signer = wallet): Promise<Signed> {
  const login_secret = newSecret();
  const { status, body } = await at.ask('POST', '/api/login/message', undefined, {
    address: wallet.address,
    login_secret,
  });
  expect(status).toBe(200);
  const { message } = body as { message: string };
  return { message, signature: await signer.signMessage({ message }), login_secret };
}
const logIn = (body: object = { account_key: accountKey }) =>
  service.ask('POST', '/api/login', undefined, body);
const me = (token: string) => service.ask('GET', '/api/me', token);

describe('POST /api/login', () => {
  test('returns a token of 12 hours to the holder of the account key, and stores only its hash', async () => {
    const { status, body } = await logIn({ account_key: ` ${accountKey}\n` });
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.any(String),
      account,
    });
    const [stored] = await service.db
      .select()
      .from(sessions)
      .where(eq(sessions.tokenHash, hashToken(body.token)));
    expect(stored?.expiresAt.toISOString()).toBe(body.expires_at);
    expect((stored?.expiresAt.getTime() ?? 0) - (stored?.createdAt.getTime() ?? 0)).toBe(12 * 3_600_000);
    expect(JSON.stringify(await service.db.select().from(sessions))).not.toContain(body.token);
    expect((await me(body.token)).body).toEqual({ id: expect.any(String), account, label: 'login' });
  });

  test('returns a token to the wallet that signed, which creates triggers', async () => {
    const { status, body } = await logIn(await sign());
    expect([status, body.account]).toEqual([200, identity]);
    const made = await service.ask('POST', '/api/triggers', body.token, {
      name: 'hook',
      kind: 'webhook',
      action_code: 'function main() {}',
      usage_api_key: usageKey,
    });
    expect(made.status).toBe(200);
    const listed = await service.ask('GET', '/api/triggers', body.token);
    expect(listed.body.triggers).toMatchObject([{ id: made.body.id }]);
  });

  test.each([
    ['a usage key', 401, { account_key: usageKey }],
    ['an unknown key', 401, { account_key: unknownKey }],
    ['a malformed key', 401, { account_key: 'hello' }],
    ['an unsigned message', 401, { message: 'm', signature: '0x', login_secret: newSecret() }],
    ['no field', 422, {}],
    ['a key of another type', 422, { account_key: 7 }],
    ['a signature without its secret', 422, { message: 'm', signature: '0x' }],
    ['a short secret', 401, { message: 'm', signature: '0x', login_secret: 'short' }],
  ])('refuses %s with %i, and repeats no value', async (_what, status, sent) => {
    const before = await service.db.$count(sessions);
    const reply = await logIn(sent);
    expect(reply.status).toBe(status);
    expect(await service.db.$count(sessions)).toBe(before);
    for (const value of [usageKey, unknownKey, 'hello', 'short'])
      expect(JSON.stringify(reply.body)).not.toContain(value);
  });

  test('returns 503 while the relayer does not answer', async () => {
    service.relayer.isDown = true;
    const { status } = await logIn();
    service.relayer.isDown = false;
    expect(status).toBe(503);
  });

  test('ignores Idempotency-Key: each login has a token of its own, and no reply is stored', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const tokens = [];
    for (let i = 0; i < 2; i++) {
      const reply = await service.post('/api/login', { account_key: accountKey }, headers);
      tokens.push(((await reply.json()) as { token: string }).token);
    }
    expect(new Set(tokens).size).toBe(2);
    expect(await service.db.$count(idempotency)).toBe(0);
  });

  test('lets pages of other origins read the reply, without cookies', async () => {
    const reply = await service.post(
      '/api/login',
      { account_key: accountKey },
      { origin: 'https://elsewhere.example' },
    );
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    expect(reply.headers.getSetCookie()).toEqual([]);
  });
});

describe('POST /api/login/message', () => {
  test('names the origin of the dashboard', async () => {
    const { message } = await sign();
    expect(parseSiweMessage(message)).toMatchObject({
      address: wallet.address,
      domain: 'app.example:8443',
      uri: `${DASHBOARD}/login`,
      chainId: 31_337,
    });
  });

  test('names the origin of the service without DASHBOARD_URL', async () => {
    const own = await startWithAccounts({ SERVICE_RPC_URL: chain.url });
    const { message } = await sign(own);
    await own.dispose();
    expect(parseSiweMessage(message)).toMatchObject({
      domain: new URL(own.url).host,
      uri: `${own.url}/login`,
    });
  });

  test('a message is good once, for the secret that asked for it, and for its wallet', async () => {
    const signed = await sign();
    expect((await logIn({ ...signed, login_secret: newSecret() })).status).toBe(401);
    expect((await logIn(signed)).status).toBe(200);
    expect((await logIn(signed)).status).toBe(401);
    const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`);
    expect((await logIn(await sign(service, stranger))).status).toBe(401);
  });

  test('a message of the pages is refused here, and one of the API is refused there', async () => {
    const browser = service.browser();
    expect((await logIn(await browser.sign(wallet))).status).toBe(401);
    expect((await browser.post('/login', await sign())).status).toBe(401);
  });

  test('stores only the hash of the secret', async () => {
    const { login_secret } = await sign();
    const stored = JSON.stringify(await service.db.select().from(loginNonces));
    expect(stored).toContain(hashToken(login_secret));
    expect(stored).not.toContain(login_secret);
  });

  test.each([
    ['a malformed address', 400, { address: '0x1', login_secret: newSecret() }],
    ['a short secret', 400, { address: wallet.address, login_secret: 'x' }],
    ['no secret', 422, { address: wallet.address }],
  ])('refuses %s with %i', async (_what, status, body) => {
    expect((await service.ask('POST', '/api/login/message', undefined, body)).status).toBe(status);
  });
});

describe('a login ends', () => {
  test('by POST /api/logout, and no other login does', async () => {
    const [one, other] = [(await logIn()).body.token, (await logIn()).body.token];
    const reply = await service.ask('POST', '/api/logout', one);
    expect([reply.status, reply.body]).toEqual([200, { success: true }]);
    expect((await me(one)).status).toBe(401);
    expect((await service.ask('POST', '/api/logout', one)).status).toBe(401);
    expect((await me(other)).status).toBe(200);
  });

  test('after 12 hours', async () => {
    const { token } = (await logIn()).body;
    await service.db
      .update(sessions)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(sessions.tokenHash, hashToken(token)));
    expect((await me(token)).status).toBe(401);
    expect((await service.ask('GET', '/api/agents', token)).status).toBe(401);
  });

  test('when the account is converted, and its account key can log in no longer', async () => {
    const { token } = (await logIn()).body;
    service.relayer.admins.set(account, { account, admin_wallet_address: wallet.address, managed: false });
    expect((await me(token)).status).toBe(401);
    expect((await service.ask('GET', '/api/agents', token)).status).toBe(401);
    expect((await logIn()).status).toBe(401);
    const mine = eq(sessions.tokenHash, hashToken(token));
    expect(await service.db.select().from(sessions).where(mine)).toEqual([]);
    service.relayer.admins.delete(account);
    expect((await logIn()).status).toBe(200);
  });
});

test('returns 429 over the login limit of an address, which pages and API share', async () => {
  const limited = await startWithAccounts({
    LOGINS_PER_MINUTE_PER_ADDRESS: '4',
    SERVICE_RPC_URL: chain.url,
    TRUST_PROXY: '1',
  });
  const from = { 'x-forwarded-for': '192.0.2.1' };
  const { post } = limited.browser();
  const [key, asked] = [{ account_key: unknownKey }, { address: wallet.address, login_secret: newSecret() }];
  const requests: ((of: typeof from) => Promise<Response>)[] = [
    (of) => post('/login', key, of),
    (of) => post('/login/message', asked, of),
    (of) => limited.post('/api/login/message', asked, of),
    (of) => limited.post('/api/login', key, of),
  ];
  for (const send of requests) expect((await send(from)).status).not.toBe(429);
  for (const send of requests) {
    const refused = await send(from);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await requests[0]?.({ 'x-forwarded-for': '192.0.2.2' }))?.status).toBe(401);
  await limited.dispose();
});
