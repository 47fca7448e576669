import { removeExpired } from './auth/expired.ts';
import type { Context } from './context.ts';
import { resealTriggers } from './reseal.ts';
import { removeOldRuns } from './runs/retention.ts';

const SWEEP_MS = 3_600_000;

/** What is done beside requests and runs: secrets are sealed anew once, what is old is removed now and every hour. */
export function startHousekeeping({
  db,
  sealer,
  log,
  config,
}: Pick<Context, 'db' | 'sealer' | 'log' | 'config'>): { close: () => Promise<void> } {
  const stop = new AbortController();
  const resealing = resealTriggers({ db, sealer }, stop.signal).then(
    ({ resealed, unopened }) => {
      if (resealed > 0) log.info({ count: resealed }, 'triggers sealed under the first key');
      if (unopened.length > 0)
        log.error({ trigger_ids: unopened }, 'no key opens the secrets of these triggers');
    },
    (err: unknown) => log.error({ err }, 'triggers not sealed anew'),
  );
  const removeOld = () =>
    Promise.all([removeExpired(db), removeOldRuns(db, config.runs.retentionDays, stop.signal)]).catch(
      (err: unknown) => log.error({ err }, 'old rows not removed'),
    );
  let sweeping: Promise<unknown> | undefined;
  const sweep = () => {
    sweeping ??= removeOld().finally(() => {
      sweeping = undefined;
    });
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_MS);
  return {
    async close() {
      clearInterval(timer);
      stop.abort();
      await Promise.all([resealing, sweeping]);
    },
  };
}
