import type { IdempotencyStore, Opened } from '@latchkey/http';
import { createIdempotencyStore } from '@latchkey/http/idempotency-store';
import { createHealthCheck, type HealthCheck } from '@latchkey/service/health';
import { createLogger } from '@latchkey/service/logger';
import { createSealer, type Sealer } from '@latchkey/service/sealer';
import { createPost, type Post } from '@latchkey/webhooks/post';
import { startSender } from '@latchkey/webhooks/sender';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { mayReceive } from './alerts/owner.ts';
import { createWalletLogin, type WalletLogin } from './auth/wallet-login.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { alertTables, idempotency } from './db/schema.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createLimits, type Limits } from './limits.ts';
import { addGauges, createRunCounters } from './metrics.ts';
import { createRelayerClient, type RelayerClient } from './relayer-client.ts';
import { type Accept, createAcceptor } from './runs/accept.ts';
import { createRunEnds, type RunEnds } from './runs/run-ends.ts';
import { startStopper } from './runs/stop.ts';
import { startWaitingInputs } from './runs/waiting-inputs.ts';
import { startWorker, type Worker } from './runs/worker.ts';
import { type ChainFollowers, startChainFollowers } from './sources/chain-followers.ts';
import { checkFollowers } from './sources/chain-progress.ts';
import { startScheduler } from './sources/scheduler.ts';
import { createWebhookTriggers, type WebhookTriggers } from './sources/webhook-triggers.ts';

/** Dependencies of the handlers. Each handler picks what it uses. */
export type Context = {
  config: Config;
  log: Logger;
  metrics: Registry;
  db: Database;
  relayer: RelayerClient;
  sealer: Sealer;
  idempotency: IdempotencyStore;
  worker: Worker;
  webhookTriggers: WebhookTriggers;
  /** Stores the run of a delivery. Concurrent deliveries share a statement. */
  acceptDelivery: Accept;
  runEnds: RunEnds;
  /** Public base URL of this service, without a trailing slash. */
  publicUrl: () => string;
  limits: Limits;
  /** For the pages of this service. */
  walletLogin: WalletLogin;
  /** For POST /api/login: its messages name the origin of the dashboard. */
  dashboardLogin: WalletLogin;
  postAlert: Post;
  /** Health of each part. Cached for one second. */
  checkHealth: HealthCheck<'database' | 'core' | 'chains'>;
  chainFollowers: Pick<ChainFollowers, 'stateOf'>;
};

export type OpenContext = Opened<Context> & { listensAt: (url: string) => void };

/** Starts the queue of runs, which `resources` closes. */
function startRuns(
  { db, sealer, log, config }: Pick<Context, 'db' | 'sealer' | 'log' | 'config'>,
  resources: AsyncDisposableStack,
) {
  const relayer = createRelayerClient(config.relayerUrls);
  const { maxConcurrent, maxConcurrentPerAccount, maxWaitingInputBytes: maxBytes } = config.runs;
  const metrics = new Registry();
  const counters = createRunCounters(metrics);
  const runEnds = resources.use(createRunEnds({ db, log }));
  const limits = { maxConcurrent, maxConcurrentPerAccount };
  const worker = startWorker({ db, relayer, sealer, log, counters, runEnds, ...limits });
  resources.defer(worker.close);
  resources.use(startStopper({ db, relayer, sealer, log }));
  const acceptDelivery = createAcceptor({
    db,
    worker,
    inputs: resources.use(startWaitingInputs({ db, log, maxBytes })),
  });
  return { relayer, metrics, runEnds, worker, acceptDelivery };
}

/** Starts to send alerts. Returns the function that sends one. */
function startAlerts(
  { db, relayer, sealer, log, config }: Pick<Context, 'db' | 'relayer' | 'sealer' | 'log' | 'config'>,
  resources: AsyncDisposableStack,
): Post {
  const post = createPost({ allowedAddresses: config.alertAllowedAddresses });
  const mayBeSent = (userId: string) => mayReceive({ db, relayer }, userId);
  resources.use(startSender({ db, tables: alertTables, sealer, log, post, mayReceive: mayBeSent }));
  return post;
}

/** Opens the resources of the service. Closes those already open when one fails to open. */
export async function openContext(config: Config): Promise<OpenContext> {
  const log = createLogger({ name: 'triggers', level: config.logLevel });
  await using resources = new AsyncDisposableStack();
  const sealer = createSealer(config.secrets.sealingKeys);
  const database = await openDatabase(config.secrets.database, () =>
    log.info('waiting for another migration'),
  );
  const { db } = database;
  resources.defer(database.close);
  const { metrics, ...ofRuns } = startRuns({ db, sealer, log, config }, resources);
  const { relayer, worker } = ofRuns;
  const postAlert = startAlerts({ db, relayer, sealer, log, config }, resources);
  resources.use(startHousekeeping({ db, sealer, log, config }));
  const chainFollowers = startChainFollowers({ db, worker, log }, config.secrets.rpcUrls);
  resources.defer(chainFollowers.close);
  addGauges(metrics, { db, running: worker.running, followers: chainFollowers.states });

  let url = config.publicUrl ?? '';
  const publicUrl = () => url;
  const logins = openLogins(config, db, publicUrl, resources);

  const context: Context = {
    config,
    log,
    metrics,
    db,
    ...ofRuns,
    sealer,
    idempotency: createIdempotencyStore({ db, table: idempotency, sealer }),
    webhookTriggers: createWebhookTriggers(db),
    publicUrl,
    ...logins,
    postAlert,
    limits: createLimits(config),
    checkHealth: createHealthCheck({
      database: database.ping,
      core: relayer.ping,
      chains: async () => checkFollowers(chainFollowers.states()),
    }),
    chainFollowers,
  };
  resources.defer(startScheduler({ db, worker, log }).close);
  return {
    context,
    resources: resources.move(),
    // Otherwise deliveries that wait for a result would be answered when their time is over.
    drain: { timeoutMs: 0, finish: async () => ofRuns.runEnds.stop() },
    listensAt: (listening) => {
      url ||= listening;
    },
  };
}

function openLogins(
  { secrets, dashboardUrl }: Config,
  db: Database,
  publicUrl: () => string,
  resources: AsyncDisposableStack,
): Pick<Context, 'walletLogin' | 'dashboardLogin'> {
  const open = (origin: () => string): WalletLogin => {
    const login = createWalletLogin({ db, rpcUrls: secrets.rpcUrls.service, publicUrl: origin });
    resources.defer(login.close);
    return login;
  };
  return { walletLogin: open(publicUrl), dashboardLogin: open(() => dashboardUrl ?? publicUrl()) };
}
