/** Triggers by the contracts whose logs they want: those of their configs, and the children of their factories. */
import type { Hex } from 'viem';
import { type LogFilter, MAX_FILTERED } from './chain-blocks.ts';
import { type BloomTest, bitsOf, mayHaveTopics } from './chain-bloom.ts';
import type { ChainLog, Topics } from './chain-rpc.ts';
import type { FollowedEvents } from './followed.ts';

/** Triggers of a contract by topic0, and the bits of its address in a bloom filter. */
type Contract = { bits: readonly number[]; events: Map<Hex, Set<FollowedEvents>> };

/** Creates an index of triggers by contract and event. */
export function createContracts() {
  const contracts = new Map<Hex, Contract>();
  return {
    get size() {
      return contracts.size;
    },
    add(trigger: FollowedEvents, address: Hex, topic0: Hex): void {
      const contract = contracts.get(address) ?? { bits: bitsOf(address), events: new Map() };
      contracts.set(address, contract);
      const event = contract.events.get(topic0) ?? new Set();
      contract.events.set(topic0, event.add(trigger));
    },
    delete(trigger: FollowedEvents, address: Hex, topic0: Hex): void {
      const events = contracts.get(address)?.events;
      const event = events?.get(topic0);
      event?.delete(trigger);
      if (event?.size === 0) events?.delete(topic0);
      if (events?.size === 0) contracts.delete(address);
    },
    find: ({ address, topics }: ChainLog): ReadonlySet<FollowedEvents> =>
      contracts.get(address)?.events.get(topics[0] ?? '0x') ?? none,
    /** Returns the filters of the contracts of which a block can have logs. */
    filters(mayHave: BloomTest, topicsOf: (topic0: Hex, trigger: FollowedEvents) => Topics): LogFilter[] {
      const found: LogFilter[] = [];
      for (const [address, { bits, events }] of contracts) {
        if (!mayHave(bits)) continue;
        for (const [topic0, event] of events)
          if (mayHave(bitsOf(topic0)))
            for (const trigger of event) {
              const topics = topicsOf(topic0, trigger);
              if (mayHaveTopics(mayHave, topics)) found.push({ address, topics });
            }
      }
      return found;
    },
  };
}
const none: ReadonlySet<FollowedEvents> = new Set();

/** Creates an index of triggers by the children of their factories. A child takes one entry, because they are many. */
export function createChildIndex() {
  const parents = new Map<Hex, FollowedEvents[]>();
  const events = new Map<Hex, Set<FollowedEvents>>();
  /** Pairs of a trigger and a child. */
  let pairs = 0;
  const adopt = (trigger: FollowedEvents, address: Hex): void => {
    const all = parents.get(address);
    if (all) all.push(trigger);
    else parents.set(address, [trigger]);
    pairs++;
  };
  const disown = (trigger: FollowedEvents, address: Hex): void => {
    const all = parents.get(address);
    const place = all?.indexOf(trigger) ?? -1;
    if (!all || place < 0) return;
    pairs--;
    all.splice(place, 1);
    if (all.length === 0) parents.delete(address);
  };
  return {
    adopt,
    disown,
    add(trigger: FollowedEvents): void {
      const event = events.get(trigger.topic0) ?? new Set();
      events.set(trigger.topic0, event.add(trigger));
      for (const address of trigger.family?.children.keys() ?? []) adopt(trigger, address);
    },
    delete(trigger: FollowedEvents): void {
      const event = events.get(trigger.topic0);
      event?.delete(trigger);
      if (event?.size === 0) events.delete(trigger.topic0);
      for (const address of trigger.family?.children.keys() ?? []) disown(trigger, address);
    },
    find: ({ address }: ChainLog): readonly FollowedEvents[] => parents.get(address) ?? [],
    filters: (mayHave: BloomTest): LogFilter[] =>
      [...events.values()].flatMap((triggers) => childFilters(triggers, pairs, mayHave)),
  };
}

/**
 * Returns the filters of the children of triggers of one event. Above a number of children, of which most blocks have logs of some, the
 * filter is the event.
 */
export function childFilters(
  triggers: Iterable<FollowedEvents>,
  pairs: number,
  mayHave: BloomTest,
): LogFilter[] {
  const found: LogFilter[] = [];
  for (const { topic0, config, family } of triggers) {
    if (!mayHave(bitsOf(topic0))) return [];
    if (pairs > MAX_FILTERED) return [{ topics: [topic0] }];
    const topics = [topic0, ...config.topic_filters];
    if (mayHaveTopics(mayHave, topics))
      for (const address of family?.children.keys() ?? []) found.push({ address, topics });
  }
  return found;
}
