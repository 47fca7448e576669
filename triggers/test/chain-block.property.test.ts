/**
 * Random chains, nodes, reorgs and restarts: the blocks that have fired equal those of the chain that pass a plain look at each. `CHAIN_RUNS`
 * sets the number of runs, `CHAIN_SEED` the seed.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChainBlockConfig, isBeyond } from '../src/sources/chain-config.ts';
import {
  anyFaults,
  anyRandoms,
  createUnreliableChain,
  runSettings,
  tickAll,
  useChainDatabase,
} from './chain-setup.ts';
import { addBlockTrigger, clearChains, createFollower, listFirings, syncToHead } from './chain-triggers.ts';
import { noFaults, type StandInChain } from './stand-in-chain.ts';

const database = useChainDatabase();

type Form = Pick<
  ChainBlockConfig,
  'confirmations' | 'start_block' | 'every' | 'base_fee' | 'fire_on_retraction'
>;
const anyForm: fc.Arbitrary<Form> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(1, 2, 7, 40).map((every) => ({ every })),
      fc.nat({ max: 6 }).map((above) => ({ base_fee: { above: String(above) } })),
      fc.integer({ min: 1, max: 6 }).map((below) => ({ base_fee: { below: String(below) } })),
    ),
    fc.record({
      confirmations: fc.constantFrom(0, 3, 70, 125, 200),
      start_block: fc.constantFrom(1, 30, 150),
      fire_on_retraction: fc.boolean(),
    }),
  )
  .map(([condition, others]) => ({ ...condition, ...others }));
type Step = { do: 'mine' | 'reorg' | 'tick' | 'restart'; count: number };
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('mine' as const), count: fc.integer({ min: 129, max: 300 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reorg' as const), count: fc.integer({ min: 1, max: 64 }) }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'tick', count: 0 }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart', count: 0 }) },
);

/** The hashes of the blocks that fire a trigger, by the words of the documentation. */
function wanted(chain: StandInChain, { every, base_fee, confirmations, start_block }: Form): string[] {
  const fees = chain.fees();
  const isFired = (number: number): boolean => {
    if (every !== undefined) return number % every === 0;
    if (!base_fee || !isBeyond(fees[number] ?? 0n, base_fee)) return false;
    const before = fees.slice(Math.max(0, number - 10), number);
    return before.every((fee) => !isBeyond(fee, base_fee));
  };
  return chain
    .blocks()
    .filter(
      ({ number }) => number >= start_block && number <= chain.head() - confirmations && isFired(number),
    )
    .map(({ hash }) => `${hash}:0`)
    .sort();
}

test('the blocks in force are those of the chain', async () => {
  const anyRun = fc.tuple(
    fc.array(anyForm, { minLength: 1, maxLength: 4 }),
    fc.array(anyStep, { maxLength: 25 }),
  );
  await fc.assert(
    fc.asyncProperty(
      anyRun,
      anyFaults,
      anyRandoms,
      anyRandoms,
      async ([forms, steps], faults, randoms, fees) => {
        const { db } = database;
        await clearChains(db);
        const chain = createUnreliableChain([[], []], 80, faults, randoms);
        // A fee stays for a while, so that thresholds are passed after ten blocks.
        let fee = 3n;
        chain.state.baseFee = () => {
          const value = fees.next().value;
          if (value < 0.15) fee = BigInt(Math.floor(value * 47));
          return fee;
        };
        const ids = await Promise.all(forms.map((form) => addBlockTrigger(db, form)));
        let followers = [createFollower(db, chain), createFollower(db, chain)];
        for (const step of steps) {
          const blocks = Array.from({ length: step.count }, () => []);
          if (step.do === 'mine') chain.mine(...blocks);
          else if (step.do === 'reorg') chain.reorg(step.count, [...blocks, []]);
          else if (step.do === 'restart') followers = [createFollower(db, chain), createFollower(db, chain)];
          else await tickAll(followers);
        }
        Object.assign(chain.faults, noFaults);
        await tickAll(followers);
        await syncToHead(db, chain, createFollower(db, chain));
        for (const [index, form] of forms.entries()) {
          const inForce = (await listFirings(db, ids[index] ?? ''))
            .filter(({ retracted, isRetraction }) => !retracted && !isRetraction)
            .map(({ log }) => log);
          expect(inForce.sort(), JSON.stringify(form)).toEqual(wanted(chain, form));
        }
      },
    ),
    runSettings,
  );
}, 600_000);
