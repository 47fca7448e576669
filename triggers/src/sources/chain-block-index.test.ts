/** The index of chain-block triggers finds the same ones for a block as a look at each of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBlockIndex, FEE_WINDOW } from './chain-block-index.ts';
import { type ChainBlockConfig, isBeyond } from './chain-config.ts';
import type { FollowedBlocks } from './followed.ts';

const anyAmount = fc.bigInt({ min: 0n, max: 12n });
const anyThreshold = fc
  .tuple(fc.constantFrom('above', 'below'), anyAmount)
  .map(([name, amount]) => ({ [name]: String(amount) }));
const anyInterval = fc.integer({ min: 1, max: 6 });
const anyCondition: fc.Arbitrary<Partial<ChainBlockConfig>> = fc.oneof(
  anyInterval.map((every) => ({ every })),
  anyThreshold.map((base_fee) => ({ base_fee })),
  anyInterval.map((every) => ({ balance: { address: '0x' as const, every } })),
);
const anyTriggers = fc.array(
  anyCondition.map(
    (config): FollowedBlocks => ({
      id: '',
      userId: 'a',
      version: 0,
      kind: 'chain_block',
      config: config as ChainBlockConfig,
      sides: [],
    }),
  ),
  { maxLength: 20, size: 'max' },
);

/** Whether a block fires a trigger, by the words of the documentation. */
function isFired(
  { config: { every, base_fee: limit } }: FollowedBlocks,
  number: number,
  fees: readonly bigint[],
) {
  if (every !== undefined) return number % every === 0;
  if (limit === undefined || number === 0 || !isBeyond(fees[number] ?? 0n, limit)) return false;
  for (let back = 1; back <= 10 && back <= number; back++)
    if (isBeyond(fees[number - back] ?? 0n, limit)) return false;
  return true;
}

const idsOf = (found: readonly FollowedBlocks[], all: readonly FollowedBlocks[]) =>
  found.map((trigger) => all.indexOf(trigger)).sort((a, b) => a - b);

test('finds the triggers that a block fires, after any changes', () => {
  const anyFees = fc.array(anyAmount, { minLength: 1, maxLength: 60, size: 'max' });
  const anyChanges = fc.tuple(anyTriggers, fc.infiniteStream(fc.boolean()), anyFees);
  fc.assert(
    fc.property(anyChanges, ([all, isRemoved, fees]) => {
      const index = createBlockIndex(all);
      const kept = all.filter((trigger) => {
        const { value } = isRemoved.next();
        if (value) index.delete(trigger);
        return !value;
      });
      expect(index.hasFees()).toBe(kept.some(({ config }) => config.base_fee));
      for (const [number, fee] of fees.entries()) {
        const before = fees.slice(Math.max(0, number - FEE_WINDOW), number);
        const wanted = kept.filter((trigger) => isFired(trigger, number, fees));
        expect(idsOf(index.match(BigInt(number), fee, before), all)).toEqual(idsOf(wanted, all));
      }
    }),
    { numRuns: 500 },
  );
});

test('a balance is read in the newest confirmed block that is a multiple of its interval', () => {
  fc.assert(
    fc.property(anyTriggers, fc.nat({ max: 40 }), (all, confirmed) => {
      const index = createBlockIndex(all);
      for (let number = 0; number <= 40; number++) {
        const wanted = all.filter(({ config: { balance } }) => {
          if (!balance || number > confirmed || number % balance.every !== 0) return false;
          return number + balance.every > confirmed;
        });
        const found = index.sampled(BigInt(number), BigInt(confirmed));
        expect(idsOf(found, all)).toEqual(idsOf(wanted, all));
      }
    }),
    { numRuns: 200 },
  );
});
