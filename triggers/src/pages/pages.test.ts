import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Browser,
  otherAccountKey,
  type ServiceWithAccounts,
  startAgent,
  startWithAccounts,
} from '../../test/browsers.ts';
import { attempts, runs, triggers, users } from '../db/schema.ts';

const ATTACK = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

/** Adds a trigger of the user who is logged in with this browser. */
async function addTrigger({ db }: ServiceWithAccounts, browser: Browser, name = 'orders'): Promise<string> {
  const { account } = (await (await browser.get('/api/me')).json()) as { account: string };
  const [user] = await db.select().from(users).where(eq(users.account, account));
  const [trigger] = await db
    .insert(triggers)
    .values({
      userId: user?.id ?? '',
      name,
      kind: 'webhook',
      actionCode: 'function main() {}',
      defaultParams: {},
      usageApiKey: 'sealed-usage-key',
      maxRunsPerMinute: 60,
      maxQueuedRuns: 100,
      maxConcurrentRuns: 1,
      config: {},
      // So that the worker does not run them.
      enabled: false,
    })
    .returning({ id: triggers.id });
  return trigger?.id ?? '';
}

let service: ServiceWithAccounts;
let browser: Browser;
let other: Browser;
let triggerId: string;
const addRun = async (values: Partial<typeof runs.$inferInsert> = {}) => {
  const [trigger] = await service.db.select().from(triggers).where(eq(triggers.id, triggerId));
  const [run] = await service.db
    .insert(runs)
    .values({ triggerId, userId: trigger?.userId ?? '', input: {}, status: 'success', ...values })
    .returning({ id: runs.id });
  return run?.id ?? '';
};
beforeAll(async () => {
  service = await startWithAccounts();
  browser = service.browser();
  await browser.logIn();
  other = service.browser();
  await other.logIn(otherAccountKey);
  triggerId = await addTrigger(service, browser);
});
afterAll(() => service.dispose());

test('/ lists the triggers of the account, and of no other', async () => {
  const mine = await browser.get('/');
  expect(mine.status).toBe(200);
  expect(mine.page).toContain(`<a href="/triggers/${triggerId}"><bdi>orders</bdi></a>`);
  expect(mine.page).not.toContain('sealed-usage-key');
  expect((await other.get('/')).page).not.toContain(triggerId);
});

test('/triggers/:id lists runs, newest first, fifty per page', async () => {
  const id = await addTrigger(service, browser, 'busy');
  const ids: string[] = [];
  for (let i = 0; i < 51; i++)
    ids.unshift(await addRun({ triggerId: id, createdAt: new Date(Date.UTC(2026, 0, 1, 0, i)) }));
  const shown = (page: string) => [...page.matchAll(/href="\/runs\/([^"]+)"/g)].map(([, run]) => run);
  const first = await browser.get(`/triggers/${id}`);
  expect(shown(first.page)).toEqual(ids.slice(0, 50));
  expect(first.page).toContain(`href="/triggers/${id}?page=1"`);
  const second = await browser.get(`/triggers/${id}?page=1`);
  expect(shown(second.page)).toEqual(ids.slice(50));
  expect(second.page).toContain(`href="/triggers/${id}?page=0"`);
  expect(second.page).not.toContain('page=2');
});

test('/runs/:id shows response, logs, input and attempts', async () => {
  const id = await addRun({
    response: { total: 42 },
    logs: 'one\ntwo',
    input: { source: 'webhook' },
    attempt: 2,
  });
  const at = new Date('2026-01-01T00:00:00Z');
  const finishedAt = new Date(at.getTime() + 1_234);
  await service.db.insert(attempts).values([
    { runId: id, number: 1, startedAt: at, finishedAt, httpStatus: 0, message: 'does not answer' },
    { runId: id, number: 2, startedAt: at, finishedAt, httpStatus: 200, message: 'ran' },
  ]);
  const { page, status } = await browser.get(`/runs/${id}`);
  expect(status).toBe(200);
  expect(page).toContain('<strong>success</strong>,\n2 attempts');
  expect(page).toContain('<pre>{\n  &#34;total&#34;: 42\n}</pre>');
  expect(page).toContain('<pre>one\ntwo</pre>');
  expect(page).toContain('&#34;source&#34;: &#34;webhook&#34;');
  expect(page).toMatch(/no reply[\s\S]*does not answer[\s\S]*status 200[\s\S]*ran/);
  expect(page).toContain('1234 ms');
});

test('/runs/:id shows the stack of a failed run', async () => {
  const error = {
    name: 'TypeError',
    message: 'no such order',
    stack: 'TypeError: no such order\n  at main',
  };
  const id = await addRun({ status: 'failed', error });
  expect((await browser.get(`/runs/${id}`)).page).toContain(`<pre>${error.stack}</pre>`);
  expect((await browser.get(`/triggers/${triggerId}`)).page).toContain('<td>no such order</td>');
});

test('returns 404 for triggers and runs of other users, unknown ids and malformed ids', async () => {
  const runId = await addRun();
  expect((await browser.get(`/runs/${runId}`)).status).toBe(200);
  for (const path of [`/triggers/${triggerId}`, `/runs/${runId}`]) {
    const reply = await other.get(path);
    expect(reply.status).toBe(404);
    expect(reply.page).not.toContain('orders');
  }
  for (const id of [crypto.randomUUID(), 'hello', "'; drop table runs --"])
    for (const kind of ['triggers', 'runs'])
      expect((await browser.get(`/${kind}/${encodeURIComponent(id)}`)).status).toBe(404);
});

test('escapes text from outside on every page', async () => {
  const agent = await startAgent(service, ATTACK);
  const trigger = await addTrigger(service, browser, ATTACK);
  const texts = { logs: ATTACK, input: { [ATTACK]: ATTACK }, triggerId: trigger };
  const ok = await addRun({ ...texts, response: ATTACK });
  const failed = await addRun({
    ...texts,
    status: 'failed',
    error: { name: ATTACK, message: ATTACK, stack: ATTACK },
  });
  const bare = await addRun({ ...texts, status: 'failed', error: { name: ATTACK, message: ATTACK } });
  const at = new Date();
  await service.db
    .insert(attempts)
    .values({ runId: ok, number: 1, startedAt: at, finishedAt: at, httpStatus: 200, message: ATTACK });
  const approval = (await browser.get(agent.path)).page;
  const csrf = await browser.csrfOn('/');
  const approved = (await browser.post('/agent/authorize', { csrf, code: agent.code })).page;
  await agent.complete();
  const paths = ['/', '/agents', `/triggers/${trigger}`, `/runs/${ok}`, `/runs/${failed}`, `/runs/${bare}`];
  const pages = await Promise.all(paths.map(async (path) => (await browser.get(path)).page));
  for (const page of [approval, approved, ...pages]) {
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toMatch(/<script|<img/);
    // Attributes too.
    expect(page).not.toContain('onerror=alert(1)>');
  }
});

test('without a session, pages redirect to the login and forms return 401', async () => {
  const anonymous = service.browser();
  for (const path of ['/', '/agents', `/triggers/${triggerId}`, `/runs/${triggerId}`]) {
    const reply = await anonymous.get(path);
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/login']);
  }
  const csrf = await anonymous.csrfOn('/login');
  for (const path of ['/agent/authorize', '/agents/revoke'])
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

  test.each(['/', '/agents', '/runs/unknown', '/agent/authorize?code=unknown'])(
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

  test('the API keeps its own policy, and unknown paths return its error body', async () => {
    const { headers, status } = await browser.get('/api/me');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    const missing = await browser.get('/nothing');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: 'not_found' });
  });

  test('requests of pages are counted per route', async () => {
    await browser.get(`/runs/${crypto.randomUUID()}`);
    await expect
      .poll(async () => (await fetch(service.metricsUrl)).text())
      .toMatch(/http_request_duration_seconds_count\{method="GET",route="\/runs\/:id",status="404"\} \d/);
  });
});
