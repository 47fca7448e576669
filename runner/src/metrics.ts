/** Metrics of the runner. No label holds text of users. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Runtime } from './runtime.ts';

export type RunnerMetrics = {
  registry: Registry;
  ended: (outcome: 'success' | 'error' | 'failed') => void;
  /** Adds the gauges, which are read when they are scraped. */
  follow: (runtime: Pick<Runtime, 'stats' | 'pool'>) => void;
};

export function createMetrics(): RunnerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const runs = new Counter({
    name: 'runner_runs_total',
    help: 'Runs by outcome: success, error of the action, or failed by a fault of the runner.',
    labelNames: ['outcome'] as const,
    registers,
  });
  return {
    registry,
    ended: (outcome) => runs.inc({ outcome }),
    follow({ stats, pool }) {
      new Gauge({
        name: 'runner_processes',
        help: 'Action processes that are idle, starting or running, and runs that wait for one, by state.',
        labelNames: ['state'],
        registers,
        collect() {
          for (const [state, count] of Object.entries(stats())) this.set({ state }, count);
        },
      });
      new Gauge({
        name: 'runner_process_starts',
        help: 'Action processes since the start of the runner, by result of their start: succeeded or failed.',
        labelNames: ['result'],
        registers,
        collect() {
          for (const [result, count] of Object.entries(pool.starts())) this.set({ result }, count);
        },
      });
      new Gauge({
        name: 'runner_oldest_waiting_seconds',
        help: 'Time for which the oldest waiting run has waited for a process, 0 without one.',
        registers,
        collect() {
          this.set(pool.oldestWaitMs() / 1_000);
        },
      });
    },
  };
}
