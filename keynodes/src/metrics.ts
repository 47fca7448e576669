import { decodeGroupParameters, rounds } from '@latchkey/threshold';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { NodeStore } from './node-store.ts';

export type ReleaseCounter = (kind: string, result: 'released' | 'refused') => void;

export function createReleaseCounter(registry: Registry): ReleaseCounter {
  const counter = new Counter({
    name: 'key_requests_total',
    help: 'Requests for parts of keys, by kind and result.',
    labelNames: ['kind', 'result'] as const,
    registers: [registry],
  });
  return (kind, result) => counter.inc({ kind, result });
}

/** Shows the share and the dealing of this node. */
export function registerStoreMetrics(registry: Registry, store: Pick<NodeStore, 'read'>): void {
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  };
  gauge('key_share_epoch', 'Epoch of the share in use, 0 without one.', () => {
    const { current } = store.read();
    return current ? decodeGroupParameters(current.parameters).epoch : 0;
  });
  const dealing = () => store.read().dealing?.state;
  const last = rounds.length + 1;
  gauge(
    'key_dealing_round',
    `Open round of the dealing, 1 to ${rounds.length}; ${last} when it waits for its publication, 0 without one.`,
    () => {
      const round = dealing()?.round;
      if (round === undefined) return 0;
      return round === 'done' ? last : rounds.indexOf(round) + 1;
    },
  );
  gauge('key_dealing_faults', 'Faults of participants in the dealing.', () => dealing()?.faults.length ?? 0);
}
