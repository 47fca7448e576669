import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  accountKey,
  type Browser,
  otherAccountKey,
  startAgent,
  startWithAccounts,
} from '../../test/browsers.ts';

const ATTACK = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

let other: Browser;
const service = disposeAfterAll(await startWithAccounts());
const browser = service.browser();
beforeAll(async () => {
  await browser.logIn();
  other = service.browser();
  await other.logIn(otherAccountKey);
});

test('/login shows the account after the login, and links to the dashboard when DASHBOARD_URL is set', async () => {
  const { page } = await browser.get('/login');
  expect(page).toMatch(/Logged in as account <code>0x[0-9a-f]{64}<\/code>/);
  expect(page).not.toContain('dashboard');
  const linked = await startWithAccounts({ DASHBOARD_URL: 'https://app.example/' });
  const visitor = linked.browser();
  const pages = [await visitor.get('/login')];
  await visitor.logIn();
  pages.push(await visitor.get('/login'));
  await linked.dispose();
  for (const { page } of pages)
    expect(page).toContain('<a href="https://app.example/">Open the dashboard</a>');
});

test('the approval page shows name, code, address, time left, what is granted and the account', async () => {
  const agent = await startAgent(service, 'laptop');
  const { page, status } = await browser.get(agent.path);
  expect(status).toBe(200);
  for (const text of [
    '<bdi>laptop</bdi>',
    `<p class="code">${agent.userCode}</p>`,
    'from the address <code>127.0.0.1</code>',
    /expires in\s10 minutes/,
    'For 90 days',
    '<li>Start, stop and replay runs, which are charged to the account.</li>',
    '<form method="post" action="/agent/authorize">',
    '<button>Approve</button>',
    '<button formaction="/agent/deny">Deny</button>',
    'Logged in as account <code>0x',
  ])
    expect(page).toMatch(text);
});

test('a denied agent is not paired, and its link is gone', async () => {
  const agent = await startAgent(service, 'stranger');
  const { code } = agent;
  expect((await service.browser().post('/agent/deny', { code })).status).toBe(401);
  expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
  const denied = await browser.post('/agent/deny', { code });
  expect([denied.status, denied.page]).toEqual([200, expect.stringContaining('<bdi>stranger</bdi>')]);
  expect((await agent.complete()).status).toBe(404);
  expect((await browser.get(agent.path)).status).toBe(404);
  for (const path of ['/agent/deny', '/agent/authorize'])
    expect((await browser.post(path, { code })).status).toBe(404);
});

test('escapes text from outside on every page', async () => {
  const agent = await startAgent(service, ATTACK);
  const deniable = await startAgent(service, ATTACK);
  const pages = [
    await browser.get(agent.path),
    await browser.post('/agent/authorize', { code: agent.code }),
    await browser.post('/agent/deny', { code: deniable.code }),
  ];
  for (const { page } of pages) {
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toMatch(/<script|<img/);
    expect(page).not.toContain('onerror=alert(1)>');
  }
});

test('without a session, the approval page redirects to the login and its forms return 401', async () => {
  const anonymous = service.browser();
  const reply = await anonymous.get('/agent/authorize');
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/login']);
  for (const path of ['/agent/authorize', '/agent/deny'])
    expect((await anonymous.post(path, { code: 'c' })).status).toBe(401);
});

test('only a browser session approves an agent, and only by a form', async () => {
  const agent = await startAgent(service);
  const paired = await startAgent(service);
  await browser.post('/agent/authorize', { code: paired.code });
  await paired.complete();
  const { code } = agent;
  expect((await service.browser().post('/agent/authorize', { code }, paired.bearer)).status).toBe(401);
  expect((await browser.post('/agent/authorize', {})).status).toBe(400);
  expect((await browser.get(agent.path)).status).toBe(200);
  expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
  expect((await browser.post('/agent/authorize', { code })).status).toBe(200);
});

describe('the origin of a request', () => {
  const posts = ['/login', '/login/message', '/logout', '/agent/authorize', '/agent/deny'];
  const origins = (own: URL) => [
    'https://evil.example',
    'null',
    '',
    `http://127.0.0.1:${Number(own.port) + 1}`,
    `https://${own.host}`,
    `${own.origin}.evil.example`,
    `${own.origin}, https://evil.example`,
  ];

  test('of another page is refused with 403, and nothing changes', async () => {
    const agent = await startAgent(service);
    const own = new URL(service.url);
    for (const origin of origins(own)) {
      for (const path of posts) {
        const stranger = service.browser();
        stranger.cookies.set('session', browser.cookies.get('session') ?? '');
        const fields = { account_key: accountKey, code: agent.code };
        const reply = await stranger.post(path, fields, { origin });
        expect([origin, path, reply.status]).toEqual([origin, path, 403]);
        expect(reply.headers.getSetCookie()).toEqual([]);
      }
      const denied = await browser.post('/api/pairings/deny', { code: agent.code }, { origin });
      expect(denied.status).toBe(403);
    }
    expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
    expect((await browser.get('/api/me')).status).toBe(200);
  });

  test('can be PUBLIC_URL, or the address of the request with the scheme of PUBLIC_URL', async () => {
    const proxied = await startWithAccounts({ PUBLIC_URL: 'http://triggers.example' });
    const logIn = (origin: string) =>
      proxied.browser().post('/login', { account_key: accountKey }, { origin });
    const statuses = [
      await logIn('http://triggers.example'),
      await logIn(proxied.url),
      await logIn('https://triggers.example'),
      await logIn('http://elsewhere.example'),
    ].map(({ status }) => status);
    await proxied.dispose();
    expect(statuses).toEqual([303, 303, 403, 403]);
  });
});

describe('headers', () => {
  const strict =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  test.each(['/login', '/agent/authorize?code=unknown'])(
    '%s cannot be framed or cached, and runs no script after the login',
    async (path) => {
      const { headers, page } = await browser.get(path);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toBe(strict);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(page).not.toMatch(/<script|<style| style=| on\w+=/);
    },
  );

  test('the login page has one script, from this origin', async () => {
    const { headers, page } = await service.browser().get('/login');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'",
    );
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/pages/login.js" defer>']);
    expect(page).not.toMatch(/<style| style=| on\w+=/);
  });

  test.each([
    ['/pages/style.css', 'text/css; charset=utf-8'],
    ['/pages/login.js', 'text/javascript; charset=utf-8'],
  ])('%s has the content type %s', async (path, type) => {
    const reply = await fetch(service.url + path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe(type);
  });

  test('the API keeps its own policy', async () => {
    const { headers, status } = await browser.get('/api/me');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test('requests of pages are counted per route', async () => {
    await browser.get('/agent/authorize?code=unknown');
    await expect
      .poll(async () => (await fetch(service.metricsUrl)).text())
      .toMatch(
        /http_request_duration_seconds_count\{method="GET",route="\/agent\/authorize",status="404"\} \d/,
      );
  });
});
