/** The relayer as operating system processes: killed during a write, stopped, and several processes on one database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountConfigAbi, accountWalletAddress, apiKeyFromBytes, apiKeyHash } from '@latchkey/protocol';
import { issue } from '@latchkey/testing/certificates';
import { type Chain, deploy, startChain } from '@latchkey/testing/chain';
import { startKeyNodes } from '@latchkey/testing/key-nodes';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import { spawnService, startRunnerProcess } from '@latchkey/testing/services';
import { freePort, until } from '@latchkey/testing/until';
import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endLeases, type OpenTestDatabase, openTestDatabase } from '../test/database.ts';
import { startRunnerAt, TOKEN } from '../test/named-runners.ts';
import { type RelayerProcess, root, startRelayerProcess } from '../test/process.ts';

const payerKeys = [generatePrivateKey(), generatePrivateKey()];
const resources = new AsyncDisposableStack();
let chain: Chain;
let contract: Address;
let deployments: string;
let database: OpenTestDatabase;
let dataDir: string;
let runnerUrl: string;
let keyNodes: Awaited<ReturnType<typeof startKeyNodes>>;
const processes = new Set<RelayerProcess>();

// Each test starts processes of its own, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

beforeAll(async () => {
  chain = resources.use(await startChain());
  deployments = resources.use(temporaryDirectory()).path;
  dataDir = resources.use(temporaryDirectory()).path;
  database = await openTestDatabase();
  resources.defer(database.dispose);
  const payers = payerKeys.map((key) => privateKeyToAddress(key));
  for (const address of payers) await chain.client.setBalance({ address, value: 10n ** 20n });
  contract = await deploy(chain, deployments, payers);
  keyNodes = resources.use(await startKeyNodes(chain, contract));
  runnerUrl = resources.use(await startRunnerProcess(keyNodes.runner)).url;
});
afterEach(async () => {
  for (const process of processes) await process.stop('SIGKILL');
  await chain.client.setAutomine(true);
});
afterAll(() => resources.disposeAsync());

const settings = () => ({
  RPC_URL: chain.url,
  DEPLOYMENTS_DIR: deployments,
  PAYER_PRIVATE_KEYS: payerKeys.join(','),
  STARTER_CREDIT_CENTS: '1000',
  DATABASE_URL: database.url,
  DATA_DIR: dataDir,
  RUNNER_URLS: runnerUrl,
  INDEXER_URLS: 'http://127.0.0.1:9',
  ROOT_SECRET_PASSPHRASE: 'test',
  ...keyNodes.relayer,
});
const startProcess = async (changes: Record<string, string> = {}) => {
  const started = await startRelayerProcess({ ...settings(), ...changes });
  processes.add(started);
  return started;
};

const post = async (url: string, path: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/core/v1/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};
const account = { account_name: 'Ann', account_description: '' };
const accountCount = () =>
  chain.client.readContract({ address: contract, abi: accountConfigAbi, functionName: 'accountCount' });
const isAccount = async (key: string) => {
  const args = [apiKeyHash(key)] as const;
  const abi = accountConfigAbi;
  const [master] = await chain.client.readContract({ address: contract, abi, functionName: 'resolve', args });
  return master === args[0];
};

test('a retry after a crash between broadcast and reply has one effect and returns the same key', async () => {
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const before = await accountCount();
  await chain.client.setAutomine(false);
  const first = await startProcess();
  const lost = post(first.url, 'new_account', account, headers).catch(() => 'lost');
  await until('transaction in the mempool', async () => (await chain.client.getTxpoolStatus()).pending === 1);
  await first.stop('SIGKILL');
  expect(await lost).toBe('lost');
  await chain.client.setAutomine(true);
  await chain.client.mine({ blocks: 1 });
  expect(await accountCount()).toBe(before + 1n);

  await endLeases(database.db);
  const second = await startProcess();
  const reply = await post(second.url, 'new_account', account, headers);
  expect(reply.status).toBe(200);
  expect(await accountCount()).toBe(before + 1n);
  expect(await isAccount(reply.body.api_key ?? '')).toBe(true);
  expect(await second.stop('SIGTERM')).toBe(0);
});

test('SIGTERM during a write: the write is answered and the process exits with 0', async () => {
  const { stop, url, output } = await startProcess();
  await chain.client.setAutomine(false);
  const reply = post(url, 'new_account', account);
  await until('transaction in the mempool', async () => (await chain.client.getTxpoolStatus()).pending === 1);
  const stopped = stop('SIGINT');
  await chain.client.setAutomine(true);
  await chain.client.mine({ blocks: 1 });
  const { status, body } = await reply;
  expect(status).toBe(200);
  expect(await isAccount(body.api_key ?? '')).toBe(true);
  expect(await stopped).toBe(0);
  expect(output()).not.toContain(body.api_key);
  for (const key of payerKeys) expect(output()).not.toContain(key.slice(2));
});

test('a start at nodes that answer too slowly is live and not ready, and goes on by itself', async () => {
  const nodes = [resources.use(await rpcProxy(chain.url)), resources.use(await rpcProxy(chain.url))];
  for (const node of nodes) node.delayMs = 2_500;
  const RPC_URL = nodes.map(({ url }) => url).join();
  const started = await spawnService('relayer', { ...settings(), RPC_URL });
  processes.add(started);
  const look = async (path: string) => {
    const response = await fetch(`${started.url}${path}`);
    return [response.status, await response.json()];
  };
  await until('the process is live', async () => (await look('/live').catch(() => [0]))[0] === 200);
  expect(await look('/ready')).toEqual([503, { ok: false, degraded: ['chain'] }]);
  expect(await look('/health')).toEqual([
    503,
    {
      ok: false,
      chain: { ok: false, detail: expect.stringContaining('cannot be asked'), since: expect.any(String) },
    },
  ]);
  expect(await look('/core/v1/version')).toMatchObject([503, { error: 'service_unavailable' }]);
  for (const node of nodes) node.delayMs = 0;
  await started.ready();
  // Both nodes rest for ten seconds.
  await until('the relayer is ready', async () => (await look('/ready'))[0] === 200);
  expect((await post(started.url, 'new_account', account)).status).toBe(200);
  expect(await started.stop('SIGTERM')).toBe(0);
});

/** All rows of the database, as text. */
async function readRows(): Promise<string> {
  const query = async (statement: string): Promise<string[]> => {
    const { rows } = (await database.db.execute(sql.raw(statement))) as unknown as {
      rows: { text: string }[];
    };
    return rows.map(({ text }) => text);
  };
  const tables = await query(
    `SELECT format('%I.%I', schemaname, tablename) AS text FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const rows: string[] = [];
  for (const table of tables) rows.push(...(await query(`SELECT t::text AS text FROM ${table} t`)));
  return rows.join('\n');
}

test('account keys that signed consents are in no log, no metric and no row', async () => {
  const relayer = await startProcess({ LOG_LEVEL: 'trace' });
  const newKeyText = () => apiKeyFromBytes(crypto.getRandomValues(new Uint8Array(32)));
  const opened = await post(relayer.url, 'new_account', account);
  const keys = [opened.body.api_key ?? '', newKeyText(), newKeyText()];
  const master = `0x${apiKeyHash(keys[0] ?? '')
    .toString(16)
    .padStart(64, '0')}`;
  const send = (key: string | undefined, path: string, body: object) =>
    post(relayer.url, path, body, { 'X-Api-Key': key ?? '', 'Idempotency-Key': crypto.randomUUID() });
  const rotate = (from: string | undefined, next = '') =>
    send(from, 'rotate_account_key', { new_api_key: next, new_wallet_address: accountWalletAddress(next) });

  expect((await rotate(keys[0], keys[1])).status).toBe(200);
  // Refused: the hash was a key before.
  expect((await rotate(keys[1], keys[0])).status).toBe(409);
  expect((await rotate(keys[1], keys[2])).status).toBe(200);
  expect((await send(keys[2], 'retire_account', { api_key_hash: master })).status).toBe(200);

  const metrics = await (await fetch(relayer.metricsUrl)).text();
  const rows = await readRows();
  expect(await relayer.stop('SIGTERM')).toBe(0);
  const seen = `${relayer.output()}${metrics}${rows}`;
  for (const key of keys) {
    const bytes = Buffer.from(key, 'base64');
    for (const form of [key, bytes.toString('hex'), bytes.toString('base64url')])
      expect(seen.toLowerCase().includes(form.toLowerCase())).toBe(false);
    // Proves that the search can find.
    expect(seen).toContain(apiKeyHash(key).toString(16));
  }
});

test('lists all wrong settings and exits with 1', async () => {
  const child = spawn(process.execPath, [join(root, 'relayer/src/main.ts')], {
    env: { PATH: process.env.PATH, PORT: 'x', PAYER_PRIVATE_KEYS: 'secret' },
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  expect((await once(child, 'exit'))[0]).toBe(1);
  expect(output).toMatch(/"PORT: .*","PAYER_PRIVATE_KEYS/);
  expect(output).not.toContain('secret');
});

test('finds its runner by a name over DNS and TLS, and says when it is away', async () => {
  using directory = temporaryDirectory(tmpdir());
  const port = await freePort();
  const issued = issue({ name: 'localhost' });
  await using runner = await startRunnerAt('127.0.0.1', port, directory.path, issued);
  const relayer = await startProcess({
    RUNNER_URLS: `dns+wss://localhost:${port}`,
    RUNNER_TOKEN: TOKEN,
    NODE_EXTRA_CA_CERTS: join(directory.path, 'cert.pem'),
  });
  const runtime = async () =>
    ((await (await fetch(`${relayer.url}/health`)).json()) as { runtime: object }).runtime;
  await expect.poll(runtime).toEqual({ ok: true });
  runner.child.kill('SIGKILL');
  await expect.poll(runtime).toMatchObject({ ok: false, detail: 'a runner is not connected' });
  expect(await relayer.stop('SIGTERM')).toBe(0);
  expect(relayer.output()).not.toContain(TOKEN);
});

test('two processes on one database: a key removed by one is refused by the other immediately; a request sent to both has one effect', async () => {
  const [a, b] = await Promise.all([startProcess(), startProcess()]);
  const both = { 'Idempotency-Key': crypto.randomUUID() };
  const opened = await Promise.all(
    [a.url, b.url, a.url, b.url].map((url) => post(url, 'new_account', account, both)),
  );
  for (const reply of opened) expect(reply).toEqual(opened[0]);
  const key = { 'X-Api-Key': opened[0]?.body.api_key ?? '' };

  for (let round = 0; round < 5; round++) {
    const made = await post(a.url, 'add_usage_api_key', { execute_in_groups: [0] }, key);
    const usageKey = made.body.usage_api_key ?? '';
    const run = () =>
      post(b.url, 'svc_action', { code: 'function main() { return 1 }' }, { 'X-Api-Key': usageKey });
    expect((await run()).status).toBe(200);
    expect((await post(a.url, 'remove_usage_api_key', { usage_api_key: usageKey }, key)).status).toBe(200);
    expect((await run()).status).toBe(401);
  }
  expect(await Promise.all([a, b].map(({ stop }) => stop('SIGTERM')))).toEqual([0, 0]);
});
