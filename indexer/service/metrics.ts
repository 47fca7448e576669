/** Serves Ponder's metrics, with the newest indexed block and the time for which the chain was not followed. */
import { listen } from '@latchkey/http/listen';
import { metricsApp } from '@latchkey/http/metrics';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Follower } from './follow.ts';

/** Does nothing without METRICS_PORT. */
export async function serveMetrics(
  { metrics: { host, port } }: Pick<Config, 'metrics'>,
  registry: Registry,
  { head, isFollowing }: Pick<Follower, 'head' | 'isFollowing'>,
): Promise<void> {
  if (port === undefined) return;
  const registers = [registry];
  new Gauge({
    name: 'indexer_block',
    help: 'Newest indexed block.',
    registers,
    collect() {
      this.set(Number(head.block?.number ?? 0));
    },
  });
  let followedMs = performance.now();
  new Gauge({
    name: 'indexer_lag_seconds',
    help: 'Seconds since the indexer had all recent blocks of the chain, as far as scrapes saw it.',
    registers,
    collect() {
      if (isFollowing()) followedMs = performance.now();
      this.set((performance.now() - followedMs) / 1_000);
    },
  });
  await listen(metricsApp(registry), port, host);
}
