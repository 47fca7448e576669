import { createLogger } from '@latchkey/http';
import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { createWalletLogin, type WalletLogin } from './auth/wallet-login.ts';
import type { Config } from './config.ts';
import { type Core, createCore } from './core.ts';
import { type Database, openDatabase } from './db/database.ts';
import { runs } from './db/schema.ts';
import { createHealthCheck } from './health.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createLimits, type Limits } from './limits.ts';
import { startWorker, type Worker } from './runs/worker.ts';
import { createSealer, type Sealer } from './sealer.ts';
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
  checkHealth: () => Promise<Record<'database' | 'core', { ok: boolean }>>;
};

export type OpenContext = { context: Context; close: () => Promise<void>; listensAt: (url: string) => void };

/** Opens everything that the service works with. What was opened is closed on failure. */
export async function openContext(config: Config): Promise<OpenContext> {
  const log = createLogger({ name: 'triggers', level: config.logLevel });
  const closers: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse())
      await Promise.resolve()
        .then(closer)
        .catch((err: unknown) => log.error({ err }, 'not closed'));
  };
  try {
    const sealer = createSealer(config.secrets.sealingKeys);
    const { db, ping, close: closeDatabase } = await openDatabase(config.secrets.database);
    closers.push(closeDatabase);
    const core = createCore(config.coreUrl);
    const { maxConcurrent, maxConcurrentPerUser } = config.runs;
    const worker = startWorker({ db, core, sealer, log, maxConcurrent, maxConcurrentPerUser });
    closers.push(worker.close);
    closers.push(startHousekeeping({ db, sealer, log, config }).close);
    closers.push(startChainFollowers({ db, worker, log }, config.secrets.rpcUrls).close);

    let url = config.publicUrl ?? '';
    const publicUrl = () => url;
    const walletLogin = createWalletLogin({ db, rpcUrl: config.secrets.rpcUrls.service, publicUrl });
    closers.push(walletLogin.close);

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
      checkHealth: createHealthCheck(ping, core),
    };
    closers.push(startScheduler(context).close);
    return {
      context,
      close,
      listensAt: (listening) => {
        url ||= listening;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
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
