/** The value of a secret is nowhere in the relayer and the trigger service: databases, logs, replies and memory. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { type ServiceProcess, spawnService } from '@latchkey/testing/services';
import { call, payAndConfirm, stack } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import pg from 'pg';
import { generatePrivateKey } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { createRelayerDatabase } from '../../../test/database.ts';
import { startRelayerProcess } from '../../../test/process.ts';
import { newSecretAccount, runOf, type SecretAccount, setSecret } from '../../../test/secrets.ts';

/** Resolves to all rows of all tables as text, with bytes in hexadecimal and as they are. */
async function readAllRows(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from ${name}`);
      for (const row of rows)
        for (const value of Object.values(row))
          texts.push(
            Buffer.isBuffer(value)
              ? `${value.toString('hex')} ${value.toString('latin1')}`
              : JSON.stringify(value),
          );
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** Starts a relayer as a process with a database of its own, which logs everything. */
async function startOwn() {
  const database = await createRelayerDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'relayer-'));
  const { chainId, contractAddress: address } = stack;
  const deployment = { chainId, address, startBlock: 0, facets: {} };
  await writeFile(join(directory, `${chainId}.json`), JSON.stringify(deployment));
  const relayer = await startRelayerProcess({
    ...stack.keyNodeSettings,
    ...stack.stripeSettings,
    LOG_LEVEL: 'trace',
    RPC_URL: stack.rpcUrl,
    CHAIN_ID: String(chainId),
    DEPLOYMENTS_DIR: directory,
    DATABASE_URL: database.url,
    DATA_DIR: join(directory, 'data'),
    INDEXER_URLS: stack.indexerUrl,
    PAYER_PRIVATE_KEYS: generatePrivateKey(),
    RUNNER_URLS: stack.runnerUrl,
  });
  onTestFinished(async () => {
    await relayer.stop('SIGTERM');
    await database[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  return { relayer, databaseUrl: database.url };
}

/** Starts a trigger service of this relayer as a process with a database of its own, which logs everything. */
async function startTriggers(relayerUrl: string) {
  const database = await createTestDatabase();
  const triggers = await spawnService('triggers', {
    LOG_LEVEL: 'trace',
    RELAYER_URLS: relayerUrl,
    DATABASE_URL: database.url,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    SERVICE_RPC_URL: stack.rpcUrl,
  });
  onTestFinished(async () => {
    await triggers.stop('SIGTERM');
    await database[Symbol.asyncDispose]();
  });
  await triggers.ready();
  return { triggers, databaseUrl: database.url };
}

async function ask(url: string, body: object, token?: string): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, string>;
}

/** Runs the code by a webhook. Resolves to the record of the run once it has ended. */
async function runByTrigger(triggersUrl: string, account: SecretAccount, params: object) {
  const api = `${triggersUrl}/api`;
  const { token = '' } = await ask(`${api}/login`, { account_key: account.key });
  const trigger = await ask(
    `${api}/triggers`,
    {
      name: 'canary',
      kind: 'webhook',
      usage_api_key: account.usageKey,
      action_code: CODE,
      default_params: params,
    },
    token,
  );
  const { run_id: runId } = await ask(trigger.webhook_url ?? '', {});
  return until(
    'the run has ended',
    async () => {
      const headers = { Authorization: `Bearer ${token}` };
      const run = await (await fetch(`${api}/runs/${runId}`, { headers })).text();
      return /"status":"(?:success|failed)"/.test(run) && run;
    },
    60_000,
  );
}

const CODE = `async function main({ fails, idle }) {
  const value = await Svc.Actions.getSecret('CANARY');
  console.log('log', value, { value });
  if (fails) throw new Error('error ' + value);
  return { value, digest: ethers.utils.sha256(ethers.utils.toUtf8Bytes(value)) };
}`;

test('no service has the value in its database, log, replies and memory', { timeout: 600_000 }, async () => {
  const { relayer, databaseUrl } = await startOwn();
  const account = await newSecretAccount();
  await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });
  const recording = {
    usage_api_key: account.usageKeyHash.replace('0x', '').padStart(64, '0'),
    record_output: true,
  };
  await call(
    'POST',
    'set_usage_api_key_recording',
    { key: account.key, body: { ...recording, usage_api_key: `0x${recording.usage_api_key}` } },
    relayer.url,
  );
  const value = `canary-${randomBytes(24).toString('hex')}`;
  await setSecret(account, 'CANARY', value, relayer.url);
  const digest = `0x${createHash('sha256').update(value).digest('hex')}`;
  const replies: string[] = [];
  for (const fails of [false, true, false]) {
    const { status, body } = await runOf(account.usageKey, { fails }, CODE, relayer.url);
    expect([status, body]).toMatchObject([200, { has_error: fails }]);
    replies.push(JSON.stringify(body));
  }
  for (const path of ['list_secrets', 'list_secret_events?name=CANARY', 'list_runs', 'export_account'])
    replies.push(JSON.stringify((await call('GET', path, { key: account.key }, relayer.url)).body));
  expect(replies.join()).not.toContain(value);
  // Proves that the action had the value.
  expect(replies[0]).toContain(digest);

  const { triggers, databaseUrl: triggersDatabaseUrl } = await startTriggers(relayer.url);
  for (const fails of [false, true]) replies.push(await runByTrigger(triggers.url, account, { fails }));
  expect(replies.join()).not.toContain(value);
  expect(replies.at(-2)).toContain(digest);

  const services = [
    { service: relayer, rows: await readAllRows(databaseUrl), known: 'CANARY' },
    { service: triggers, rows: await readAllRows(triggersDatabaseUrl), known: digest },
  ];
  for (const { service, rows, known } of services) {
    for (const form of [value, Buffer.from(value).toString('hex'), Buffer.from(value).toString('base64')])
      expect(rows.includes(form)).toBe(false);
    expect(rows).toContain(known);
    expect(service.output()).not.toContain(value);
    expect(service.output()).toContain('run');
    if (process.platform === 'linux') await expectNotInMemory(service, value, digest);
  }
});

const forms = (text: string) => [
  Buffer.from(text),
  Buffer.from(text, 'utf16le'),
  Buffer.from(Buffer.from(text).toString('base64')),
];

/** The digest proves that the search can find. */
async function expectNotInMemory({ child: { pid = 0 } }: ServiceProcess, value: string, digest: string) {
  const { findInMemory } = await import('@latchkey/testing/process-memory');
  const searched = new Map([
    ['value', forms(value)],
    ['digest', forms(digest)],
  ]);
  const memory = () => findInMemory(pid, searched);
  await until('the memory has the digest', async () => (await memory()).includes('digest'), 60_000);
  expect(await memory()).not.toContain('value');
}
