import type { Opened } from '@latchkey/http';
import { createHealthCheck, type HealthCheck } from '@latchkey/service/health';
import { createLogger } from '@latchkey/service/logger';
import { createSealer, type Sealer } from '@latchkey/service/sealer';
import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { createWalletLogin, type WalletLogin } from './auth/wallet-login.ts';
import type { Config } from './config.ts';
import { type Core, createCore } from './core.ts';
import { type Database, openDatabase } from './db/database.ts';
import { runs } from './db/schema.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createLimits, type Limits } from './limits.ts';
import { startWorker, type Worker } from './runs/worker.ts';
import { startChainFollowers } from './sources/chain-followers.ts';
import { startScheduler } from './sources/scheduler.ts';

/** All that handlers can ask for; each takes the slice that it needs. */
export type Context = {
  config: Config;
  log: Logger;
  metrics: Registry;
  db: Database;
  core: Core;
  sealer: Sealer;
  worker: Worker;
  /** Where this service is reached, without a slash at its end. */
  publicUrl: () => string;
  limits: Limits;
  walletLogin: WalletLogin;
  /** Whether each part works, as of a second ago at most. */
  checkHealth: HealthCheck<'database' | 'core'>;
};

export type OpenContext = Opened<Context> & { listensAt: (url: string) => void };

/** Opens everything that the service works with. What was opened is closed on failure. */
export async function openContext(config: Config): Promise<OpenContext> {
  const log = createLogger({ name: 'triggers', level: config.logLevel });
  await using resources = new AsyncDisposableStack();
  const sealer = createSealer(config.secrets.sealingKeys);
  const database = await openDatabase(config.secrets.database);
  const { db } = database;
  resources.defer(database.close);
  const core = createCore(config.coreUrl);
  const { maxConcurrent, maxConcurrentPerUser } = config.runs;
  const worker = startWorker({ db, core, sealer, log, maxConcurrent, maxConcurrentPerUser });
  resources.defer(worker.close);
  resources.use(startHousekeeping({ db, sealer, log, config }));
  resources.defer(startChainFollowers({ db, worker, log }, config.secrets.rpcUrls).close);

  let url = config.publicUrl ?? '';
  const publicUrl = () => url;
  const walletLogin = createWalletLogin({ db, rpcUrl: config.secrets.rpcUrls.service, publicUrl });
  resources.defer(walletLogin.close);

  const context: Context = {
    config,
    log,
    metrics: createMetrics(worker, db),
    db,
    core,
    sealer,
    worker,
    publicUrl,
    walletLogin,
    limits: createLimits(config),
    checkHealth: createHealthCheck({ database: database.ping, core: core.ping }),
  };
  resources.defer(startScheduler(context).close);
  return {
    context,
    resources: resources.move(),
    listensAt: (listening) => {
      url ||= listening;
    },
  };
}

function createMetrics(worker: Worker, db: Database): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'runs_under_way',
    help: 'Runs that this process works on.',
    registers,
    collect() {
      this.set(worker.running());
    },
  });
  new Gauge({
    name: 'runs_waiting',
    help: 'Queued runs of all processes; those of paused triggers too.',
    registers,
    async collect() {
      this.set(await db.$count(runs, eq(runs.status, 'queued')).catch(() => Number.NaN));
    },
  });
  return registry;
}
