/** The live triggers of a chain by contract and event, so that a block without logs of a trigger costs nothing for it. */
import type { Hex } from 'viem';
import type { LogFilter } from './chain-blocks.ts';
import { type BloomTest, bitsOf, mayHaveTopics } from './chain-bloom.ts';
import { contractsOf } from './chain-config.ts';
import type { ChainLog } from './chain-rpc.ts';
import type { Followed } from './fired-logs.ts';

/** Triggers that want the same number of blocks on top of a block before they read it. */
export type LiveGroup = {
  confirmations: bigint;
  get: (id: string) => Followed | undefined;
  /** Returns the filters of the triggers of which a block can have logs. */
  filters: (mayHave: BloomTest) => LogFilter[];
  /** Returns the triggers that a log fires. */
  match: (log: ChainLog) => Followed[];
};

export type LiveIndex = {
  readonly size: number;
  groups: () => LiveGroup[];
  all: () => Followed[];
  get: (id: string) => Followed | undefined;
  /** Adds a trigger, in the place of an earlier version. */
  set: (trigger: Followed) => void;
  delete: (id: string) => void;
  clear: () => void;
};

export function createLiveIndex(): LiveIndex {
  const groups = new Map<number, ReturnType<typeof createGroup>>();
  const all = new Map<string, Followed>();
  const remove = (id: string): void => {
    const trigger = all.get(id);
    if (!trigger) return;
    all.delete(id);
    const { confirmations } = trigger.config;
    const group = groups.get(confirmations);
    group?.delete(trigger);
    if (group?.isEmpty()) groups.delete(confirmations);
  };
  return {
    get size() {
      return all.size;
    },
    groups: () => [...groups.values()],
    all: () => [...all.values()],
    get: (id) => all.get(id),
    set(trigger) {
      remove(trigger.id);
      all.set(trigger.id, trigger);
      const { confirmations } = trigger.config;
      const group = groups.get(confirmations) ?? createGroup(confirmations);
      groups.set(confirmations, group);
      group.add(trigger);
    },
    delete: remove,
    clear() {
      all.clear();
      groups.clear();
    },
  };
}

/** Triggers of a contract by topic0, and the bits of its address in a bloom filter. */
type Contract = { bits: readonly number[]; events: Map<Hex, Set<Followed>> };

/** Creates an index of triggers that read the same blocks. */
export function createGroup(confirmations: number): LiveGroup & {
  add: (trigger: Followed) => void;
  delete: (trigger: Followed) => void;
  isEmpty: () => boolean;
} {
  const contracts = new Map<Hex, Contract>();
  const members = new Map<string, Followed>();
  return {
    confirmations: BigInt(confirmations),
    get: (id) => members.get(id),
    isEmpty: () => members.size === 0,
    add(trigger) {
      members.set(trigger.id, trigger);
      for (const address of contractsOf(trigger.config)) {
        const contract = contracts.get(address) ?? { bits: bitsOf(address), events: new Map() };
        contracts.set(address, contract);
        const event = contract.events.get(trigger.topic0) ?? new Set();
        contract.events.set(trigger.topic0, event.add(trigger));
      }
    },
    delete(trigger) {
      members.delete(trigger.id);
      for (const address of contractsOf(trigger.config)) {
        const events = contracts.get(address)?.events;
        const event = events?.get(trigger.topic0);
        event?.delete(trigger);
        if (event?.size === 0) events?.delete(trigger.topic0);
        if (events?.size === 0) contracts.delete(address);
      }
    },
    filters(mayHave) {
      const found: LogFilter[] = [];
      for (const [address, { bits, events }] of contracts) {
        if (!mayHave(bits)) continue;
        for (const [topic0, event] of events)
          if (mayHave(bitsOf(topic0)))
            for (const { config } of event) {
              const topics = [topic0, ...config.topic_filters];
              if (mayHaveTopics(mayHave, topics)) found.push({ address, topics });
            }
      }
      return found;
    },
    match(log) {
      const event = contracts.get(log.address)?.events.get(log.topics[0] ?? '0x');
      return event ? [...event].filter((trigger) => matches(trigger, log)) : [];
    },
  };
}

/** Returns whether a log fires a trigger. Nodes can return logs that no filter matches. */
export function matches({ config, topic0 }: Pick<Followed, 'config' | 'topic0'>, log: ChainLog): boolean {
  const filters = [topic0, ...config.topic_filters];
  return (
    !log.removed &&
    contractsOf(config).includes(log.address) &&
    filters.every((filter, index) => {
      const topic = log.topics[index];
      return topic !== undefined && (filter === null || [filter].flat().includes(topic));
    })
  );
}
