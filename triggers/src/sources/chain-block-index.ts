/** Chain-block triggers by the blocks that fire them, so that a block costs nothing for a trigger that it cannot fire. */
import type { FollowedBlocks } from './followed.ts';

/** A base fee fires a trigger when it was not beyond the threshold in this many blocks before. */
export const FEE_WINDOW = 10;

type Triggers = Set<FollowedBlocks>;
const add = <Key>(map: Map<Key, Triggers>, key: Key, trigger: FollowedBlocks): void => {
  map.set(key, (map.get(key) ?? new Set()).add(trigger));
};
const remove = <Key>(map: Map<Key, Triggers>, key: Key, trigger: FollowedBlocks): void => {
  const found = map.get(key);
  found?.delete(trigger);
  if (found?.size === 0) map.delete(key);
};

export type BlockIndex = ReturnType<typeof createBlockIndex>;

export function createBlockIndex(triggers: readonly FollowedBlocks[] = []) {
  const every = new Map<number, Triggers>();
  const balances = new Map<number, Triggers>();
  const above = createThresholds();
  const below = createThresholds();
  const change = (trigger: FollowedBlocks, apply: typeof add | typeof remove, name: 'add' | 'delete') => {
    const { config } = trigger;
    if (config.every !== undefined) apply(every, config.every, trigger);
    if (config.balance) apply(balances, config.balance.every, trigger);
    if (config.base_fee?.above !== undefined) above[name](BigInt(config.base_fee.above), trigger);
    if (config.base_fee?.below !== undefined) below[name](BigInt(config.base_fee.below), trigger);
  };
  const index = {
    add: (trigger: FollowedBlocks) => change(trigger, add, 'add'),
    delete: (trigger: FollowedBlocks) => change(trigger, remove, 'delete'),
    hasFees: () => above.size() + below.size() > 0,
    /** Returns the triggers that a block fires, apart from balances, given the base fees of up to FEE_WINDOW blocks before. */
    match(number: bigint, baseFee: bigint, before: readonly bigint[]): FollowedBlocks[] {
      const found: FollowedBlocks[] = [];
      for (const [interval, due] of every)
        if (number % BigInt(interval) === 0n) for (const each of due) found.push(each);
      const [first, ...others] = before;
      if (first === undefined) return found;
      let [lowest, highest] = [first, first];
      for (const fee of others) {
        if (fee < lowest) lowest = fee;
        if (fee > highest) highest = fee;
      }
      above.collect(highest, baseFee, found);
      below.collect(baseFee + 1n, lowest + 1n, found);
      return found;
    },
    /** Returns the triggers whose balance is read in a block: the newest confirmed one that is a multiple of their interval. */
    sampled(number: bigint, confirmed: bigint): FollowedBlocks[] {
      const found: FollowedBlocks[] = [];
      for (const [interval, due] of balances)
        if (number === confirmed - (confirmed % BigInt(interval))) for (const each of due) found.push(each);
      return found;
    },
  };
  for (const trigger of triggers) index.add(trigger);
  return index;
}

/** Creates a list of triggers in the order of their thresholds. */
function createThresholds() {
  const sorted: bigint[] = [];
  const triggers = new Map<bigint, Triggers>();
  /** Returns the position of the first threshold that is at least `value`. */
  const positionOf = (value: bigint): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as bigint) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    size: () => sorted.length,
    add(threshold: bigint, trigger: FollowedBlocks): void {
      if (!triggers.has(threshold)) sorted.splice(positionOf(threshold), 0, threshold);
      add(triggers, threshold, trigger);
    },
    delete(threshold: bigint, trigger: FollowedBlocks): void {
      const known = triggers.has(threshold);
      remove(triggers, threshold, trigger);
      if (known && !triggers.has(threshold)) sorted.splice(positionOf(threshold), 1);
    },
    /** Adds the triggers with thresholds from `from` to below `to`. */
    collect(from: bigint, to: bigint, found: FollowedBlocks[]): void {
      for (let at = positionOf(from); at < sorted.length; at++) {
        const threshold = sorted[at] as bigint;
        if (threshold >= to) return;
        for (const each of triggers.get(threshold) ?? []) found.push(each);
      }
    },
  };
}
