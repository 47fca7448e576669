// Refusals of keys, wallets and messages: routes/login/login.test.ts. Both logins decide with the same function.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { freePort, until } from '@latchkey/testing/until';
import { eq, getTableName, sql } from 'drizzle-orm';
import { numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  accountKey,
  type Browser,
  createBrowser,
  type ServiceWithAccounts,
  startWithAccounts,
  usageKey,
} from '../../test/browsers.ts';
import { createTriggersDatabase, settingsFor } from '../../test/database.ts';
import { removeExpired } from '../auth/expired.ts';
import { hashToken, newSecret } from '../auth/secrets.ts';
import { loginNonces, pairings, sessions, users } from '../db/schema.ts';

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const code = `${'c'.repeat(42)}A`;
let service: ServiceWithAccounts;
const chain = disposeAfterAll(await startChain());
beforeAll(async () => {
  service = await startWithAccounts({ SERVICE_RPC_URL: chain.url });
});
afterAll(async () => {
  await service.dispose();
});

const account = async ({ get }: Browser): Promise<unknown> =>
  ((await (await get('/api/me')).json()) as { account?: string }).account;
const storedSession = (browser: Browser) =>
  eq(sessions.tokenHash, hashToken(browser.cookies.get('session') ?? ''));

describe('POST /login', () => {
  test('redirects to the login page and logs in as the account of the key, which has one user', async () => {
    const mine = numberToHex(apiKeyHash(accountKey), { size: 32 });
    for (const browser of [service.browser(), service.browser()]) {
      const reply = await browser.logIn();
      expect([reply.status, reply.headers.get('location')]).toEqual([303, '/login']);
      expect(await account(browser)).toBe(mine);
    }
    expect(await service.db.select().from(users).where(eq(users.account, mine))).toHaveLength(1);
  });

  test('redirects to the login page and logs in as the identity of the wallet', async () => {
    const browser = service.browser();
    const reply = await browser.logInWith(wallet);
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/login']);
    expect(await account(browser)).toBe(numberToHex(walletIdentity(wallet.address), { size: 32 }));
  });

  test('sets an HttpOnly, SameSite=Lax cookie for seven days, and stores only its hash', async () => {
    const browser = service.browser();
    const reply = await browser.logIn();
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^session=[\w-]{43}; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const [stored] = await service.db.select().from(sessions).where(storedSession(browser));
    expect((stored?.expiresAt.getTime() ?? 0) - (stored?.createdAt.getTime() ?? 0)).toBe(7 * 86_400_000);
    expect(JSON.stringify(await service.db.select().from(sessions))).not.toContain(
      browser.cookies.get('session'),
    );
  });

  test('shows the form again with the error above it, for the same pairing', async () => {
    const browser = service.browser();
    const { page, status } = await browser.logIn(usageKey, code);
    expect(status).toBe(401);
    expect(browser.cookies.has('session')).toBe(false);
    expect(page).toMatch(/role="alert">This is a usage key\. Log in with the account key\.[\s\S]*<form/);
    expect(page).toContain(`name="code" value="${code}"`);
    expect(page).not.toContain(usageKey);
  });

  test('returns a page with 503 when the relayer does not answer', async () => {
    service.relayer.isDown = true;
    const reply = await service.browser().logIn();
    service.relayer.isDown = false;
    expect(reply.status).toBe(503);
    expect(reply.page).toContain('The service is temporarily unavailable.');
  });

  test('returns 400 for a repeated field, 400 for JSON and 413 for a large body', async () => {
    const send = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(`${service.url}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': type, accept: 'text/html' },
        body,
      });
    const key = encodeURIComponent(accountKey);
    expect((await send(`account_key=${key}`)).status).toBe(303);
    expect((await send(`account_key=${key}&account_key=${key}`)).status).toBe(400);
    expect((await send(JSON.stringify({ account_key: accountKey }), 'application/json')).status).toBe(400);
    expect((await send(`account_key=${'a'.repeat(40_000)}`)).status).toBe(413);
  });

  test('redirects to the requested pairing, and to no other URL', async () => {
    const browser = service.browser();
    const asked = await browser.get(`/agent/authorize?code=${code}`);
    expect(asked.headers.get('location')).toBe(`/login?code=${code}`);
    expect((await browser.get(`/login?code=${code}`)).page).toContain(`name="code" value="${code}"`);
    const target = `/agent/authorize?code=${code}`;
    expect((await browser.logIn(accountKey, code)).headers.get('location')).toBe(target);
    expect((await browser.get(`/login?code=${code}`)).headers.get('location')).toBe(target);
    for (const elsewhere of ['https://evil.example', '//evil.example', '/\\evil.example', `${code}@evil`]) {
      const reply = await service.browser().logIn(accountKey, elsewhere);
      expect(reply.headers.get('location')).toBe('/login');
      const login = await service.browser().get(`/login?code=${encodeURIComponent(elsewhere)}`);
      expect(login.page).not.toContain('evil');
    }
  });

  test('returns the error body of the API to scripts', async () => {
    const reply = await service
      .browser()
      .post(
        '/login',
        { message: 'm', signature: '0x', login_secret: newSecret() },
        { accept: 'application/json' },
      );
    expect(reply.status).toBe(401);
    expect(await reply.json()).toEqual({
      error: 'unauthorized',
      message: 'Wallet signature rejected.',
      fix: 'Ask for a new message, and sign it unchanged with the wallet that it names, within five minutes.',
      request_id: reply.headers.get('x-request-id'),
    });
  });

  test('does not store the account key', async () => {
    await service.browser().logIn();
    for (const table of [users, sessions, loginNonces, pairings]) {
      const rows = await service.db.select().from(table);
      expect(JSON.stringify(rows), getTableName(table)).not.toContain(accountKey);
    }
  });
});

test('POST /login/message returns 400 for a malformed address or secret', async () => {
  const { post } = service.browser();
  for (const fields of [
    { address: '0x1', login_secret: newSecret() },
    { address: wallet.address, login_secret: 'x' },
  ])
    expect((await post('/login/message', fields)).status).toBe(400);
});

test('removeExpired deletes expired sessions only', async () => {
  const browser = service.browser();
  await browser.logIn();
  const mine = storedSession(browser);
  await removeExpired(service.db);
  expect(await account(browser)).toBeDefined();
  await service.db.update(sessions).set({ expiresAt: sql`now() - interval '1 second'` }).where(mine);
  expect(await account(browser)).toBeUndefined();
  expect((await browser.get('/agent/authorize')).headers.get('location')).toBe('/login');
  await removeExpired(service.db);
  expect(await service.db.select().from(sessions).where(mine)).toEqual([]);
});

describe('a session', () => {
  test('has a new cookie after every login, which ends the session of the sent cookie', async () => {
    const browser = service.browser();
    const planted = `${'P'.repeat(42)}A`;
    browser.cookies.set('session', planted);
    await browser.logIn();
    const first = browser.cookies.get('session') ?? '';
    await browser.logIn();
    const second = browser.cookies.get('session') ?? '';
    expect(new Set([planted, first, second]).size).toBe(3);
    for (const [cookie, isOpen] of [
      [planted, false],
      [first, false],
      [second, true],
      // The stored hash does not open the session.
      [hashToken(second), false],
    ] as const) {
      const visitor = service.browser();
      visitor.cookies.set('session', cookie);
      expect((await account(visitor)) !== undefined).toBe(isOpen);
    }
  });

  test('is deleted on the server by a logout', async () => {
    const browser = service.browser();
    await browser.logIn();
    const kept = browser.cookies.get('session') ?? '';
    const reply = await browser.post('/logout', {});
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/login']);
    expect(browser.cookies.has('session')).toBe(false);
    browser.cookies.set('session', kept);
    expect(await account(browser)).toBeUndefined();
  });

  test('is not used by a request with an Authorization header', async () => {
    const browser = service.browser();
    await browser.logIn();
    const reply = await browser.get('/api/me', { authorization: `Bearer ${'t'.repeat(32)}` });
    expect(reply.status).toBe(401);
  });
});

test('uses __Host- cookies over https and ignores plain ones; returns 503 without the service chain', async () => {
  const service = await startWithAccounts({
    PUBLIC_URL: 'https://triggers.example',
    // Nothing listens on this port.
    SERVICE_RPC_URL: `http://127.0.0.1:${await freePort()}`,
  });
  const browser = service.browser();
  const wanted = { address: wallet.address, login_secret: newSecret() };
  expect((await browser.post('/login/message', wanted)).status).toBe(503);
  const reply = await browser.logIn();
  expect(reply.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-session=[\w-]{43}; .*; HttpOnly; Secure; SameSite=Lax$/),
  ]);
  expect(await account(browser)).toBeDefined();
  const plain = service.browser();
  plain.cookies.set('session', browser.cookies.get('__Host-session') ?? '');
  expect(await account(plain)).toBeUndefined();
  await service.dispose();
});

test('logs no account key, pairing code or cookie', async () => {
  const database = await createTriggersDatabase();
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: {
      ...process.env,
      ...settingsFor(database),
      PORT: String(port),
      LOG_LEVEL: 'trace',
      RELAYER_URLS: service.context.config.relayerUrls[0],
      SERVICE_RPC_URL: chain.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const browser = createBrowser(`http://127.0.0.1:${port}`);
  await until('the login page is served', async () => (await browser.get('/login')).status === 200);
  expect((await browser.logIn(accountKey, code)).status).toBe(303);
  service.relayer.isDown = true;
  expect((await createBrowser(`http://127.0.0.1:${port}`).logIn()).status).toBe(503);
  await browser.get(`/agent/authorize?code=${code}`);
  service.relayer.isDown = false;
  await until('the last request is logged', async () => output.includes('/agent/authorize'));
  const stopped = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await stopped;
  expect(output).toContain('"/login"');
  for (const secret of [accountKey, encodeURIComponent(accountKey), code, ...browser.cookies.values()])
    expect(output).not.toContain(secret);
  await database[Symbol.asyncDispose]();
});
