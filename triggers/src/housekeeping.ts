import { inBatches } from '@latchkey/service/in-batches';
import { repeat } from '@latchkey/service/repeat';
import type { Sealer } from '@latchkey/service/sealer';
import { removeOldDeliveries } from '@latchkey/webhooks/deliveries';
import type { Logger } from 'pino';
import { removeExpired } from './auth/expired.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { alertTables } from './db/schema.ts';
import { resealAlerts, resealTriggers } from './reseal.ts';
import { removeOldRuns } from './runs/retention.ts';
import { removeUnusedRevisions } from './runs/revisions.ts';

const SWEEP_MS = 3_600_000;

/** Seals secrets again under the first key, once; deletes expired rows, now and every hour. */
export function startHousekeeping({
  db,
  sealer,
  log,
  config,
}: {
  db: Database;
  sealer: Sealer;
  log: Logger;
  config: Pick<Config, 'runs'>;
}): AsyncDisposable {
  const stop = new AbortController();
  const resealAll = async () => {
    const alerts = await resealAlerts({ db, sealer }, stop.signal);
    return { alerts, ...(await resealTriggers({ db, sealer }, stop.signal)) };
  };
  const resealing = resealAll().then(
    ({ alerts, resealed, unopened }) => {
      if (alerts.unopened.length > 0)
        log.error({ user_ids: alerts.unopened }, 'no key opens the secrets of these alert webhooks');
      if (resealed > 0) log.info({ count: resealed }, 'triggers sealed under the first key');
      if (unopened.length > 0)
        log.error({ trigger_ids: unopened }, 'no key opens the secrets of these triggers');
    },
    (err: unknown) => log.error({ err }, 'failed to seal triggers under the first key'),
  );
  const sweeping = repeat({
    intervalMs: SWEEP_MS,
    task: (signal) =>
      Promise.all([
        removeExpired(db, signal),
        removeOldRuns(db, config.runs.retentionDays, signal),
        removeUnusedRevisions(db, signal),
        inBatches((limit) => removeOldDeliveries(db, alertTables, limit), signal),
      ]),
    onError: (err) => log.error({ err }, 'failed to delete expired rows'),
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([resealing, sweeping[Symbol.asyncDispose]()]);
    },
  };
}
