import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { type Chain, startChain } from '@latchkey/testing/chain';
import { freePort, until } from '@latchkey/testing/until';
import { eq, getTableName, sql } from 'drizzle-orm';
import { numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  accountKey,
  type Browser,
  createBrowser,
  otherAccountKey,
  type ServiceWithAccounts,
  startWithAccounts,
  unknownKey,
  usageKey,
} from '../../test/browsers.ts';
import { createTriggersDatabase, settingsFor } from '../../test/database.ts';
import { agentOrSession } from '../auth/authenticators.ts';
import { removeExpired } from '../auth/expired.ts';
import { hashToken } from '../auth/secrets.ts';
import { loginNonces, pairings, sessions, users } from '../db/schema.ts';

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`);
let chain: Chain;
beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

const account = async ({ get }: Browser): Promise<unknown> =>
  ((await (await get('/api/me')).json()) as { account?: string }).account;

/** Signs a login message like the script of the page. */
async function signed(browser: Browser, csrf: string, address: string = wallet.address) {
  const reply = await browser.post(
    '/login/wallet/message',
    { csrf, address },
    { accept: 'application/json' },
  );
  const { message } = (await reply.json()) as { message: string };
  return { csrf, message, signature: await wallet.signMessage({ message }) };
}

let service: ServiceWithAccounts;
beforeAll(async () => {
  service = await startWithAccounts({ SERVICE_RPC_URL: chain.url });
});
afterAll(() => service.dispose());

describe('POST /login/account-key', () => {
  test('redirects to the start page and logs in as the account of the key', async () => {
    const browser = service.browser();
    const reply = await browser.logIn();
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe('/');
    expect(await account(browser)).toBe(numberToHex(apiKeyHash(accountKey), { size: 32 }));
    expect((await browser.get('/')).status).toBe(200);
  });

  test('sets an HttpOnly, SameSite=Lax cookie for seven days, and stores only its hash', async () => {
    const browser = service.browser();
    const reply = await browser.logIn();
    const cookie = browser.cookies.get('session') ?? '';
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^session=[\w-]{43}; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const stored = await service.db.select().from(sessions);
    expect(stored.map(({ tokenHash }) => tokenHash)).toContain(hashToken(cookie));
    expect(JSON.stringify(stored)).not.toContain(cookie);
  });

  test.each([
    ['a usage key', usageKey, 401],
    ['an unknown key', unknownKey, 401],
    ['a malformed key', 'hello', 401],
  ])('refuses %s and opens no session', async (_what, key, status) => {
    const browser = service.browser();
    expect((await browser.logIn(key)).status).toBe(status);
    expect(browser.cookies.has('session')).toBe(false);
  });

  test('shows the form again with the error above it, for the same pairing', async () => {
    const browser = service.browser();
    const code = `${'c'.repeat(42)}A`;
    const { page, status } = await browser.logIn(usageKey, code);
    expect(status).toBe(401);
    expect(page).toMatch(/role="alert">This is a usage key\. Log in with the account key\.[\s\S]*<form/);
    expect(page).toContain(`name="code" value="${code}"`);
    expect(page).not.toContain(usageKey);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const again = await browser.post('/login/account-key', { csrf, account_key: accountKey, code });
    expect(again.headers.get('location')).toBe(`/agent/authorize?code=${code}`);
  });

  test('returns 503 when the relayer does not answer', async () => {
    service.relayer.isDown = true;
    const reply = await service.browser().logIn();
    service.relayer.isDown = false;
    expect(reply.status).toBe(503);
    expect(reply.page).not.toContain('500');
  });

  test('creates one user per account', async () => {
    await service.browser().logIn();
    await service.browser().logIn();
    const mine = numberToHex(apiKeyHash(accountKey), { size: 32 });
    expect(await service.db.select().from(users).where(eq(users.account, mine))).toHaveLength(1);
  });
});

describe('POST /login/wallet', () => {
  test('redirects to the start page and logs in as the identity of the wallet', async () => {
    const browser = service.browser();
    const csrf = await browser.csrfOn('/login');
    const reply = await browser.post('/login/wallet', await signed(browser, csrf));
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe('/');
    expect(await account(browser)).toBe(numberToHex(walletIdentity(wallet.address), { size: 32 }));
  });

  test('returns 401 for a replayed message, in the same and in another browser', async () => {
    const browser = service.browser();
    const csrf = await browser.csrfOn('/login');
    const form = await signed(browser, csrf);
    const other = service.browser();
    const stolen = { ...form, csrf: await other.csrfOn('/login') };
    expect((await other.post('/login/wallet', stolen)).status).toBe(401);
    expect((await browser.post('/login/wallet', form)).status).toBe(303);
    expect((await browser.post('/login/wallet', form)).status).toBe(401);
    expect((await other.post('/login/wallet', stolen)).status).toBe(401);
    expect(other.cookies.has('session')).toBe(false);
  });

  test('returns 401 for a signature of another wallet', async () => {
    const browser = service.browser();
    const csrf = await browser.csrfOn('/login');
    const form = await signed(browser, csrf, privateKeyToAccount(`0x${'22'.repeat(32)}`).address);
    expect((await browser.post('/login/wallet', form)).status).toBe(401);
  });

  test('returns 400 for a malformed address', async () => {
    const browser = service.browser();
    const csrf = await browser.csrfOn('/login');
    const reply = await browser.post('/login/wallet/message', { csrf, address: '0x1' });
    expect(reply.status).toBe(400);
  });
});

test('removeExpired deletes expired sessions only', async () => {
  const browser = service.browser();
  await browser.logIn();
  await signed(browser, await service.browser().csrfOn('/login')).catch(() => {});
  const mine = eq(sessions.tokenHash, hashToken(browser.cookies.get('session') ?? ''));
  await removeExpired(service.db);
  expect(await account(browser)).toBeDefined();
  await service.db.update(sessions).set({ expiresAt: sql`now() - interval '1 second'` }).where(mine);
  expect(await account(browser)).toBeUndefined();
  expect((await browser.get('/')).headers.get('location')).toBe('/login');
  await removeExpired(service.db);
  expect(await service.db.select().from(sessions).where(mine)).toEqual([]);
});

describe('a session', () => {
  let service: ServiceWithAccounts;
  beforeAll(async () => {
    service = await startWithAccounts({ SERVICE_RPC_URL: chain.url });
  });
  afterAll(() => service.dispose());

  test('expires after seven days', async () => {
    await service.browser().logIn();
    for (const { createdAt, expiresAt } of await service.db.select().from(sessions))
      expect(expiresAt.getTime() - createdAt.getTime()).toBe(7 * 86_400_000);
  });

  test('has a new cookie after every login, whatever cookie the browser sent', async () => {
    const browser = service.browser();
    const planted = `${'P'.repeat(42)}A`;
    browser.cookies.set('session', planted);
    await browser.logIn();
    const first = browser.cookies.get('session') ?? '';
    expect(first).not.toBe(planted);
    const csrf = await service.browser().csrfOn('/login');
    expect(csrf).not.toBe('');
    // The login page redirects logged-in users, so the form is loaded before.
    const again = service.browser();
    const form = { csrf: await again.csrfOn('/login'), account_key: accountKey };
    again.cookies.set('session', first);
    await again.post('/login/account-key', form);
    const second = again.cookies.get('session') ?? '';
    expect(new Set([planted, first, second]).size).toBe(3);
    for (const [cookie, isOpen] of [
      [planted, false],
      [first, false],
      [second, true],
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
    const reply = await browser.post('/logout', { csrf: await browser.csrfOn('/') });
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe('/login');
    expect(browser.cookies.has('session')).toBe(false);
    browser.cookies.set('session', kept);
    expect(await account(browser)).toBeUndefined();
  });

  test('is not ended by a form with the CSRF token of another session', async () => {
    const browser = service.browser();
    await browser.logIn();
    const other = service.browser();
    await other.logIn(otherAccountKey);
    expect((await browser.post('/logout', { csrf: await other.csrfOn('/') })).status).toBe(403);
    expect((await browser.post('/logout', {})).status).toBe(400);
    expect(await account(browser)).toBeDefined();
  });

  test('authenticates API requests: GET and HEAD without, other methods with its CSRF token', async () => {
    const browser = service.browser();
    await browser.logIn();
    const csrf = await browser.csrfOn('/');
    const other = service.browser();
    await other.logIn(otherAccountKey);
    const cookie = `session=${browser.cookies.get('session')}`;
    const ask = (method: string, headers: Record<string, string> = {}) =>
      agentOrSession.authenticate(service.context, {
        method,
        headers: { cookie, ...headers },
        ip: '',
        requestId: '',
        signal: new AbortController().signal,
      });
    const caller = { label: 'browser session', account: await account(browser), id: expect.any(String) };
    for (const method of ['GET', 'HEAD']) expect(await ask(method)).toMatchObject(caller);
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
      await expect(ask(method)).rejects.toMatchObject({ status: 403 });
      await expect(ask(method, { 'x-csrf-token': await other.csrfOn('/') })).rejects.toMatchObject({
        status: 403,
      });
      expect(await ask(method, { 'x-csrf-token': csrf })).toMatchObject(caller);
    }
    await expect(ask('GET', { authorization: `Bearer ${'t'.repeat(32)}` })).rejects.toMatchObject({
      status: 401,
    });
  });

  test('is not opened by its hash or its CSRF token', async () => {
    const browser = service.browser();
    await browser.logIn();
    const thief = service.browser();
    for (const value of [hashToken(browser.cookies.get('session') ?? ''), await browser.csrfOn('/')]) {
      thief.cookies.set('session', value);
      expect(await account(thief)).toBeUndefined();
    }
  });
});

describe('login forms', () => {
  let service: ServiceWithAccounts;
  beforeAll(async () => {
    service = await startWithAccounts({ SERVICE_RPC_URL: chain.url });
  });
  afterAll(() => service.dispose());

  const forms = [
    ['/login/account-key', { account_key: accountKey }],
    ['/login/wallet/message', { address: wallet.address }],
    ['/login/wallet', { message: 'm', signature: '0x' }],
  ] as const;

  test.each(forms)(
    '%s returns 403 for the CSRF token of another browser, 400 without one',
    async (path, fields) => {
      const browser = service.browser();
      const other = service.browser();
      const csrf = await other.csrfOn('/login');
      await browser.csrfOn('/login');
      expect((await browser.post(path, { ...fields, csrf })).status).toBe(403);
      expect((await browser.post(path, fields)).status).toBe(400);
      // Without a cookie.
      expect((await service.browser().post(path, { ...fields, csrf })).status).toBe(403);
      expect(browser.cookies.has('session')).toBe(false);
    },
  );

  test('return 400 for a repeated field, 400 for JSON and 413 for a large body', async () => {
    const browser = service.browser();
    const csrf = await browser.csrfOn('/login');
    const cookie = `browser=${browser.cookies.get('browser')}`;
    const send = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(`${service.url}/login/account-key`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'content-type': type, accept: 'text/html' },
        body,
      });
    const key = encodeURIComponent(accountKey);
    expect((await send(`csrf=${csrf}&account_key=${key}`)).status).toBe(303);
    expect((await send(`csrf=${csrf}&account_key=${key}&account_key=${key}`)).status).toBe(400);
    expect((await send(`csrf=${csrf}&csrf=${csrf}&account_key=${key}`)).status).toBe(400);
    expect((await send(JSON.stringify({ csrf, account_key: accountKey }), 'application/json')).status).toBe(
      400,
    );
    expect((await send(`csrf=${csrf}&account_key=${'a'.repeat(40_000)}`)).status).toBe(413);
  });

  test('redirect to the requested pairing, and to no other URL', async () => {
    const code = `${'c'.repeat(42)}A`;
    const browser = service.browser();
    expect((await browser.get(`/agent/authorize?code=${code}`)).headers.get('location')).toBe(
      `/login?code=${code}`,
    );
    expect((await browser.get(`/login?code=${code}`)).page).toContain(`name="code" value="${code}"`);
    expect((await browser.logIn(accountKey, code)).headers.get('location')).toBe(
      `/agent/authorize?code=${code}`,
    );
    for (const elsewhere of ['https://evil.example', '//evil.example', '/\\evil.example', `${code}@evil`]) {
      const reply = await service.browser().logIn(accountKey, elsewhere);
      expect(reply.headers.get('location')).toBe('/');
      const login = await service.browser().get(`/login?code=${encodeURIComponent(elsewhere)}`);
      expect(login.page).not.toContain('evil');
    }
  });

  test('return the error body of the API to scripts', async () => {
    const browser = service.browser();
    const csrf = await browser.csrfOn('/login');
    const reply = await browser.post(
      '/login/wallet',
      { csrf, message: 'm', signature: '0x' },
      { accept: 'application/json' },
    );
    expect(reply.status).toBe(401);
    expect(await reply.json()).toEqual({
      error: 'unauthorized',
      message: 'Wallet signature rejected.',
      fix: 'Try again.',
      request_id: reply.headers.get('x-request-id'),
    });
  });

  test('do not store the account key', async () => {
    await service.browser().logIn();
    for (const table of [users, sessions, loginNonces, pairings]) {
      const rows = await service.db.select().from(table);
      expect(JSON.stringify(rows), getTableName(table)).not.toContain(accountKey);
    }
  });
});

test('returns 429 over the login limit of an address, which all login routes share', async () => {
  const service = await startWithAccounts({
    LOGINS_PER_MINUTE_PER_ADDRESS: '3',
    SERVICE_RPC_URL: chain.url,
    TRUST_PROXY: '1',
  });
  const browser = service.browser();
  const csrf = await browser.csrfOn('/login');
  const fields = { csrf, account_key: unknownKey, address: wallet.address, message: 'm', signature: '0x' };
  const paths = ['/login/account-key', '/login/wallet/message', '/login/wallet'];
  const from = { 'x-forwarded-for': '192.0.2.1' };
  for (const path of paths) expect((await browser.post(path, fields, from)).status).not.toBe(429);
  for (const path of paths) {
    const refused = await browser.post(path, fields, from);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = { 'x-forwarded-for': `192.0.2.${path.length}` };
    expect((await browser.post(path, fields, elsewhere)).status).not.toBe(429);
  }
  await service.dispose();
});

test('uses __Host- cookies over https and ignores plain ones; returns 503 without the service chain', async () => {
  const service = await startWithAccounts({
    PUBLIC_URL: 'https://triggers.example',
    SERVICE_RPC_URL: `http://127.0.0.1:${await freePort()}`,
  });
  const browser = service.browser();
  const page = await browser.get('/login');
  expect(page.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-browser=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ]);
  // Nothing listens on the port of the service chain.
  const csrf = await browser.csrfOn('/login');
  const wanted = await browser.post('/login/wallet/message', { csrf, address: wallet.address });
  expect(wanted.status).toBe(503);
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
  const other = await startWithAccounts();
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: {
      ...process.env,
      ...settingsFor(database),
      PORT: String(port),
      LOG_LEVEL: 'trace',
      RELAYER_URLS: other.context.config.relayerUrls[0],
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
  const code = `${'c'.repeat(42)}A`;
  expect((await browser.logIn(accountKey, code)).status).toBe(303);
  other.relayer.isDown = true;
  expect((await createBrowser(`http://127.0.0.1:${port}`).logIn()).status).toBe(503);
  await browser.get(`/agent/authorize?code=${code}`);
  await until('the last request is logged', async () => output.includes('/agent/authorize'));
  const stopped = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await stopped;
  expect(output).toContain('/login/account-key');
  for (const secret of [accountKey, encodeURIComponent(accountKey), code, ...browser.cookies.values()])
    expect(output).not.toContain(secret);
  await other.dispose();
  await database[Symbol.asyncDispose]();
});
