import { decodeGroupParameters, jointFaults, jointRound, rounds } from '@latchkey/threshold';
import { Counter, Gauge, type Registry } from 'prom-client';
import { ageSec, type Block } from './blocks.ts';
import type { ConsentView } from './dealing/consent.ts';
import type { NodeStore } from './node-store.ts';
import type { WatchedPins } from './pins/watch-pins.ts';

export type ReleaseCounter = (kind: string, result: 'released' | 'refused' | 'unavailable') => void;

export function createReleaseCounter(registry: Registry): ReleaseCounter {
  const counter = new Counter({
    name: 'key_requests_total',
    help: 'Requests for parts of keys, by kind and result: `unavailable` when the node could not judge the request.',
    labelNames: ['kind', 'result'] as const,
    registers: [registry],
  });
  return (kind, result) => counter.inc({ kind, result });
}

/** Registers gauges of the newest block. Call the returned function with each block. */
export function registerBlockMetrics(registry: Registry): (block: Block) => void {
  let newest: Block | undefined;
  new Gauge({
    name: 'chain_block_age_seconds',
    help: 'Time since the newest block that this node has seen.',
    registers: [registry],
    collect() {
      if (newest) this.set(ageSec(newest));
    },
  });
  const difference = new Gauge({
    name: 'chain_clock_difference_seconds',
    help: 'Clock of this node minus the time of the newest block, when the node saw it first. Below 0 the clock is behind.',
    registers: [registry],
  });
  return (block) => {
    if (newest?.hash === block.hash || (newest && block.number < newest.number)) return;
    newest = block;
    difference.set(ageSec(block));
  };
}

const gaugesOf =
  (registry: Registry) =>
  (name: string, help: string, value: () => number | Promise<number>): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await value());
      },
    });
  };

export function registerApprovalMetrics(registry: Registry, approval: () => Promise<ConsentView>): void {
  const gauge = gaugesOf(registry);
  const known = (value: (view: ConsentView) => number) => approval().then(value, () => Number.NaN);
  gauge(
    'key_approval_wait_seconds',
    'Time until the node deals in the newly approved group without its operator, 0 when it does not wait.',
    () => known(({ remainingSec }) => remainingSec),
  );
  gauge('key_approval_refused', '1 while the operator of the node refuses the approved group, else 0.', () =>
    known(({ state }) => Number(state === 'refused')),
  );
}

export function registerPinMetrics(registry: Registry, pins: Pick<WatchedPins, 'hasFault'>): void {
  gaugesOf(registry)(
    'key_code_fault',
    '1 while the node decides nothing because the code or the owner of the contract is not the pinned one, else 0.',
    () => Number(pins.hasFault()),
  );
}

/** Registers gauges of the share and the dealing of this node. */
export function registerStoreMetrics(registry: Registry, store: Pick<NodeStore, 'read'>): void {
  const gauge = gaugesOf(registry);
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
      const states = dealing();
      if (!states) return 0;
      const round = jointRound(states);
      return round === 'done' ? last : rounds.indexOf(round) + 1;
    },
  );
  gauge('key_dealing_faults', 'Faults of participants in the dealing.', () => {
    const states = dealing();
    return states ? jointFaults(states, 'faults').length : 0;
  });
}
