import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Browser,
  otherAccountKey,
  type ServiceWithAccounts,
  startAgent,
  startWithAccounts,
} from '../../test/browsers.ts';
import { time } from './shared.ts';

const ATTACK = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

let service: ServiceWithAccounts;
let browser: Browser;
let other: Browser;
beforeAll(async () => {
  service = await startWithAccounts();
  browser = service.browser();
  await browser.logIn();
  other = service.browser();
  await other.logIn(otherAccountKey);
});
afterAll(() => service.dispose());

const pair = async (label?: string) => {
  const agent = await startAgent(service, label);
  await browser.post('/agent/authorize', { csrf: await browser.csrfOn('/'), code: agent.code });
  await agent.complete();
  return agent;
};

test('/ links to the agents and the API, and to the dashboard when DASHBOARD_URL is set', async () => {
  const { page } = await browser.get('/');
  expect(page).toContain('href="/agents"');
  expect(page).toContain('href="/api/swagger-ui"');
  expect(page).not.toContain('dashboard');
  const linked = await startWithAccounts({ DASHBOARD_URL: 'https://app.example/' });
  const visitor = linked.browser();
  const link = '<a href="https://app.example/">Open the dashboard</a>';
  const login = await visitor.get('/login');
  await visitor.logIn();
  const start = await visitor.get('/');
  await linked.dispose();
  for (const { page } of [login, start]) expect(page).toContain(link);
});

test('the approval page shows name, code, address, time left and what is granted', async () => {
  const agent = await startAgent(service, 'laptop');
  const { page, status } = await browser.get(agent.path);
  expect(status).toBe(200);
  for (const text of [
    '<bdi>laptop</bdi>',
    `<p class="code">${agent.userCode}</p>`,
    'from the address <code>127.0.0.1</code>',
    'expires in 10 minutes',
    'For 90 days',
    '<li>Start, stop and replay runs, which are charged to the account.</li>',
    '<button>Approve</button>',
    '<button formaction="/agent/deny">Deny</button>',
  ])
    expect(page).toContain(text);
});

test('a denied agent is not paired, and its link is gone', async () => {
  const agent = await startAgent(service, 'stranger');
  const csrf = await browser.csrfOn('/');
  const { code } = agent;
  expect((await browser.post('/agent/deny', { csrf: await other.csrfOn('/'), code })).status).toBe(403);
  expect((await service.browser().post('/agent/deny', { csrf, code })).status).toBe(401);
  expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
  const denied = await browser.post('/agent/deny', { csrf, code });
  expect([denied.status, denied.page]).toEqual([200, expect.stringContaining('<bdi>stranger</bdi>')]);
  expect((await agent.complete()).status).toBe(404);
  expect((await browser.get(agent.path)).status).toBe(404);
  for (const path of ['/agent/deny', '/agent/authorize'])
    expect((await browser.post(path, { csrf, code })).status).toBe(404);
});

test('times are readable, with the exact one in the attribute', () => {
  expect(time(new Date('2026-11-03T08:05:59.123Z')).text).toBe(
    '<time datetime="2026-11-03T08:05:59.123Z">3 Nov 2026, 08:05 UTC</time>',
  );
});

test('/agents shows readable times, and the account short with the whole in its details', async () => {
  await pair();
  const { page } = await browser.get('/agents');
  expect(page).toMatch(/Paired <time datetime="[^"]+Z">\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/);
  expect(page).not.toMatch(/>[^<]*\d{4}-\d\d-\d\dT/);
  expect(page).toMatch(
    /<summary>Account 0x[0-9a-f]{4}…[0-9a-f]{4}<\/summary><code>0x[0-9a-f]{64}<\/code><\/details>/,
  );
});

test('revoking returns 400 for an id that is malformed', async () => {
  const csrf = await browser.csrfOn('/');
  expect((await browser.post('/agents/revoke', { csrf, token_hash: 'a\0' })).status).toBe(400);
});

test('an unknown path is a page for browsers, and the error body for others', async () => {
  for (const path of ['/nothing', '/triggers/x', '/api/nothing', '/agent']) {
    const page = await service.browser().get(path, {
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    });
    expect([path, page.status]).toEqual([path, 404]);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.page).toContain('There is no such page.');
    for (const accept of ['*/*', 'application/json']) {
      const reply = await fetch(service.url + path, { headers: { accept } });
      expect([reply.status, await reply.json()]).toMatchObject([404, { error: 'not_found' }]);
    }
  }
});

test('escapes text from outside on every page', async () => {
  const agent = await startAgent(service, ATTACK);
  const deniable = await startAgent(service, ATTACK);
  const approval = (await browser.get(agent.path)).page;
  const csrf = await browser.csrfOn('/');
  const approved = (await browser.post('/agent/authorize', { csrf, code: agent.code })).page;
  const denied = (await browser.post('/agent/deny', { csrf, code: deniable.code })).page;
  await agent.complete();
  const list = (await browser.get('/agents')).page;
  for (const page of [approval, approved, denied, list]) {
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toMatch(/<script|<img/);
    // Attributes too.
    expect(page).not.toContain('onerror=alert(1)>');
  }
});

test('without a session, pages redirect to the login and forms return 401', async () => {
  const anonymous = service.browser();
  for (const path of ['/', '/agents']) {
    const reply = await anonymous.get(path);
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/login']);
  }
  const csrf = await anonymous.csrfOn('/login');
  for (const path of ['/agent/authorize', '/agent/deny', '/agents/revoke'])
    expect((await anonymous.post(path, { csrf, code: 'c', token_hash: 't' })).status).toBe(401);
});

test('only a browser session with its CSRF token approves an agent', async () => {
  const agent = await startAgent(service);
  const otherAgent = await startAgent(service);
  await browser.post('/agent/authorize', { csrf: await browser.csrfOn('/'), code: otherAgent.code });
  await otherAgent.complete();
  const { code } = agent;
  const csrf = await browser.csrfOn('/');
  const paired = service.browser();
  expect((await paired.post('/agent/authorize', { csrf, code }, otherAgent.bearer)).status).toBe(401);
  expect((await browser.post('/agent/authorize', { csrf: await other.csrfOn('/'), code })).status).toBe(403);
  expect((await browser.post('/agent/authorize', { code })).status).toBe(400);
  expect((await browser.get(`${agent.path}&csrf=${csrf}`)).status).toBe(200);
  expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
  const form = (await browser.get(agent.path)).page;
  expect(form).toMatch(/<form method="post" action="\/agent\/authorize">/);
  expect((await browser.post('/agent/authorize', { csrf, code })).status).toBe(200);
});

describe('headers', () => {
  let service: ServiceWithAccounts;
  let browser: Browser;
  beforeAll(async () => {
    service = await startWithAccounts();
    browser = service.browser();
    await browser.logIn();
  });
  afterAll(() => service.dispose());

  const strict =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  test.each(['/', '/agents', '/agent/authorize?code=unknown'])(
    '%s cannot be framed or cached, and runs no script',
    async (path) => {
      const { headers, page } = await browser.get(path);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toBe(strict);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
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

  test('the API keeps its own policy, and the page of an unknown path is as strict as the others', async () => {
    const { headers, status } = await browser.get('/api/me');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect((await browser.get('/nothing')).headers.get('content-security-policy')).toBe(strict);
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
