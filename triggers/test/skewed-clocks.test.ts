/** The trigger service with a real relayer, whose runner has a wrong clock. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getFrom, readLedger } from '@latchkey/testing/ledger';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { spawnService } from '@latchkey/testing/services';
import { startSkewedRunner } from '@latchkey/testing/skewed-runner';
import {
  addGroup,
  addUsageKey,
  createWallet,
  hex,
  newAccount,
  payAndConfirm,
  stack,
} from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { eq } from 'drizzle-orm';
import { generatePrivateKey } from 'viem/accounts';
import { expect, test } from 'vitest';
import { runs } from '../src/db/schema.ts';
import { addTrigger } from './fixtures.ts';
import { startService } from './service.ts';

const code = 'const main = async ({ pkpId }) => (await Svc.Actions.getPrivateKey({ pkpId })).length;';

test('a run is repeated until the clock of the runner is right, and charged once', async () => {
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'skewed-clocks-'));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const { chainId, contractAddress: address, rpcUrl, indexerUrl } = stack;
  const deployment = { chainId, address, startBlock: 0, facets: {} };
  await writeFile(join(directory, `${chainId}.json`), JSON.stringify(deployment));
  const runner = resources.use(await startSkewedRunner(15_000));
  const ledger = resources.use(await createTestDatabase());
  const relayer = await spawnService('relayer', {
    RPC_URL: rpcUrl,
    CHAIN_ID: String(chainId),
    DEPLOYMENTS_DIR: directory,
    DATABASE_URL: ledger.url,
    DATA_DIR: join(directory, 'relayer'),
    INDEXER_URLS: indexerUrl,
    PAYER_PRIVATE_KEYS: generatePrivateKey(),
    RUNNER_URLS: runner.url,
    ...stack.keyNodeSettings,
    ...stack.stripeSettings,
  });
  resources.defer(async () => void (await relayer.stop('SIGKILL')));
  await relayer.ready();
  const account = await newAccount();
  const pkpId = await createWallet(account.key);
  const group = await addGroup(account.key, { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(0n)] });
  const usageKey = await addUsageKey(account.key, { execute_in_groups: [group] });
  await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });

  const service = await startService({ RELAYER_URLS: relayer.url });
  resources.defer(service.dispose);
  const { db, context } = service;
  const { userId } = await service.newAgent();
  const id = crypto.randomUUID();
  const usageApiKey = context.sealer.seal(usageKey, id);
  await addTrigger(db, userId, { id, usageApiKey, actionCode: code, defaultParams: { pkpId } });
  const reply = await service.post(`/webhook/${id}`, {});
  const { run_id: runId } = (await reply.json()) as { run_id: string };
  await until('the run waits after a request', async () => {
    const [found] = await db.select().from(runs).where(eq(runs.id, runId));
    return found?.status === 'queued' && found.askedAt !== null;
  });
  runner.setRight();
  const run = await until('the run ends', async () => {
    const [found] = await db.select().from(runs).where(eq(runs.id, runId));
    return found?.finishedAt && found;
  });
  expect(run).toMatchObject({ status: 'success', response: 66, attempt: 1 });
  const captures = (await readLedger(getFrom(relayer.url, account.key))).filter(
    ({ kind }) => kind === 'capture',
  );
  expect(captures).toHaveLength(1);
});
