/**
 * Hostile requests to every endpoint: each reply has a documented status and the error body, no refused request changes
 * the account, and the service responds afterwards.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { pairAgent } from '@latchkey/testing/browser';
import { FUZZ_TIMEOUT_MS, sendHostileFrames, sendHostileRequests } from '@latchkey/testing/fuzz/endpoint';
import type { Documented } from '@latchkey/testing/fuzz/judge';
import type { Sample } from '@latchkey/testing/fuzz/requests';
import { openWire, type Wire } from '@latchkey/testing/fuzz/wire';
import { addUsageKey, newAccount, stack } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from './index.ts';

const url = stack.triggersUrl;
const SENDER_SECRET = 'the secret of the sender';
const labels = { name: 'sample', kind: 'webhook', action_code: 'const main = () => 1' };

type Headers = Record<string, string>;
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });

/** Sends a request that must succeed. */
async function ask(method: string, path: string, headers: Headers = {}, body?: unknown) {
  const reply = await fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  expect(reply.status, `${method} ${path} ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

/** An account with one of everything, and its callers. */
async function openHome() {
  const { key } = await newAccount();
  // It is permitted to run no action, so that no run costs credit.
  const usageKey = await addUsageKey(key);
  const logIn = async (): Promise<string> =>
    (await ask('POST', '/api/login', {}, { account_key: key })).token;
  const [login, agent, spareAgent] = await Promise.all([logIn(), pairAgent(url, key), pairAgent(url, key)]);
  const trigger = await ask('POST', '/api/triggers', bearer(agent), {
    ...labels,
    usage_api_key: usageKey,
    config: { verification: { scheme: 'github', secret: SENDER_SECRET } },
  });
  await ask('PUT', '/api/alerts', bearer(agent), { url: 'https://alerts.example/' });
  const { run_id: runId } = await ask('POST', `/api/triggers/${trigger.id}/test`, bearer(agent), {});
  await until(
    'the run ends',
    async () => (await ask('GET', `/api/runs/${runId}`, bearer(agent))).finished_at,
  );
  const wire = openWire(url);
  wires.push(wire);
  return { key, usageKey, login, agent, spareAgent, logIn, wire, triggerId: trigger.id, runId };
}
type Home = Awaited<ReturnType<typeof openHome>>;

const wires: Wire[] = [];
/** Tests run concurrently, each in a home of its own. */
const idle: Home[] = [];

let documented: Documented;
beforeAll(async () => {
  documented = (await ask('GET', '/api/openapi.json')).paths;
});
afterAll(() => {
  for (const wire of wires) wire.close();
});

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Starts to pair an agent. Resolves to its token and the code of the link. */
async function startPairing(): Promise<{ token: string; code: string }> {
  const token = randomBytes(32).toString('hex');
  const { authorize_url } = await ask('POST', '/agent/pair', {}, { token_hash: hashOf(token) });
  return { token, code: new URL(authorize_url).searchParams.get('code') ?? '' };
}

/** A sample, with the credentials that only it has. */
type Made = Sample & { credentials?: Headers };
type Maker = (home: Home) => Made | Promise<Made>;

const nothing: Maker = () => ({});
const ofTrigger: Maker = ({ triggerId }) => ({ params: { id: triggerId } });
const ofRun: Maker = ({ runId }) => ({ params: { id: runId } });
const pairing: Maker = async () => ({ body: { code: (await startPairing()).code } });

/** Requests that end a login, an agent or a trigger have one of their own. */
const makers: Record<string, Maker> = {
  'POST /agent/pair': () => ({ body: { token_hash: hashOf('token'), label: 'sample' } }),
  'POST /agent/pair/complete': async () => {
    const { token, code } = await startPairing();
    return { body: { code }, credentials: bearer(token) };
  },
  'POST /agent/revoke': async ({ key }) => ({ credentials: bearer(await pairAgent(url, key)) }),
  'GET /api/me': nothing,
  'POST /api/login/message': () => ({
    body: { address: `0x${'11'.repeat(20)}`, login_secret: randomBytes(32).toString('base64url') },
  }),
  'POST /api/login': ({ key }) => ({ body: { account_key: key } }),
  'POST /api/logout': async ({ logIn }) => ({ credentials: bearer(await logIn()) }),
  'GET /api/agents': nothing,
  'DELETE /api/agents/:id': ({ spareAgent }) => ({ params: { id: hashOf(spareAgent) } }),
  'POST /api/pairings/review': pairing,
  'POST /api/pairings/approve': pairing,
  'POST /api/pairings/deny': pairing,
  'POST /api/triggers': ({ usageKey }) => ({ body: { ...labels, usage_api_key: usageKey, config: {} } }),
  'GET /api/triggers': nothing,
  'GET /api/triggers/:id': ofTrigger,
  'PATCH /api/triggers/:id': ({ triggerId }) => ({ params: { id: triggerId }, body: { name: 'changed' } }),
  'DELETE /api/triggers/:id': async ({ agent, usageKey }) => {
    const body = { ...labels, usage_api_key: usageKey };
    return { params: { id: (await ask('POST', '/api/triggers', bearer(agent), body)).id } };
  },
  'POST /api/triggers/:id/test': async (home) => ({ ...(await ofTrigger(home)), body: {} }),
  'GET /api/triggers/:id/runs': ofTrigger,
  'POST /api/triggers/:id/replay': async (home) => ({ ...(await ofTrigger(home)), body: {} }),
  'GET /api/runs': nothing,
  'GET /api/runs/:id': ofRun,
  'POST /api/runs/:id/replay': ofRun,
  'POST /api/runs/:id/stop': ofRun,
  'PUT /api/alerts': () => ({ body: { url: 'https://alerts.example/', after_failures: 3 } }),
  'GET /api/alerts': nothing,
  'DELETE /api/alerts': nothing,
  'POST /api/alerts/test': nothing,
  'POST /webhook/:id': ({ triggerId }) => {
    const body = { ref: 'refs/heads/main' };
    const signature = createHmac('sha256', SENDER_SECRET).update(JSON.stringify(body)).digest('hex');
    return { params: { id: triggerId }, body, headers: { 'X-Hub-Signature-256': `sha256=${signature}` } };
  },
  'GET /webhook/:id': ofTrigger,
  'GET /health': nothing,
};

test('every endpoint has a sample request', () => {
  expect(Object.keys(makers).toSorted()).toEqual(
    routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
});

/** Reads the account, without the fields that runs and time change. Logins and pairings are not listed. */
async function readOwned({ login }: Home) {
  const read = async (path: string) =>
    JSON.parse(await (await fetch(url + path, { headers: bearer(login) })).text());
  const [{ triggers }, { request_id: _, ...alerts }, { runs }, { agents }] = await Promise.all(
    ['/api/triggers', '/api/alerts', '/api/runs', '/api/agents'].map(read),
  );
  const toId = ({ id }: { id: string }) => id;
  return {
    triggers: triggers.map(
      ({ consecutive_failures: _, next_runs: __, ...trigger }: object & Fields) => trigger,
    ),
    alerts,
    runs: runs.map(toId),
    agents: agents.map(toId),
  };
}
type Fields = { consecutive_failures: unknown; next_runs?: unknown };

async function stillAnswers({ agent }: Home): Promise<void> {
  const health = await fetch(`${url}/health`);
  expect(health.status, await health.text()).toBe(200);
  await ask('GET', '/api/me', bearer(agent));
}

/** The caller and the sample of a test, which may have credentials of its own. */
async function prepare({ method, path, auth }: (typeof routes)[number], home: Home) {
  const { key, usageKey, login, agent, wire } = home;
  const usual = {
    none: {},
    agentToken: bearer(agent),
    agentOrSession: bearer(agent),
    session: bearer(login),
  };
  const { credentials = usual[auth], ...sample } = (await makers[`${method} ${path}`]?.(home)) ?? {};
  return {
    sample,
    caller: { wire, credentials, secrets: [key, usageKey, login, agent, SENDER_SECRET] },
  };
}

describe.concurrent.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_endpoint, route) => {
    /** Sends requests from an account. When none of them changed something, the account is unchanged. */
    const attack = async (
      send: (prepared: Awaited<ReturnType<typeof prepare>>) => Promise<number>,
    ): Promise<void> => {
      const home = idle.pop() ?? (await openHome());
      const prepared = await prepare(route, home);
      const before = await readOwned(home);
      const succeeded = await send(prepared);
      const after = await readOwned(home);
      if (succeeded === 0 || route.method === 'GET') expect(after).toEqual(before);
      await stillAnswers(home);
      idle.push(home);
    };

    test('hostile requests', { timeout: FUZZ_TIMEOUT_MS }, () =>
      attack(({ sample, caller }) => sendHostileRequests(documented, route, sample, caller)),
    );

    test('hostile framing', { timeout: FUZZ_TIMEOUT_MS }, () =>
      attack(({ caller }) => sendHostileFrames(documented, route, caller)),
    );
  },
);
