/** The index of live triggers finds the same triggers for a log as a look at each of them. */
import fc from 'fast-check';
import { type Hex, pad } from 'viem';
import { expect, test } from 'vitest';
import { openBloom } from './chain-bloom.ts';
import type { ChainEventConfig } from './chain-config.ts';
import { createLiveIndex, matches } from './chain-index.ts';
import type { ChainLog } from './chain-rpc.ts';
import type { Followed, FollowedEvents } from './followed.ts';

const word = (n: number): Hex => pad(`0x0${n}`);
const address = (n: number): Hex => pad(`0x0${n}`, { size: 20 });

const anyTrigger = fc
  .record({
    id: fc.integer({ min: 0, max: 9 }).map(String),
    contracts: fc.uniqueArray(fc.integer({ min: 0, max: 3 }).map(address), { minLength: 1, maxLength: 3 }),
    topic0: fc.integer({ min: 0, max: 2 }).map(word),
    filters: fc.array(
      fc.oneof(
        fc.constant(null),
        fc.integer({ min: 3, max: 5 }).map(word),
        fc.uniqueArray(fc.integer({ min: 3, max: 5 }).map(word), { minLength: 1, maxLength: 2 }),
      ),
      { maxLength: 2 },
    ),
    confirmations: fc.constantFrom(0, 12),
    isFamily: fc.boolean(),
  })
  .map(({ id, contracts, topic0, filters, confirmations, isFamily }): FollowedEvents => {
    const made = { id, kind: 'chain_event' as const, userId: 'a', version: 0, topic0, event: {} as never };
    if (isFamily) {
      const config = { topic_filters: filters, confirmations } as unknown as ChainEventConfig;
      const children = new Map(contracts.map((child, n) => [child, 5 * n]));
      const family = { address: address(9), topic0: word(9), event: {} as never, parameter: 'a', children };
      return { ...made, config, family };
    }
    const config = { contract_addresses: contracts, topic_filters: filters, confirmations };
    return { ...made, config: config as ChainEventConfig };
  });
const anyLog = fc
  .record({
    address: fc.integer({ min: 0, max: 4 }).map(address),
    topics: fc.array(fc.integer({ min: 0, max: 6 }).map(word), { maxLength: 4 }),
    removed: fc.boolean(),
    blockNumber: fc.bigInt({ min: 0n, max: 9n }),
  })
  .map((log) => ({ ...log, data: '0x' }) as unknown as ChainLog);
type Change = { set: FollowedEvents } | { delete: string };
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: anyTrigger.map((set) => ({ set })) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 }).map((id) => ({ delete: String(id) })) },
);

const idsOf = (triggers: readonly Followed[]) => triggers.map(({ id }) => id).sort();

test('finds the triggers that a log fires, after any changes', () => {
  fc.assert(
    fc.property(
      fc.array(anyChange, { maxLength: 30 }),
      fc.array(anyLog, { maxLength: 10 }),
      (changes, logs) => {
        const index = createLiveIndex();
        const stored = new Map<string, FollowedEvents>();
        for (const change of changes)
          if ('set' in change) {
            index.set(change.set);
            stored.set(change.set.id, change.set);
          } else {
            index.delete(change.delete);
            stored.delete(change.delete);
          }
        expect(idsOf(index.all())).toEqual([...stored.keys()].sort());
        for (const log of logs) {
          const wanted = [...stored.values()].filter((trigger) => matches(trigger, log));
          const groups = index
            .groups()
            .map((group) => ({ group, found: group.match(log).filter(isFired(log)) }));
          expect(idsOf(groups.flatMap(({ found }) => found))).toEqual(idsOf(wanted));
          for (const { group, found } of groups)
            for (const { config } of found) expect(BigInt(config.confirmations)).toBe(group.confirmations);
        }
      },
    ),
    { numRuns: 300 },
  );
});
const isFired = (log: ChainLog) => (trigger: FollowedEvents) => matches(trigger, log);

test('asks for the logs of no trigger whose contract or event the block does not have', () => {
  const index = createLiveIndex();
  const config = { contract_address: address(1), topic_filters: [], confirmations: 0 };
  const trigger = {
    id: '1',
    kind: 'chain_event' as const,
    userId: 'a',
    version: 0,
    topic0: word(0),
    event: {} as never,
  };
  index.set({ ...trigger, config: config as unknown as ChainEventConfig });
  const [group] = index.groups();
  expect(group?.filters(openBloom(1, undefined))).toEqual([{ address: address(1), topics: [word(0)] }]);
  expect(group?.filters(openBloom(1, `0x${'00'.repeat(256)}`))).toEqual([]);
  index.delete('1');
  expect(index.groups()).toEqual([]);
});
