/** Accounts of the trigger service of the shared stack, and a request per endpoint that succeeds for its owner. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { pairAgent } from '@latchkey/testing/browser';
import type { Sample } from '@latchkey/testing/fuzz/requests';
import { addUsageKey, newAccount, stack } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { expect } from 'vitest';

const url = stack.triggersUrl;
export const SENDER_SECRET = 'the secret of the sender';
const labels = { name: 'sample', kind: 'webhook', action_code: 'const main = () => 1' };

export type Headers = Record<string, string>;
export const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });

/** Sends a request that must succeed. */
export async function ask(method: string, path: string, headers: Headers = {}, body?: unknown) {
  const reply = await fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  expect(reply.status, `${method} ${path} ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

/** Adds a webhook of this sender. Resolves to its id. */
async function addTrigger({ agent, usageKey }: { agent: string; usageKey: string }, scheme = 'github') {
  const config = { verification: { scheme, secret: SENDER_SECRET } };
  const body = { ...labels, usage_api_key: usageKey, config };
  return (await ask('POST', '/api/triggers', bearer(agent), body)).id as string;
}

/** Opens an account with one of everything, a login and two agents. */
export async function openHome() {
  const { key } = await newAccount();
  // It is permitted to run no action, so that no run costs credit.
  const usageKey = await addUsageKey(key);
  const logIn = async (): Promise<string> =>
    (await ask('POST', '/api/login', {}, { account_key: key })).token;
  const [login, agent, spareAgent] = await Promise.all([logIn(), pairAgent(url, key), pairAgent(url, key)]);
  const triggerId = await addTrigger({ agent, usageKey });
  await ask('PUT', '/api/alerts', bearer(agent), { url: 'https://alerts.example/' });
  const { run_id: runId } = await ask('POST', `/api/triggers/${triggerId}/test`, bearer(agent), {});
  await until(
    'the run ends',
    async () => (await ask('GET', `/api/runs/${runId}`, bearer(agent))).finished_at,
  );
  return {
    key,
    usageKey,
    login,
    agent,
    spareAgent,
    logIn,
    triggerId,
    runId: runId as string,
  };
}
export type Home = Awaited<ReturnType<typeof openHome>>;

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
const ofAlerts: Maker = async ({ agent }) => {
  const headers = bearer(agent);
  const { status } = await fetch(`${url}/api/alerts`, { headers });
  if (status === 404) await ask('PUT', '/api/alerts', headers, { url: 'https://alerts.example/' });
  return {};
};
const pairing: Maker = async () => ({ body: { code: (await startPairing()).code } });

/** Requests that end a login, an agent or a trigger have one of their own. */
export const samples: Record<string, Maker> = {
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
  'DELETE /api/triggers/:id': async (home) => ({ params: { id: await addTrigger(home) } }),
  'POST /api/preview_schedule': () => ({ body: { config: { cron: '0 9 * * *' } } }),
  'GET /api/senders': nothing,
  'POST /api/triggers/:id/test': async (home) => ({ ...(await ofTrigger(home)), body: {} }),
  'GET /api/triggers/:id/runs': ofTrigger,
  'POST /api/triggers/:id/replay': async (home) => ({
    ...(await ofTrigger(home)),
    body: { from: '2026-01-01T00:00:00.000Z' },
  }),
  'GET /api/runs': nothing,
  'GET /api/runs/:id': ofRun,
  'POST /api/runs/:id/replay': ofRun,
  'POST /api/runs/:id/stop': ofRun,
  'PUT /api/alerts': () => ({ body: { url: 'https://alerts.example/', after_failures: 3 } }),
  'GET /api/alerts': ofAlerts,
  'DELETE /api/alerts': ofAlerts,
  'POST /api/alerts/test': ofAlerts,
  'GET /api/alerts/deliveries': ofAlerts,
  'POST /api/alerts/replay': async (home) => ({
    ...(await ofAlerts(home)),
    body: { failed_since: '2026-01-01T00:00:00.000Z' },
  }),
  'POST /webhook/:id': ({ triggerId }) => {
    const body = { ref: 'refs/heads/main' };
    const signature = createHmac('sha256', SENDER_SECRET).update(JSON.stringify(body)).digest('hex');
    return { params: { id: triggerId }, body, headers: { 'X-Hub-Signature-256': `sha256=${signature}` } };
  },
  'PUT /webhook/:id': (home) => samples['POST /webhook/:id']?.(home) ?? {},
  'GET /webhook/:id': async (home) => ({
    params: { id: await addTrigger(home, 'microsoft_graph') },
    query: { validationToken: 'sample' },
  }),
  'GET /health': nothing,
  'GET /live': nothing,
  'GET /ready': nothing,
};

/** Reads the account, without the fields that runs and time change. Logins and pairings are not listed. */
export async function readOwned({ login }: Home) {
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
