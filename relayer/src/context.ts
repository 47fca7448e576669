import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Chain, connectChain } from '@latchkey/chain/chain';
import { toChainError } from '@latchkey/chain/errors';
import {
  createAddressLimit,
  createPacedLimit,
  createRateLimit,
  type IdempotencyStore,
  type Opened,
  type RateLimit,
} from '@latchkey/http';
import { createIdempotencyStore } from '@latchkey/http/idempotency-store';
import { createIdentity, GROUP_CONFIGURATION } from '@latchkey/key-protocol';
import { createStore, openOutbox } from '@latchkey/outbox';
import { type Deployment, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { defaultLimits, type RunLimits } from '@latchkey/runner-protocol';
import { readDeployment } from '@latchkey/service/deployment';
import type { HealthCheck } from '@latchkey/service/health';
import { createLogger } from '@latchkey/service/logger';
import { openPrivateDirectory } from '@latchkey/service/private-directory';
import { repeat } from '@latchkey/service/repeat';
import { localSigner } from '@latchkey/service/secp256k1';
import { type Activity, createActivity } from '@latchkey/service/turns';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { type ActionSource, createActionSource } from './action-source.ts';
import { createKeyRegistry, type KeyRegistry, type RecentKey } from './auth/key-registry.ts';
import { createMinBlockWait } from './auth/min-block.ts';
import { createRunWatch, type RunWatch } from './auth/run-watch.ts';
import { createWalletVerifier, type VerifyWallet } from './auth/wallet-proof.ts';
import { createPayments, type Payments } from './billing/card-payments.ts';
import { createCardProcessor } from './billing/card-processor.ts';
import { createRuns, type Runs } from './billing/runs.ts';
import { giveStarterCredit } from './billing/starter-credit.ts';
import { createAccountChanges } from './chain/account-changes.ts';
import { type AccountConfig, createViews, createWrite } from './chain/account-config.ts';
import { createExecutedWrites, type FindExecutedWrites } from './chain/executed-writes.ts';
import { type Config, LOCAL_CHAIN_ID, LOCAL_PASSPHRASE } from './config.ts';
import { type AccountHeads, createAccountHeads } from './db/account-heads.ts';
import { type ActionCodes, createActionCodes } from './db/action-codes.ts';
import { type Database, openDatabase } from './db/database.ts';
import { bindDeployment } from './db/deployment.ts';
import { createNewAccountGas } from './db/new-account-gas.ts';
import { joinProcesses } from './db/processes.ts';
import { createRequestSeeds, type RequestSeeds } from './db/request-seeds.ts';
import { sweep } from './db/retention.ts';
import { idempotency as idempotencyRecords } from './db/schema.ts';
import { createRelayerHealthCheck, type RelayerPart } from './health.ts';
import { createIndexerClient } from './indexer-client.ts';
import { type ActionKeys, createActionKeys } from './keys/action-keys.ts';
import { createKeyNodes, type KeyNodes } from './keys/key-nodes.ts';
import type { KeyProvider } from './keys/key-provider.ts';
import { createKeyReleases, type KeyReleases } from './keys/key-releases.ts';
import { createLocalKeyProvider } from './keys/local-key-provider.ts';
import { localMints, type Mints, nodeMints } from './keys/mints.ts';
import { createRunnerAttestations } from './keys/runner-attestations.ts';
import { createLists, type Lists } from './lists.ts';
import { addMetrics, createGasCounter, createKeyNodeCounter } from './metrics.ts';
import { createNewAccounts, type NewAccounts } from './new-accounts.ts';
import { readPackageInfo } from './package-info.ts';
import { type Admission, createAdmission } from './runners/admission.ts';
import { createReceipts, type Receipts } from './runners/receipts.ts';
import { createRunStops, type RunStops } from './runners/run-stops.ts';
import { connectRunners, type Runners } from './runners/runners.ts';

const SWEEP_MS = 3_600_000;
const LOST_RUNS_MS = 5_000;
const MINUTE_MS = 60_000;
/** Stripe retries the delivery of an event for three days. */
const RECONCILED_MS = 3 * 24 * 3_600_000;
const PAYERS_REFRESH_MS = 15_000;
const PAYERS_RECHECK_MS = 10_000;
/** The payer bears their gas. */
const UNEXPLAINED_REVERTS_PER_HOUR = 3;
/** Entries of each cache. */
const MAX_KNOWN = 50_000;
const GAS_REFRESH_MS = 10_000;
const MEMBERSHIP_RENEWAL_MS = 500;
/** A key node that was restarted has no quotes: its part of keys is missing for this long. */
const RUNNER_ATTESTATION_MS = 5_000;

/** Everything a route handler can use. Each handler takes only the part it needs. */
export type Context = {
  config: Config;
  log: Logger;
  metrics: Registry;
  version: { name: string; version: string; commit: string };
  accountConfig: AccountConfig;
  findExecutedWrites: FindExecutedWrites;
  keyRegistry: KeyRegistry;
  lists: Lists;
  idempotency: IdempotencyStore;
  requestSeeds: RequestSeeds;
  actionCodes: ActionCodes;
  actionSource: ActionSource;
  keyProvider: KeyProvider;
  /** Absent when this relayer has the keys. */
  keyNodes: KeyNodes | undefined;
  actionKeys: ActionKeys;
  mints: Mints;
  /** Undefined without key nodes. */
  keyReleases: KeyReleases | undefined;
  runners: Runners;
  admission: Admission;
  runs: Runs;
  runWatch: RunWatch;
  runStops: RunStops;
  receipts: Receipts;
  /**
   * Keys and actions (`<hash> <cid>`) that the contract permitted, each with the lookup of the key before the answer. It
   * is valid while the key registry returns the same lookup.
   */
  permittedRuns: LRUCache<string, RecentKey>;
  runLimits: RunLimits;
  /** The PostgreSQL database, including the ledger. */
  db: Database;
  /** Absent when no card processor is configured. */
  payments: Payments | undefined;
  giveStarterCredit: (account: bigint) => Promise<void>;
  /** Limits payment requests per account. */
  paymentLimit: RateLimit;
  newAccounts: NewAccounts;
  /** Limits signed mints per client address and per wallet. */
  signedMintLimit: RateLimit;
  verifyWallet: VerifyWallet;
  /** Limits requests with unknown keys and wallets per client network. */
  unknownKeyLimit: RateLimit;
  /** Limits signed writes per account that revert on the chain after their simulation succeeded. */
  unexplainedRevertLimit: RateLimit;
  /** Resolves when the chain reaches the `X-Min-Block` of a request from this address. */
  awaitBlock: (block: bigint, ip: string) => Promise<void>;
  /** Requests of accounts, which have turns while other accounts are active. */
  activity: Activity<bigint | string>;
  checkHealth: HealthCheck<RelayerPart>;
};

/**
 * Opens all parts of the relayer in the order of their dependencies. Closes the parts already opened when one fails.
 */
export async function openContext(config: Config): Promise<Opened<Context>> {
  const log = createLogger({ name: 'relayer', level: config.logLevel });
  await using resources = new AsyncDisposableStack();
  const context = await open(config, log, resources);
  const drain = { timeoutMs: config.drainTimeoutMs, finish: context.admission.drain };
  return { context, resources: resources.move(), drain };
}

async function open(config: Config, log: Logger, resources: AsyncDisposableStack): Promise<Context> {
  const { secrets } = config;
  openPrivateDirectory(config.dataDir, (message, fields) => log.warn(fields, message));
  const deployment = readDeployment(config.deploymentsDir, config.chain.chainId);
  const database = await openDatabase(secrets.database, () => log.info('waiting for another migration'));
  const { db } = database;
  resources.defer(database.close);

  const chain = connectChain(config.chain);
  resources.defer(chain.close);
  const processes = await joinProcesses(db);
  resources.defer(processes.leave);
  const onRenewalError = (err: unknown) =>
    log.warn({ err }, 'failed to renew the membership of the relayers');
  resources.use(
    repeat({ intervalMs: MEMBERSHIP_RENEWAL_MS, task: processes.renew, onError: onRenewalError }),
  );
  const accountHeads = createAccountHeads(db, processes);
  await bindDeployment(db, deployment);
  await checkChain(chain, accountHeads, log);
  log.info({ chain_id: deployment.chainId, contract: deployment.address }, 'connected to the chain');

  const keyProvider = await createLocalKeyProvider({
    path: join(config.dataDir, 'root-secret.json'),
    passphrase: secrets.rootSecretPassphrase,
    isPublic: secrets.rootSecretPassphrase === LOCAL_PASSPHRASE,
  });
  const runLimits = { ...defaultLimits, ...config.runs.limits };
  const runners = connectRunners({
    urls: config.runners.urls,
    token: secrets.runnerToken,
    memoryLimitMb: runLimits.memoryLimitMb,
    log,
    onHostError: (err, { cid }) => log.error({ err, cid }, 'failed to run an action: host error'),
    onWrongAnswer: (node) => keyNodes?.distrust(node),
  });
  resources.defer(runners.close);

  const activity = createActivity<bigint | string>();
  const metrics = new Registry();
  const views = createViews(chain, deployment.address);
  const keyRegistry = createKeyRegistry(chain, views, accountHeads);
  const indexer = createIndexerClient(config.indexer);
  const lists = createLists(indexer, { isWatching: chain.isWatching });
  const runWatch = createRunWatch(views, log);
  const countGas = createGasCounter(metrics);
  const changes = createAccountChanges({ accountHeads, keyRegistry, lists, runWatch, processes, countGas });
  const payers = openOutbox({
    activity,
    ...config.payers,
    chain,
    store: createStore(db),
    signers: secrets.payerPrivateKeys.map(localSigner),
    contract: deployment.address,
    log,
    onSettled: changes.settled,
  });
  addMetrics(metrics, chain, payers, runners, db);
  const accountConfig = { ...views, write: createWrite(payers) };
  const nodes = connectKeyNodes(config, accountConfig, metrics, log);
  const keyNodes = nodes?.keyNodes;
  const mints = keyNodes ? nodeMints(keyNodes, runners) : localMints(keyProvider);
  const refreshPayers = async () => payers.setApiPayers(await accountConfig.read('api_payers', []));
  await refreshPayers();
  resources.defer(payers.close);
  await payers.start();

  chain.watch(deployment.address, changes.follow(chain, db, log));
  const every = (
    intervalMs: number,
    action: string,
    task: (signal: AbortSignal) => Promise<unknown>,
    isImmediate = false,
  ) => {
    const onError = (err: unknown) => log.warn({ err }, `failed to ${action}`);
    resources.use(repeat({ intervalMs, task, onError, isImmediate }));
  };
  every(PAYERS_REFRESH_MS, 'refresh api payers', refreshPayers);
  if (config.keyNodes && secrets.identity !== undefined) {
    const identity = createIdentity(secrets.identity);
    const attestRunners = createRunnerAttestations({ urls: config.keyNodes, identity, runners, log });
    every(RUNNER_ATTESTATION_MS, 'attest runners', attestRunners, true);
  }
  every(PAYERS_RECHECK_MS, 'recheck transactions', payers.recheck);
  every(GAS_REFRESH_MS, 'refresh fees and balances', payers.refreshGas, true);
  every(SWEEP_MS, 'delete expired rows', () => sweep(db, config.runRecordDays));

  const runs = createRuns(db, keyProvider.sealer('run-outcome'), log);
  every(LOST_RUNS_MS, 'release lost runs', runs.releaseLost, true);
  const payments = openPayments(config, deployment, db, log);
  if (payments) {
    const reconcile = (signal: AbortSignal) =>
      payments.reconcile(new Date(Date.now() - RECONCILED_MS), signal);
    every(config.billing.reconcileIntervalMin * MINUTE_MS, 'reconcile payments', reconcile, true);
  } else log.warn('no card processor is configured: the relayer accepts no payments');

  const actionCodes = createActionCodes(db, config.codes);
  every(SWEEP_MS, 'delete unused action code', async () => {
    const head = await chain.refreshHead();
    await actionCodes.sweep((cids) => indexer.registeredCids(cids, head));
  });
  const idempotency = createIdempotencyStore({
    db,
    table: idempotencyRecords,
    sealer: keyProvider.sealer('idempotent-reply'),
  });
  const receipts = createReceipts({
    privateKey: await keyProvider.receiptSigningKey(),
    chainId: deployment.chainId,
    contractAddress: deployment.address,
    head: chain.head,
  });
  const published = await accountConfig.read('nodeConfigurationValue', [RECEIPT_SIGNER_CONFIGURATION]);
  if (published !== receipts.signer)
    log.warn(
      { receipt_signer: receipts.signer, published },
      `set the node configuration ${RECEIPT_SIGNER_CONFIGURATION} to this signer: receipts of runs are not trusted without it`,
    );
  const requestSeeds = createRequestSeeds(db, keyProvider.sealer('request-seed'));
  return {
    config,
    log,
    metrics,
    version: await readVersion(config),
    accountConfig,
    findExecutedWrites: createExecutedWrites(chain, deployment),
    keyRegistry,
    lists,
    idempotency,
    requestSeeds,
    actionCodes,
    actionSource: createActionSource(actionCodes, {
      gatewayUrl: config.ipfsGatewayUrl,
      maxBytes: runLimits.maxCodeBytes,
      onDamaged: (cid) => log.error({ cid }, 'the stored code of an action is not that of its CID'),
    }),
    keyProvider,
    keyNodes,
    actionKeys: createActionKeys({ db, runners, log }),
    mints,
    keyReleases: nodes?.keyReleases,
    runners,
    admission: createAdmission(config.runs),
    permittedRuns: new LRUCache({ max: MAX_KNOWN }),
    runs,
    runWatch,
    runStops: createRunStops(db, processes, log),
    receipts,
    runLimits,
    db,
    payments,
    giveStarterCredit: (account) => giveStarterCredit(db, account, config.billing.starterCreditCents),
    paymentLimit: createRateLimit({
      points: config.billing.paymentRequestsPerMinute,
      message: 'Too many payment requests for this account.',
    }),
    newAccounts: createNewAccounts({
      ...config.newAccounts,
      gas: createNewAccountGas(db, config.newAccounts),
      seeds: requestSeeds,
      used: idempotency,
    }),
    signedMintLimit: createAddressLimit({
      points: config.signedMintsPerMinute,
      message: 'Too many requests from this address or for this wallet.',
    }),
    verifyWallet: createWalletVerifier(config.chain.chainId, accountConfig),
    unknownKeyLimit: createPacedLimit({
      points: config.unknownKeysPerMinute,
      leastPerSecond: 10,
      message: 'Too many requests with unknown keys from this address.',
    }),
    unexplainedRevertLimit: createRateLimit({
      points: UNEXPLAINED_REVERTS_PER_HOUR,
      periodSec: 3_600,
      message:
        'Too many signed writes of this account are in flight, or reverted on the chain although their simulations succeeded.',
    }),
    awaitBlock: createMinBlockWait(chain),
    activity,
    checkHealth: createRelayerHealthCheck({ chain, database, indexer, payers, runners, keyNodes }),
  };
}

/** Returns undefined, with a warning, when this relayer derives all keys itself. */
function connectKeyNodes(
  { keyNodes: urls, secrets: { identity: seed } }: Config,
  accountConfig: AccountConfig,
  metrics: Registry,
  log: Logger,
): { keyNodes: KeyNodes; keyReleases: KeyReleases } | undefined {
  if (!urls || seed === undefined) {
    log.warn('this relayer derives all keys itself, which is for tests: set KEY_NODES and RELAYER_IDENTITY');
    return undefined;
  }
  const identity = createIdentity(seed);
  log.info({ public_key: identity.publicKey, nodes: urls.length }, 'keys come from key nodes');
  const readParameters = () => accountConfig.read('nodeConfigurationValue', [GROUP_CONFIGURATION]);
  return {
    keyNodes: createKeyNodes({ urls, identity, readParameters, count: createKeyNodeCounter(metrics), log }),
    keyReleases: createKeyReleases({ urls, identity, log }),
  };
}

/**
 * Rejects when the node serves another chain. When the local chain lost its last blocks or was restarted, lowers the
 * stored account heads to the current head instead. A node of another chain that is behind them has not caught up.
 */
export async function checkChain(
  chain: Pick<Chain, 'chainId' | 'client' | 'reach' | 'refreshHead'>,
  accountHeads: Pick<AccountHeads, 'highest' | 'lower'>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const chainId = await chain.client.getChainId().catch((error: unknown) => {
    throw toChainError(error);
  });
  if (chainId !== chain.chainId)
    throw new Error(`RPC_URL serves chain ${chainId}, expected CHAIN_ID ${chain.chainId}`);
  const known = await accountHeads.highest();
  try {
    await chain.reach(known);
  } catch (error) {
    const head = await chain.refreshHead();
    if (head >= known) return;
    const fields = { err: error, head: String(head), known: String(known) };
    if (chainId === LOCAL_CHAIN_ID) {
      log.warn(fields, 'chain head is below the blocks stored in the database: lowered the stored heads');
      await accountHeads.lower(head);
    } else
      log.warn(
        fields,
        'the node is behind the blocks stored in the database: requests are 503 until it has caught up',
      );
  }
}

async function readVersion({ commit }: Config): Promise<Context['version']> {
  return { ...(await readPackageInfo()), commit: commit ?? commitOfWorkingTree() };
}

function commitOfWorkingTree(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

function openPayments(
  { billing, secrets }: Config,
  { chainId, address }: Deployment,
  db: Database,
  log: Logger,
): Payments | undefined {
  if (secrets.stripeSecretKey === undefined || billing.stripePublishableKey === undefined) return undefined;
  const processor = createCardProcessor({
    secretKey: secrets.stripeSecretKey,
    publishableKey: billing.stripePublishableKey,
    webhookSecrets: secrets.stripeWebhookSecrets,
    apiUrl: billing.stripeApiUrl,
    deployment: `${chainId}:${address}`,
  });
  return createPayments(db, processor, log);
}
