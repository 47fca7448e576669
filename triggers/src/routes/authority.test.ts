/**
 * Every caller at every endpoint: without the right authority the status is the documented refusal, and nothing of the
 * account is changed or disclosed.
 */
import { randomBytes } from 'node:crypto';
import { pairAgent } from '@latchkey/testing/browser';
import { type Documented, documentedPath, findOperation } from '@latchkey/testing/fuzz/judge';
import { stack } from '@latchkey/testing/stack';
import { beforeAll, expect, test } from 'vitest';
import { ask, bearer, type Headers, type Home, openHome, readOwned, samples } from '../../test/homes.ts';
import { routes } from './index.ts';

type Route = (typeof routes)[number];

let documented: Documented;
let home: Home;
/** Callers whose credentials are unknown, or no longer valid. */
let unknown: [name: string, headers: Headers][];
/** Another account. */
let stranger: Home;
beforeAll(async () => {
  documented = (await ask('GET', '/api/openapi.json')).paths;
  [home, stranger] = await Promise.all([openHome(), openHome()]);
  const [revoked, loggedOut] = await Promise.all([pairAgent(stack.triggersUrl, home.key), home.logIn()]);
  await ask('POST', '/agent/revoke', bearer(revoked));
  await ask('POST', '/api/logout', bearer(loggedOut));
  unknown = [
    ['nobody', {}],
    ['a malformed token', bearer('token')],
    ['an unknown token', bearer(randomBytes(32).toString('hex'))],
    ['a revoked agent', bearer(revoked)],
    ['an ended login', bearer(loggedOut)],
    ['the account key', bearer(home.key)],
    ['the account key as API key', { 'X-Api-Key': home.key }],
    ['the usage key', bearer(home.usageKey)],
    ['an unknown cookie', { Cookie: `__Host-session=${randomBytes(32).toString('base64url')}` }],
  ];
});

/** Sends the sample of an endpoint, with the credentials of another caller unless there is none. */
async function send({ method, path }: Route, headers: Headers | undefined, of = home) {
  const sample = (await samples[`${method} ${path}`]?.(of)) ?? {};
  const { body, params = {}, query = {}, headers: ofSample = {}, credentials = {} } = sample;
  const target = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const reply = await fetch(`${stack.triggersUrl}${target}?${new URLSearchParams(query)}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...ofSample, ...(headers ?? credentials) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const statuses = Object.keys(findOperation(documented, method, documentedPath(path))?.responses ?? {});
  expect(statuses, `${method} ${path} ${text}`).toContain(String(reply.status));
  return { status: reply.status, text };
}

/** Expects the account to be what it was before `work`, apart from what its own samples prepare. */
async function expectUnchanged(work: () => Promise<void>): Promise<void> {
  const before = await readOwned(home);
  await work();
  const after = await readOwned(home);
  // Samples add triggers.
  const kept = new Set(before.triggers.map(({ id }: { id: string }) => id));
  expect({ ...after, triggers: after.triggers.filter(({ id }: { id: string }) => kept.has(id)) }).toEqual(
    before,
  );
}

const endpoints = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const ofUsers = endpoints.filter(([, { auth }]) => auth === 'agentOrSession' || auth === 'session');

test('every endpoint has a sample request', () => {
  expect(Object.keys(samples).toSorted()).toEqual(endpoints.map(([endpoint]) => endpoint).toSorted());
});

test('every sample succeeds for its account', async () => {
  const own = await openHome();
  const credentials = {
    none: {},
    agentToken: undefined,
    agentOrSession: bearer(own.agent),
    session: bearer(own.login),
  };
  for (const [endpoint, route] of endpoints) {
    // A logout ends the login that it uses: its sample has one of its own.
    const headers = endpoint === 'POST /api/logout' ? undefined : credentials[route.auth];
    const { status, text } = await send(route, headers, own);
    expect(status, `${endpoint} ${text}`).toBeLessThan(300);
  }
});

test.each(ofUsers)('%s: 401 for unknown callers', async (_endpoint, route) => {
  await expectUnchanged(async () => {
    for (const [name, headers] of unknown) expect((await send(route, headers)).status, name).toBe(401);
  });
});

test.each(ofUsers.filter(([, { auth }]) => auth === 'session'))('%s: 403 for agents', async (_, route) => {
  await expectUnchanged(async () => {
    for (const token of [home.agent, stranger.agent])
      expect((await send(route, bearer(token))).status).toBe(403);
  });
});

test.each(ofUsers)('%s: reaches nothing of another account', async (_endpoint, route) => {
  await expectUnchanged(async () => {
    const login = await stranger.logIn();
    for (const token of route.auth === 'session' ? [login] : [login, stranger.agent]) {
      const { status, text } = await send(route, bearer(token));
      if (route.path.includes(':id')) expect(status).toBe(404);
      for (const id of [home.triggerId, home.runId]) expect(text).not.toContain(id);
    }
  });
});

test.each(endpoints.filter(([, { auth }]) => auth === 'agentToken'))(
  '%s: 401 without a well-formed token',
  async (_endpoint, route) => {
    for (const headers of [{}, bearer('token'), { 'X-Api-Key': home.key }])
      expect((await send(route, headers)).status).toBe(401);
  },
);
