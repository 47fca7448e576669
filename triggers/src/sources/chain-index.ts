/** The live triggers of a chain by what fires them, so that a block costs nothing for a trigger that it does not fire. */
import { type BlockIndex, createBlockIndex } from './chain-block-index.ts';
import type { LogFilter } from './chain-blocks.ts';
import type { BloomTest } from './chain-bloom.ts';
import { contractsOf } from './chain-config.ts';
import { createChildIndex, createContracts } from './chain-contracts.ts';
import type { ChainLog } from './chain-rpc.ts';
import type { Followed, FollowedEvents } from './followed.ts';

/** Triggers that want the same number of blocks on top of a block before they read it. */
export type LiveGroup = {
  confirmations: bigint;
  get: (id: string) => Followed | undefined;
  /** The factories of the triggers, and their children. */
  factories: ReturnType<typeof createContracts>;
  children: Pick<ReturnType<typeof createChildIndex>, 'adopt' | 'disown'>;
  /** The chain-block triggers. */
  blocks: BlockIndex;
  /** Returns the filters of the triggers of which a block can have logs. */
  filters: (mayHave: BloomTest) => LogFilter[];
  /** Returns the triggers that a log fires. */
  match: (log: ChainLog) => FollowedEvents[];
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

/** Creates an index of triggers that read the same blocks. */
export function createGroup(confirmations: number): LiveGroup & {
  add: (trigger: Followed) => void;
  delete: (trigger: Followed) => void;
  isEmpty: () => boolean;
} {
  const contracts = createContracts();
  const factories = createContracts();
  const children = createChildIndex();
  const blocks = createBlockIndex();
  const members = new Map<string, Followed>();
  return {
    confirmations: BigInt(confirmations),
    factories,
    children,
    blocks,
    get: (id) => members.get(id),
    isEmpty: () => members.size === 0,
    add(trigger) {
      members.set(trigger.id, trigger);
      if (trigger.kind === 'chain_block') return blocks.add(trigger);
      const { config, topic0, family } = trigger;
      for (const address of contractsOf(config)) contracts.add(trigger, address, topic0);
      if (!family) return;
      factories.add(trigger, family.address, family.topic0);
      children.add(trigger);
    },
    delete(trigger) {
      members.delete(trigger.id);
      if (trigger.kind === 'chain_block') return blocks.delete(trigger);
      const { config, topic0, family } = trigger;
      for (const address of contractsOf(config)) contracts.delete(trigger, address, topic0);
      if (!family) return;
      factories.delete(trigger, family.address, family.topic0);
      children.delete(trigger);
    },
    filters: (mayHave) => [
      ...contracts.filters(mayHave, (topic0, { config }) => [topic0, ...config.topic_filters]),
      ...children.filters(mayHave),
    ],
    match: (log) =>
      [...contracts.find(log), ...children.find(log)].filter((trigger) => matches(trigger, log)),
  };
}

/** Returns whether a log fires a trigger. Nodes can return logs that no filter matches. */
export function matches(
  { config, topic0, family }: Pick<FollowedEvents, 'config' | 'topic0' | 'family'>,
  log: ChainLog,
): boolean {
  const filters = [topic0, ...config.topic_filters];
  const isOwn = family
    ? (family.children.get(log.address) ?? Number.POSITIVE_INFINITY) <= Number(log.blockNumber)
    : contractsOf(config).includes(log.address);
  return (
    isOwn &&
    !log.removed &&
    filters.every((filter, index) => {
      const topic = log.topics[index];
      return topic !== undefined && (filter === null || [filter].flat().includes(topic));
    })
  );
}
