/** The trigger service with the real relayer: pairing, and runs of each kind of trigger. */
import { createHmac, randomBytes } from 'node:crypto';
import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { createClient } from '@latchkey/sdk';
import { signatureHeader } from '@latchkey/stripe-stand-in/testing';
import { addGroup, addUsageKey, createWallet, get, hex, newAccount, post } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { accountOf, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import { createWalletClient, hashMessage, http, verifyMessage } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createBrowser, startAgent } from './browsers.ts';
import { loseReplies } from './lost-replies.ts';
import type { Reply } from './service.ts';

const { triggersUrl: url, url: relayerUrl, contractAddress, chainId, rpcUrl } = inject('stack');
const secret = 'the secret of a sender';

/** Actions that verify the sender of a webhook. */
const github = `
async function main({ event, event_raw, headers, secret }) {
  const key = await crypto.subtle.importKey(
    'raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const hex = headers['x-hub-signature-256'][0].replace('sha256=', '');
  const signature = Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
  const isGenuine = await crypto.subtle.verify('HMAC', key, signature, new TextEncoder().encode(event_raw));
  return { isGenuine, pusher: event.pusher.name };
}`;
const stripe = `
async function main({ event, event_raw, headers, secret }) {
  const parts = Object.fromEntries(headers['stripe-signature'][0].split(',').map((part) => part.split('=')));
  const key = await crypto.subtle.importKey(
    'raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signature = Uint8Array.from(parts.v1.match(/../g), (byte) => parseInt(byte, 16));
  const isGenuine = await crypto.subtle.verify(
    'HMAC', key, signature, new TextEncoder().encode(parts.t + '.' + event_raw));
  return { isGenuine, type: event.type };
}`;

let accountKey: string;
let usageKey: string;
let bearer: Record<string, string>;
beforeAll(async () => {
  ({ key: accountKey } = await newAccount());
  usageKey = await addUsageKey(accountKey, { execute_in_groups: [0] });
  const browser = createBrowser(url);
  expect((await browser.logIn(accountKey)).status).toBe(303);
  const agent = await startAgent({ url, post: postJson }, 'with-relayer');
  const approved = await browser.post('/agent/authorize', { code: agent.code });
  expect(approved.page).toContain(agent.userCode);
  expect(await (await agent.complete()).json()).toEqual({ status: 'authorized' });
  bearer = agent.bearer;
});

const postJson = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function api(method: string, path: string, body?: unknown): Promise<Reply['body']> {
  const reply = await fetch(`${url}/api/${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...bearer },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json = await reply.json();
  expect(reply.status, JSON.stringify(json)).toBeLessThan(300);
  return json;
}
const newTrigger = (fields: object) =>
  api('POST', 'triggers', { name: 'a trigger', kind: 'webhook', usage_api_key: usageKey, ...fields });
const waitForEnd = (id: string) =>
  until('the run ends', async () => {
    const run = await api('GET', `runs/${id}`);
    return run.finished_at !== null && run;
  });
/** Resolves to the newest finished runs of a trigger. */
const listFinishedRuns = async ({ id }: { id: string }) => {
  const { runs } = await api('GET', `triggers/${id}/runs`);
  return runs.filter(({ finished_at }: { finished_at: string | null }) => finished_at !== null);
};
async function deliver(webhookUrl: string, body: string, headers: Record<string, string> = {}) {
  const reply = await fetch(webhookUrl, { method: 'POST', body, headers });
  expect(reply.status).toBe(202);
  return waitForEnd(((await reply.json()) as { run_id: string }).run_id);
}

/** A cent per started second. */
const costOf = ({ duration_ms }: { duration_ms: number }) =>
  10_000 * Math.max(1, Math.ceil(duration_ms / 1_000));

describe('webhooks', () => {
  // Differs from the output of JSON.stringify: spaces and an escape.
  const body =
    '{ "ref": "refs\\/heads\\/main",\n  "pusher": { "name": "Grüße" }, "type": "payment_intent.succeeded" }';
  const sign = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

  test("an action verifies GitHub's signature of event_raw", async () => {
    const { webhook_url } = await newTrigger({ action_code: github, default_params: { secret } });
    const headers = { 'Content-Type': 'application/json', 'X-GitHub-Event': 'push' };
    const good = await deliver(webhook_url, body, { ...headers, 'X-Hub-Signature-256': sign(body) });
    expect(good).toMatchObject({ status: 'success', response: { isGenuine: true, pusher: 'Grüße' } });
    expect(good).toMatchObject({ attempt: 1, cost_micros: costOf(good) });
    const bad = await deliver(webhook_url, `${body} `, { ...headers, 'X-Hub-Signature-256': sign(body) });
    expect(bad).toMatchObject({ status: 'success', response: { isGenuine: false } });
  });

  test('the reply is what the action returned', async () => {
    const { webhook_url } = await newTrigger({
      action_code: "const main = ({ form }) => 'Hello, ' + form.user_name[0]",
      config: { respond: 'result', respond_within_ms: 25_000 },
    });
    const body = new URLSearchParams({ command: '/hello', user_name: 'Ada' });
    const reply = await fetch(webhook_url, { method: 'POST', body });
    expect([reply.status, await reply.text()]).toEqual([200, 'Hello, Ada']);
  });

  test("an action verifies Stripe's signature of event_raw", async () => {
    const { webhook_url } = await newTrigger({ action_code: stripe, default_params: { secret } });
    const headers = (text: string) => ({
      'Content-Type': 'application/json; charset=utf-8',
      'Stripe-Signature': signatureHeader(text, [secret], Math.floor(Date.now() / 1_000)),
    });
    const good = await deliver(webhook_url, body, headers(body));
    const response = { isGenuine: true, type: 'payment_intent.succeeded' };
    expect(good).toMatchObject({ status: 'success', response });
    expect(await deliver(webhook_url, `${body} `, headers(body))).toMatchObject({
      response: { isGenuine: false },
    });
  });

  test('a wallet signs the event', async () => {
    const wallet = await createWallet(accountKey);
    const group = await addGroup(accountKey, {
      pkp_ids_permitted: [wallet],
      cid_hashes_permitted: [`0x${'0'.repeat(64)}`],
    });
    const { webhook_url } = await newTrigger({
      usage_api_key: await addUsageKey(accountKey, { execute_in_groups: [group] }),
      action_code: `async function main({ event, pkpId }) {
        return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(event);
      }`,
      default_params: { pkpId: wallet },
    });
    const { status, response } = await deliver(webhook_url, 'sign this');
    expect(status).toBe('success');
    expect(await verifyMessage({ address: wallet, message: 'sign this', signature: response })).toBe(true);
  });

  test('a throw fails the run without a retry, with its stack', async () => {
    const { webhook_url } = await newTrigger({
      action_code: `async function main() { console.log('before'); return inner(); }
        function inner() { throw new RangeError('too much'); }`,
    });
    const run = await deliver(webhook_url, '');
    expect(run).toMatchObject({ status: 'failed', attempt: 1, cost_micros: costOf(run) });
    expect(run.error).toMatchObject({ name: 'RangeError', message: 'too much' });
    expect(run.error.stack).toMatch(/at inner/);
    expect(run.logs).toContain('before');
  });

  test('a removed usage key pauses the trigger, and its run waits for another key', async () => {
    const removed = await addUsageKey(accountKey, { execute_in_groups: [0] });
    const { id, webhook_url } = await newTrigger({ action_code: github, usage_api_key: removed });
    const reply = await post('remove_usage_api_key', { usage_api_key: removed }, accountKey);
    expect(reply.status).toBe(200);
    const { run_id } = (await (await fetch(webhook_url, { method: 'POST' })).json()) as { run_id: string };
    await until('the trigger is paused', async () => {
      const { enabled, paused_reason } = await api('GET', `triggers/${id}`);
      return !enabled && /usage key/.test(paused_reason);
    });
    expect(await api('GET', `runs/${run_id}`)).toMatchObject({ status: 'queued', attempt: 0 });
    const usage_api_key = await addUsageKey(accountKey, { execute_in_groups: [0] });
    const enabled = await api('PATCH', `triggers/${id}`, { usage_api_key, enabled: true });
    expect(enabled).toMatchObject({ enabled: true, paused_reason: null });
  });

  test('an account key is refused as usage_api_key', async () => {
    const reply = await postJson(
      '/api/triggers',
      { name: 'x', kind: 'webhook', action_code: github, usage_api_key: accountKey },
      bearer,
    );
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: 'bad_request',
      fix: expect.stringContaining('usage key'),
    });
  });
});

describe('a run in flight', () => {
  const sleeper = `async function main({ label }) {
    console.log('first', label);
    await new Promise((done) => setTimeout(done, 1_500));
    console.log('second');
    await new Promise((done) => setTimeout(done, 60_000));
  }`;
  /** Starts a run that waits for a minute. Resolves to its id when its output is stored. */
  const startRun = async () => {
    const { webhook_url } = await newTrigger({
      action_code: sleeper,
      default_params: { label: 'line' },
      pause_after_failures: 1,
    });
    const accepted = await fetch(webhook_url, { method: 'POST' });
    const { run_id: id } = (await accepted.json()) as { run_id: string };
    await until('the output is stored', async () => {
      const { status, logs } = await api('GET', `runs/${id}`);
      return status === 'running' && logs === 'first line\n';
    });
    return id;
  };
  const stopped = {
    status: 'failed',
    error: { name: 'StoppedError' },
    logs: 'first line\nsecond\n',
    attempt: 1,
  };

  test('streams its output as it comes, and can be stopped', async () => {
    const id = await startRun();
    const stream = await fetch(`${url}/api/runs/${id}`, {
      headers: { ...bearer, Accept: 'text/event-stream' },
    });
    const reader = (stream.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let text = '';
    while (!text.includes('second')) text += (await reader.read()).value;
    expect(text).toBe(
      'event: status\ndata: {"status":"running"}\n\nevent: log\ndata: {"text":"first line\\n"}\n\nevent: log\ndata: {"text":"second\\n"}\n\n',
    );

    const run = await api('POST', `runs/${id}/stop`, {});
    expect(run).toMatchObject({ status: 'failed', error: stopped.error, response: null });
    expect(run.cost_micros).toBe(costOf(run));
    text = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    expect(text).toMatch(
      /^event: status\ndata: \{"status":"failed"\}\n\nevent: result\ndata: \{"status":200,"headers":\{\},"body":\{"id":/,
    );
    const ended = await api('GET', `runs/${id}`);
    expect(ended).toMatchObject(stopped);
    // A stop does not count as a failure of the trigger.
    expect(await api('GET', `triggers/${ended.trigger_id}`)).toMatchObject({ enabled: true });
  });

  test('that waits at the relayer for its concurrency key can be stopped before its code begins', async () => {
    const code = 'const main = () => new Promise((done) => setTimeout(done, 8_000))';
    const first = post('svc_action', { code, concurrency_key: 'payouts' }, usageKey);
    const { webhook_url } = await newTrigger({
      action_code: 'const main = () => console.log("begun")',
      concurrency_key: { value: 'payouts' },
    });
    const listed = async () => (await get('list_runs?status=running', usageKey)).body as { id: string }[];
    await until('the first run is listed', async () => (await listed()).length === 1);
    const accepted = await fetch(webhook_url, { method: 'POST' });
    const { run_id: id } = (await accepted.json()) as { run_id: string };
    await until('its run waits', async () => (await listed()).length === 2);
    expect(await api('POST', `runs/${id}/stop`, {})).toMatchObject({
      status: 'failed',
      error: stopped.error,
      cost_micros: 0,
    });
    expect(await api('GET', `runs/${id}`)).toMatchObject({ logs: '' });
    expect((await first).body).toMatchObject({ has_error: false });
  });
});

test('a schedule with a removed usage key runs in no account of a stranger who takes its hash', async () => {
  const removed = await addUsageKey(accountKey, { execute_in_groups: [0] });
  const trigger = await newTrigger({
    kind: 'schedule',
    usage_api_key: removed,
    action_code: 'function main() { return "secret" }',
    config: { cron: '*/30 * * * * *' },
  });
  const hash = hex(apiKeyHash(removed));
  expect((await post('remove_usage_api_key', { usage_api_key: removed }, accountKey)).status).toBe(200);
  const stranger = await newAccount();
  const theirs = await addUsageKey(stranger.key, { execute_in_groups: [0] });
  const rotation = { usage_api_key: theirs, new_usage_api_key: hash };
  expect((await post('rotate_usage_api_key', rotation, stranger.key)).status).toBe(409);
  const taken = { new_api_key: hash, new_wallet_address: stranger.wallet };
  expect((await post('rotate_account_key', taken, stranger.key)).status).toBe(409);
  await until(
    'the trigger is paused',
    async () => {
      const { enabled, paused_reason } = await api('GET', `triggers/${trigger.id}`);
      return !enabled && /usage key/.test(paused_reason);
    },
    50_000,
  );
  const { runs } = await api('GET', `triggers/${trigger.id}/runs`);
  expect(runs.filter(({ status }: { status: string }) => status === 'success')).toEqual([]);
  expect((await get('list_runs', stranger.key)).body).toEqual([]);
});

test('a wallet that never used the service does not log in for an account that is transferred to it', async () => {
  const [thief, victim] = await Promise.all([eoa(), eoa()]);
  const account = walletIdentity(thief.address);
  await accountOf(thief)('newChainSecuredAccount', ['theirs', '']);
  await accountOf(thief)('transferChainSecuredAccountOwnership', [account, victim.address]);
  const logIn = async () => {
    const login_secret = randomBytes(32).toString('base64url');
    const asked = await postJson('/api/login/message', { address: victim.address, login_secret });
    const { message } = (await asked.json()) as { message: string };
    const signature = await victim.signDigest(hashMessage(message));
    return postJson('/api/login', { message, login_secret, signature });
  };
  const refused = await until('the transfer is seen', async () => {
    const reply = await logIn();
    return reply.status === 403 && reply;
  });
  expect(await refused.json()).toMatchObject({
    message: expect.stringContaining(hex(account)),
    fix: expect.stringMatching(/acceptAccount.*cancelTransfer/s),
  });
  await accountOf(victim)('acceptAccount', [account]);
  const accepted = await until('the acceptance is seen', async () => {
    const reply = await logIn();
    return reply.status === 200 && reply;
  });
  expect(await accepted.json()).toMatchObject({ account: hex(account) });
});

test('a schedule fires at its slot', async () => {
  const trigger = await newTrigger({
    kind: 'schedule',
    action_code: 'function main(params) { return params }',
    config: { cron: '*/30 * * * * *' },
  });
  const [run] = await until(
    'the slot',
    async () => {
      const runs = await listFinishedRuns(trigger);
      return runs.length > 0 && runs;
    },
    50_000,
  );
  const [slot] = trigger.next_runs;
  expect(run).toMatchObject({ status: 'success', scheduled_for: slot });
  expect(run.response).toEqual({ source: 'schedule', scheduled_at: slot, cron: '*/30 * * * * *' });
});

test('an event of AccountConfig fires with its arguments', async () => {
  const { key, hash } = await newAccount();
  const trigger = await newTrigger({
    kind: 'chain_event',
    action_code: 'function main({ event }) { return event.decoded }',
    config: {
      chain: 'service',
      contract_address: contractAddress,
      event_signature: 'GroupRemoved(uint256 indexed masterApiKeyHash, uint256 indexed groupId)',
      // Other tests remove groups of their accounts.
      topic_filters: [hex(hash)],
    },
  });
  const made = await post('add_group', { group_name: 'g', group_description: '' }, key);
  const { group_id } = made.body as { group_id: string };
  expect((await post('remove_group', { group_id }, key)).status).toBe(200);
  const [run] = await until('the event', async () => {
    const runs = await listFinishedRuns(trigger);
    return runs.length > 0 && runs;
  });
  expect(run.status).toBe('success');
  const decoded = { masterApiKeyHash: String(hash), groupId: group_id };
  expect(run.response).toEqual({ ...decoded, arg0: String(hash), arg1: group_id });
});

describe('after a conversion', () => {
  /** Requests every route that accepts a session or a token. */
  const ask = async (paths: Record<string, object>, id: string, headers: Record<string, string>) => {
    const statuses = new Map<string, number>();
    for (const [path, methods] of Object.entries(paths))
      for (const [method, route] of Object.entries(methods)) {
        const { security = [] } = route as { security?: Record<string, unknown>[] };
        if (!security.some((scheme) => 'Session' in scheme)) continue;
        const reply = await fetch(url + path.replace('{id}', id), {
          method: method.toUpperCase(),
          headers: { 'Content-Type': 'application/json', ...headers },
          ...(method !== 'get' && { body: JSON.stringify({ action_code: 'function main() { return 2 }' }) }),
        });
        statuses.set(`${method} ${path}`, reply.status);
      }
    return statuses;
  };

  test('the account key, its sessions and its agents lose access to the account', {
    timeout: 600_000,
  }, async () => {
    const { key } = await newAccount();
    const usage = await addUsageKey(key, { execute_in_groups: [0] });
    const browser = createBrowser(url);
    expect((await browser.logIn(key)).status).toBe(303);
    const pairedAgent = async () => {
      const agent = await startAgent({ url, post: postJson });
      expect((await browser.post('/agent/authorize', { code: agent.code })).status).toBe(200);
      return agent;
    };
    const agent = await pairedAgent();
    expect((await agent.complete()).status).toBe(200);
    const waiting = await pairedAgent();
    const fields = { name: 'kept', kind: 'webhook', usage_api_key: usage };
    const code = 'function main() { return 1 }';
    const created = await postJson('/api/triggers', { ...fields, action_code: code }, agent.bearer);
    const { id, webhook_url } = (await created.json()) as { id: string; webhook_url: string };

    const admin = await eoa();
    const { address } = admin;
    const body = {
      new_admin_wallet_address: address,
      ...(await proofOf({ primaryType: 'ConvertAccount', address }, admin.signDigest)),
    };
    expect((await agent.me()).status).toBe(200);
    expect((await post('convert_to_chain_secured_account', body, key)).status).toBe(200);
    // The first request after the reply.
    const change = await fetch(`${url}/api/triggers/${id}`, {
      method: 'PATCH',
      headers: { ...agent.bearer, 'Content-Type': 'application/json' },
      body: JSON.stringify({ action_code: 'function main() { return "theirs" }' }),
    });
    expect(change.status).toBe(401);

    const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const session = { Cookie: `session=${browser.cookies.get('session')}` };
    for (const credential of [session, agent.bearer]) {
      const statuses = await ask(paths, id, credential);
      expect(statuses.size).toBeGreaterThan(10);
      expect([...statuses].filter(([, status]) => status !== 401)).toEqual([]);
    }
    expect((await waiting.complete()).status).toBe(404);
    expect((await createBrowser(url).logIn(key)).status).toBe(401);

    const owner = createBrowser(url);
    const signMessage = ({ message }: { message: string }) => admin.signDigest(hashMessage(message));
    expect((await owner.logInWith({ address, signMessage })).status).toBe(303);
    const shown = (await (await owner.get(`/api/triggers/${id}`)).json()) as Reply['body'];
    expect(shown).toMatchObject({ id, action_code: code });
    const { runs } = (await (await owner.get(`/api/triggers/${id}/runs`)).json()) as Reply['body'];
    expect(runs).toEqual([]);
    expect((await fetch(webhook_url, { method: 'POST', body: '' })).status).toBe(202);
    await until('the trigger still runs', async () => {
      const reply = (await (await owner.get(`/api/triggers/${id}/runs`)).json()) as Reply['body'];
      return reply.runs[0]?.status === 'success' && reply.runs[0].response === 1;
    });
  });
});

test('a run that needs an approval waits for it, and then goes on', async () => {
  const wallet = createWalletClient({
    account: privateKeyToAccount(generatePrivateKey()),
    chain: { ...foundry, id: chainId },
    transport: http(rpcUrl),
  });
  const action_code = `async function main({ event }) {
    await Svc.Actions.requireApproval({
      summary: 'Pay ' + event.to,
      hash: ethers.utils.id(event.to),
      approvers: ['${wallet.account.address}'],
      threshold: 1,
      expires: Math.floor(Date.now() / 1000) + 600,
    });
    return 'paid ' + event.to;
  }`;
  const { webhook_url } = await newTrigger({ action_code });
  const headers = { 'Content-Type': 'application/json' };
  const fired = await fetch(webhook_url, { method: 'POST', headers, body: '{"to":"alice"}' });
  const { run_id: id } = (await fired.json()) as { run_id: string };
  const waiting = await until('the run waits', async () => {
    const run = await api('GET', `runs/${id}`);
    return run.approval_id !== null && run.status === 'queued' && run;
  });
  expect(waiting).toMatchObject({ attempt: 0, finished_at: null, cost_micros: 10_000 });
  const approver = createClient({ url: relayerUrl });
  const approval = await approver.getApproval({ approvalId: waiting.approval_id });
  expect(approval.summary).toBe('Pay alice');
  await approver.approveRun({ approval, wallet });
  expect(await waitForEnd(id)).toMatchObject({
    status: 'success',
    response: 'paid alice',
    attempt: 1,
    cost_micros: 20_000,
  });
});

test('a run with lost replies is executed and charged once', { timeout: 600_000 }, async () => {
  const { key } = await newAccount();
  const runner = await addUsageKey(key, { execute_in_groups: [0] });
  const outcome = await loseReplies({ relayerUrl, accountKey: key, usageKey: runner, count: 15 });
  expect(outcome.lost).toBeGreaterThanOrEqual(15);
});
