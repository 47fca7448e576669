/**
 * Stops and starts the trigger service and the real relayer under webhooks, and takes the relayer away. Afterwards every accepted
 * webhook has succeeded once, and the credit taken is the cost of the runs.
 *
 * RESTARTS: of each part (default 1); AWAY_SECONDS: absence of the relayer (5); WEBHOOKS_PER_SECOND (5).
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { type ServiceProcess, spawnService } from '@latchkey/testing/services';
import { type Account, addUsageKey, newAccount, payAndConfirm, stack } from '@latchkey/testing/stack';
import { freePort, until } from '@latchkey/testing/until';
import { isNull } from 'drizzle-orm';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../src/db/schema.ts';
import { openTestDatabase } from './database.ts';
import { addTrigger, addUser } from './fixtures.ts';
import { readLedger } from './lost-replies.ts';

const restarts = Number(process.env.RESTARTS ?? 1);
const awaySec = Number(process.env.AWAY_SECONDS ?? 5);
const perSecond = Number(process.env.WEBHOOKS_PER_SECOND ?? 5);
const seconds = 20 * restarts + awaySec;
const deadlineMs = 120_000 + seconds * 1_000 * Math.max(1, perSecond / 5);

/** Waits for up to a second, so that a stop finds runs in every state. */
const code = `async function main({ event }) {
  await new Promise((resolve) => setTimeout(resolve, event.ms));
  return event.n;
}`;

const resources = new AsyncDisposableStack();
const sealingKeys = randomBytes(32);
let account: Account;
let database: Awaited<ReturnType<typeof openTestDatabase>>;
let webhookPath: string;
const parts: Record<'relayer' | 'triggers', { settings: Record<string, string>; process?: ServiceProcess }> =
  {
    relayer: { settings: {} },
    triggers: { settings: {} },
  };

const start = async (name: keyof typeof parts) => {
  const part = parts[name];
  part.process = await spawnService(name, part.settings);
  await part.process.ready();
};
const stop = async (name: keyof typeof parts) => {
  const { process } = parts[name];
  expect(await process?.stop('SIGTERM'), process?.output()).toBe(0);
};
const urlOf = (name: keyof typeof parts) => `http://127.0.0.1:${parts[name].settings.PORT}`;

beforeAll(async () => {
  account = await newAccount();
  const usageKey = await addUsageKey(account.key, { execute_in_groups: [0] });
  const { chainId, contractAddress: address, rpcUrl, indexerUrl, stripeSettings } = stack;
  const directory = await mkdtemp(join(tmpdir(), 'restarts-'));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const deployment = { chainId, address, startBlock: 0, facets: {} };
  await writeFile(join(directory, `${chainId}.json`), JSON.stringify(deployment));
  const ledger = resources.use(await createTestDatabase());
  database = await openTestDatabase();
  resources.defer(database.dispose);
  resources.defer(async () => {
    for (const { process } of Object.values(parts)) await process?.stop('SIGKILL');
  });
  parts.relayer.settings = {
    PORT: String(await freePort()),
    RPC_URL: rpcUrl,
    CHAIN_ID: String(chainId),
    DEPLOYMENTS_DIR: directory,
    DATABASE_URL: ledger.url,
    DATA_DIR: join(directory, 'relayer'),
    INDEXER_URL: indexerUrl,
    PAYER_PRIVATE_KEYS: generatePrivateKey(),
    RUNNER_URLS: stack.runnerUrl,
    ...stack.keyNodeSettings,
    ...stripeSettings,
  };
  parts.triggers.settings = {
    PORT: String(await freePort()),
    DATABASE_URL: database.url,
    SEALING_KEYS: sealingKeys.toString('base64'),
    RELAYER_URLS: urlOf('relayer'),
    SERVICE_RPC_URL: rpcUrl,
    WEBHOOKS_PER_MINUTE_PER_ADDRESS: '1000000',
    WEBHOOKS_PER_MINUTE_PER_ACCOUNT: '1000000',
  };
  await Promise.all([start('relayer'), start('triggers')]);
  const cents = Math.min(99_999, 1_000 + 10 * perSecond * seconds);
  await payAndConfirm({ 'X-Api-Key': account.key }, { url: urlOf('relayer'), cents });
  const id = randomUUID();
  await addTrigger(database.db, await addUser(database.db), {
    id,
    usageApiKey: createSealer([sealingKey(sealingKeys)]).seal(usageKey, id),
    actionCode: code,
    maxConcurrentRuns: 8,
    config: { delivery_header: 'x-delivery' },
  });
  webhookPath = `/webhook/${id}`;
}, 600_000);
afterAll(() => resources.disposeAsync());

/** Delivers a webhook until it is accepted, as senders do. Resolves to the id of its run. */
async function deliver(n: number): Promise<string> {
  for (;;) {
    const reply = await fetch(`${urlOf('triggers')}${webhookPath}`, {
      method: 'POST',
      headers: { 'X-Delivery': String(n) },
      body: JSON.stringify({ n, ms: (n * 137) % 1_000 }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    if (reply?.status === 202) return ((await reply.json()) as { run_id: string }).run_id;
    await reply?.body?.cancel();
    await delay(200);
  }
}

test(`${restarts} restarts of each part and ${awaySec} s without the relayer lose, repeat and fail no run`, {
  timeout: deadlineMs + 600_000,
}, async () => {
  const accepted: Promise<string>[] = [];
  const over = new AbortController();
  const delivering = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      accepted.push(deliver(n));
      await delay(1_000 / perSecond, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  for (let round = 0; round < restarts; round++)
    for (const name of ['relayer', 'triggers'] as const) {
      await delay(500 + Math.random() * 2_000);
      await stop(name);
      await start(name);
    }
  await stop('relayer');
  await delay(1_000 * awaySec);
  const health = await fetch(`${urlOf('triggers')}/health`);
  expect([health.status, await health.json()]).toMatchObject([200, { status: 'degraded' }]);
  await start('relayer');
  over.abort();
  await delivering;
  const ids = await Promise.all(accepted);

  const open = () => database.db.$count(runs, isNull(runs.finishedAt));
  await until('all runs end', async () => (await open()) === 0, deadlineMs);
  const stored = await database.db.select().from(runs);
  expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(ids));
  expect(new Set(ids).size).toBe(ids.length);
  for (const { status, attempt, response, input, error } of stored)
    expect({ status, attempt, response, error }).toEqual({
      status: 'success',
      attempt: 1,
      response: (input.event as { n: number }).n,
      error: null,
    });

  const entries = await readLedger(urlOf('relayer'), account.key);
  const captures = entries.filter(({ kind }) => kind === 'capture');
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  expect(new Set(captures.map(({ reason }) => reason)).size).toBe(stored.length);
  expect(sum(captures.map((entry) => entry.amount_micros))).toBe(
    sum(stored.map((run) => run.costMicros ?? 0)),
  );
});
