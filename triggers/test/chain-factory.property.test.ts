/**
 * Property test of factories on random chains: the fired logs are those of the children that are on the chain, from their announcement
 * on. `CHAIN_RUNS` sets the number of runs, `CHAIN_SEED` the seed.
 */
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { factoryChildren } from '../src/db/schema.ts';
import { child, FACTORY, from, MADE_EVENT, made } from './chain-factories.ts';
import {
  anyFaults,
  anyRandoms,
  createUnreliableChain,
  runSettings,
  tickAll,
  useChainDatabase,
} from './chain-setup.ts';
import {
  addTrigger,
  clearChains,
  createFollower,
  listFirings,
  logName,
  patchTrigger,
  SIGNATURE,
  syncToHead,
} from './chain-triggers.ts';
import { type NewLog, noFaults, type StandInChain } from './stand-in-chain.ts';

const database = useChainDatabase();

const number = fc.integer({ min: 1, max: 5 });
const block: fc.Arbitrary<NewLog[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<NewLog[]>([]) },
  {
    weight: 3,
    arbitrary: fc.array(
      fc.oneof(
        number.map((n) => made(n)),
        number.map(from),
      ),
      { maxLength: 3 },
    ),
  },
);
const blocks = (minLength: number, maxLength: number) => fc.array(block, { minLength, maxLength });
type Step =
  | { do: 'mine'; blocks: NewLog[][] }
  | { do: 'reorg'; depth: number; blocks: NewLog[][] }
  | { do: 'tick' | 'restart' | 'pause' | 'resume' };
const mine = blocks(1, 20).map((made): Step => ({ do: 'mine', blocks: made }));
const outage = fc.tuple(blocks(1, 8), fc.integer({ min: 129, max: 300 }), blocks(1, 8)).map(
  ([first, empty, last]): Step => ({
    do: 'mine',
    blocks: [...first, ...Array.from({ length: empty }, () => []), ...last],
  }),
);
const reorg = fc
  .integer({ min: 1, max: 64 })
  .chain((depth) => blocks(depth, depth + 3).map((made): Step => ({ do: 'reorg', depth, blocks: made })));
const others = fc.constantFrom<Step>(
  ...(['tick', 'tick', 'tick', 'restart', 'pause', 'resume'] as const).map((each): Step => ({ do: each })),
);
const form = fc.record({
  confirmations: fc.constantFrom(0, 1, 12),
  fire_on_retraction: fc.boolean(),
  start_block: fc.constantFrom(1, 20, 150),
  first: fc.constantFrom(1, 10),
});

/** Oracle: a look at every log of the chain, in its order. */
function wantedOf(
  chain: StandInChain,
  { confirmations, start_block, first }: { confirmations: number; start_block: number; first: number },
) {
  const logs = chain
    .logs(chain.head() - confirmations)
    .filter(({ blockNumber }) => Number(blockNumber) >= first);
  const born = new Map<string, bigint>();
  for (const { address, topics, blockNumber } of logs)
    if (address === FACTORY) {
      const made = child(Number(topics[1]));
      if (!born.has(made)) born.set(made, blockNumber);
    }
  return {
    children: [...born].map(([address, number]) => `${address} ${number}`).sort(),
    logs: logs
      .filter(({ address, blockNumber }) => (born.get(address) ?? Number.POSITIVE_INFINITY) <= blockNumber)
      .filter(({ blockNumber }) => Number(blockNumber) >= start_block)
      .map(logName)
      .sort(),
  };
}

test('unreliable nodes, restarts, pauses and two processes: children and fired logs equal the chain', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 200),
      blocks(1, 40),
      fc.array(fc.oneof(mine, mine, outage, reorg, others, others), { minLength: 3, maxLength: 16 }),
      form,
      anyFaults,
      anyRandoms,
      async (before, start, steps, { first, ...settings }, faults, randoms) => {
        const { db } = database;
        await clearChains(db);
        const chain = createUnreliableChain(start, before, faults, randoms);
        const id = await addTrigger(db);
        const factory = { address: FACTORY, event: MADE_EVENT, parameter: 'child', start_block: first };
        const config = {
          chain: 'service',
          factory,
          event_signature: SIGNATURE,
          ...settings,
          paused_events: 'fire',
        };
        await patchTrigger(db, chain, id, { config });
        const processes = [createFollower(db, chain), createFollower(db, chain)];
        for (const [index, step] of steps.entries()) {
          if (step.do === 'mine') chain.mine(...step.blocks);
          if (step.do === 'reorg' && chain.head() > step.depth) chain.reorg(step.depth, step.blocks);
          if (step.do === 'pause') await patchTrigger(db, chain, id, { enabled: false });
          if (step.do === 'resume') await patchTrigger(db, chain, id, { enabled: true });
          if (step.do === 'restart') processes[index % 2] = createFollower(db, chain);
          vi.setSystemTime(Date.now() + 60_000);
          if (step.do === 'tick') await tickAll(processes);
        }
        Object.assign(chain.faults, noFaults);
        await patchTrigger(db, chain, id, { enabled: true });
        for (const each of processes) await syncToHead(db, chain, each);
        const wanted = wantedOf(chain, { ...settings, first });
        const rows = await db.select().from(factoryChildren).where(eq(factoryChildren.triggerId, id));
        expect(rows.map(({ address, blockNumber }) => `${address} ${blockNumber}`).sort()).toEqual(
          wanted.children,
        );
        const firings = (await listFirings(db, id)).filter(({ isRetraction }) => !isRetraction);
        expect(
          firings
            .filter(({ retracted }) => !retracted)
            .map(({ log }) => log)
            .sort(),
        ).toEqual(wanted.logs);
      },
    ),
    runSettings,
  );
}, 600_000);
