import type { IdempotencyStore, Opened } from '@latchkey/http';
import { createIdempotencyStore } from '@latchkey/http/idempotency-store';
import { readDeployment } from '@latchkey/service/deployment';
import type { HealthCheck } from '@latchkey/service/health';
import { createLogger } from '@latchkey/service/logger';
import { type Activity, createActivity } from '@latchkey/service/turns';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createAccountLists, type ReadAccountLists } from './account-export.ts';
import { createKeyRegistry, type KeyRegistry } from './auth/key-registry.ts';
import { createMinBlockWait } from './auth/min-block.ts';
import { createRunWatch, type RunWatch } from './auth/run-watch.ts';
import { createWalletVerifier, type VerifyWallet } from './auth/wallet-proof.ts';
import { giveStarterCredit } from './billing/starter-credit.ts';
import { createAccountChanges } from './chain/account-changes.ts';
import { type AccountConfig, createViews, createWrite } from './chain/account-config.ts';
import { createExecutedWrites, type FindExecutedWrites } from './chain/executed-writes.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { createNewAccountGas } from './db/new-account-gas.ts';
import { createRequestSeeds, type RequestSeeds } from './db/request-seeds.ts';
import { idempotency as idempotencyRecords } from './db/schema.ts';
import { createRelayerHealthCheck, type RelayerPart } from './health.ts';
import { createIndexerClient, type IndexerClient } from './indexer-client.ts';
import type { KeyNodes } from './keys/key-nodes.ts';
import type { KeyReleases } from './keys/key-releases.ts';
import { createMints, type Mints } from './keys/mints.ts';
import type { RootSecrets } from './keys/root-secrets.ts';
import { createLists, type Lists } from './lists.ts';
import { addMetrics, createGasCounter } from './metrics.ts';
import { createNewAccounts, type NewAccounts } from './new-accounts.ts';
import { createOperatorStatus, type DeploymentStatus } from './operator/status.ts';
import { commitOfWorkingTree, readPackageInfo } from './package-info.ts';
import { openChain } from './parts/chain.ts';
import { openKeys } from './parts/keys.ts';
import { createLimits, type Limits } from './parts/limits.ts';
import { openPayers } from './parts/payers.ts';
import { type CardPayments, openPayments } from './parts/payments.ts';
import { openRequestLog, type Requests } from './parts/requests.ts';
import { openRuns, type RunParts } from './parts/runs.ts';
import { openStorage } from './parts/storage.ts';
import { openTimers } from './parts/timers.ts';
import { openWallets, type Wallets } from './parts/wallets.ts';
import { openWebhooks, type Webhooks } from './parts/webhooks.ts';

/** Everything a route handler can use. Each handler takes only the part it needs. */
export type Context = RunParts &
  Limits &
  Wallets &
  Requests &
  Webhooks & {
    config: Config;
    log: Logger;
    metrics: Registry;
    version: { name: string; version: string; commit: string };
    accountConfig: AccountConfig;
    findExecutedWrites: FindExecutedWrites;
    keyRegistry: KeyRegistry;
    lists: Lists;
    /** The whole lists of an account. */
    readAccountLists: ReadAccountLists;
    readAccountChanges: IndexerClient['changes'];
    idempotency: IdempotencyStore;
    requestSeeds: RequestSeeds;
    keyNodes: KeyNodes;
    mints: Mints;
    keyReleases: KeyReleases;
    runWatch: RunWatch;
    /** The PostgreSQL database, including the ledger. */
    db: Database;
    /** Undefined when no card processor is configured. */
    payments: CardPayments | undefined;
    giveStarterCredit: (account: bigint) => Promise<void>;
    newAccounts: NewAccounts;
    verifyWallet: VerifyWallet;
    /** Resolves when the chain reaches the `X-Min-Block` of a request from this address. */
    awaitBlock: (block: bigint, ip: string) => Promise<void>;
    /** Admits the requests of busy accounts in turns while other accounts are active. */
    activity: Activity<bigint | string>;
    checkHealth: HealthCheck<RelayerPart>;
    readStatus: () => Promise<DeploymentStatus>;
  };

/**
 * Opens all parts of the relayer in the order of their dependencies. Closes the parts already opened when one fails.
 */
export async function openContext(config: Config): Promise<Opened<Context>> {
  const log = createLogger({ name: 'relayer', level: config.logLevel });
  await using resources = new AsyncDisposableStack();
  const context = await open(config, log, resources);
  const finish = (timeoutMs: number): Promise<void> => {
    context.transactionStreams.end();
    return context.admission.drain(timeoutMs);
  };
  const drain = { timeoutMs: config.drainTimeoutMs, finish };
  return { context, resources: resources.move(), drain };
}

async function open(config: Config, log: Logger, resources: AsyncDisposableStack): Promise<Context> {
  const every = openTimers(resources, log);
  const metrics = new Registry();
  const activity = createActivity<bigint | string>();
  const deployment = readDeployment(config.deploymentsDir, config.chain.chainId);
  const storage = await openStorage(config, log, resources, every);
  const { database, db, processes, accountHeads } = storage;
  const chain = await openChain(config, deployment, storage, { log, metrics }, resources);
  const views = createViews(chain, deployment.address);
  const indexer = createIndexerClient(config.indexer);
  const keys = await openKeys(config, views, metrics, log, every);
  const { rootSecrets, keyNodes } = keys;
  const wallets = openWallets(config, { chain, db, activity, log, metrics }, resources, every);
  const ofRuns = { chain, storage, deployment, views, indexer, keys, log, metrics };
  const runs = await openRuns(config, ofRuns, resources, every);
  const { runners } = runs;

  const keyRegistry = createKeyRegistry(chain, views, accountHeads);
  const lists = createLists(indexer, { isWatching: chain.isWatching });
  const runWatch = createRunWatch(views, log);
  const countGas = createGasCounter(metrics);
  const changes = createAccountChanges({ accountHeads, keyRegistry, lists, runWatch, processes, countGas });
  const writes = { chain, db, deployment, views, changes, activity, log, metrics };
  const payers = await openPayers(config, writes, resources, every);
  addMetrics(metrics, chain, payers, runners, db);

  const accountConfig = { ...views, write: createWrite(payers) };
  const parts = { ...config.payers, ...wallets, chain, database, indexer, payers, runners, keyNodes };
  const stores = openStores(db, rootSecrets);
  return {
    ...runs,
    ...wallets,
    ...openWebhooks(config, { ...writes, accountHeads, rootSecrets }, resources, every),
    ...createLimits(config),
    ...openRequestLog({ db, metrics }, resources, every),
    config,
    log,
    metrics,
    version: { ...(await readPackageInfo()), commit: config.commit ?? commitOfWorkingTree() },
    accountConfig,
    findExecutedWrites: createExecutedWrites(chain, deployment),
    keyRegistry,
    lists,
    readAccountLists: createAccountLists({ indexer, chain, contract: deployment.address }),
    readAccountChanges: indexer.changes,
    ...stores,
    keyNodes,
    mints: createMints(keyNodes, runners),
    keyReleases: keys.keyReleases,
    runWatch,
    db,
    payments: openPayments(config, deployment, { db, views, accountHeads, log, every }),
    giveStarterCredit: (account) => giveStarterCredit(db, account, config.billing.starterCreditCents),
    newAccounts: openNewAccounts(config, { db, ...stores }),
    verifyWallet: createWalletVerifier(config.chain.chainId, accountConfig),
    awaitBlock: createMinBlockWait(chain),
    activity,
    ...openStatus({ ...parts, ...runs, config, db, accountConfig }),
  };
}

function openStatus(
  parts: Parameters<typeof createRelayerHealthCheck>[0] &
    Omit<Parameters<typeof createOperatorStatus>[0], 'checkHealth'>,
): Pick<Context, 'checkHealth' | 'readStatus'> {
  const checkHealth = createRelayerHealthCheck(parts);
  return { checkHealth, readStatus: createOperatorStatus({ ...parts, checkHealth }) };
}

function openStores(db: Database, rootSecrets: RootSecrets): Pick<Context, 'idempotency' | 'requestSeeds'> {
  const sealer = rootSecrets.sealer('idempotent-reply');
  return {
    idempotency: createIdempotencyStore({ db, table: idempotencyRecords, sealer }),
    requestSeeds: createRequestSeeds(db, rootSecrets.sealer('request-seed')),
  };
}

function openNewAccounts(
  { newAccounts }: Config,
  { db, requestSeeds, idempotency }: Pick<Context, 'db' | 'requestSeeds' | 'idempotency'>,
): NewAccounts {
  const gas = createNewAccountGas(db, newAccounts);
  return createNewAccounts({ ...newAccounts, gas, seeds: requestSeeds, used: idempotency });
}
