/**
 * Property tests with random chains, nodes and restarts: the fired logs equal the logs on the chain. `CHAIN_RUNS` sets the number of
 * runs, `CHAIN_SEED` the seed.
 */
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { runs } from '../src/db/schema.ts';
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
  CONTRACT,
  clearChains,
  createFollower,
  type Firing,
  filled,
  listFirings,
  logName,
  patchTrigger,
  SIGNATURE,
  syncToHead,
} from './chain-triggers.ts';
import {
  createStandInChain,
  type NewLog,
  noFaults,
  type StandInChain,
  type StandInLog,
} from './stand-in-chain.ts';

const database = useChainDatabase();

const MAX_DEPTH = 64;
const elsewhere = filled(1, `0x${'22'.repeat(20)}`);
const block: fc.Arbitrary<NewLog[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<NewLog[]>([]) },
  {
    weight: 2,
    arbitrary: fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 3 }).map((id) => filled(id)),
        fc.constant(elsewhere),
      ),
      { maxLength: 3 },
    ),
  },
);
const blocks = (maxLength: number) => fc.array(block, { minLength: 1, maxLength });

type Step =
  | { do: 'mine'; blocks: NewLog[][] }
  | { do: 'reorg'; depth: number; blocks: NewLog[][] }
  | { do: 'patch'; topic_filters: unknown[]; start_block?: number | undefined }
  | { do: 'tick' | 'restart' | 'pause' | 'resume' };
const mine = blocks(20).map((made): Step => ({ do: 'mine', blocks: made }));
/** More blocks than a reorg can replace, as after an outage. */
const outage = fc.tuple(fc.integer({ min: 129, max: 300 }), blocks(20)).map(
  ([empty, made]): Step => ({
    do: 'mine',
    blocks: [...Array.from({ length: empty }, () => []), ...made],
  }),
);
const reorg = fc
  .integer({ min: 1, max: MAX_DEPTH })
  .chain((depth) =>
    fc
      .array(block, { minLength: depth, maxLength: depth + 3 })
      .map((made): Step => ({ do: 'reorg', depth, blocks: made })),
  );
const tick = fc.constant<Step>({ do: 'tick' });
const restart = fc.constant<Step>({ do: 'restart' });

const replay = fc.constant<Step>({ do: 'patch', topic_filters: [], start_block: 0 });
const pauses = fc.constantFrom<Step>({ do: 'pause' }, { do: 'resume' });

const idTopic = (id: number) => filled(id).topics[1] as string;
const topicFilters = fc.constantFrom<unknown[]>([], [idTopic(1)], [[idTopic(1), idTopic(2)]]);
const patch = fc.record({
  do: fc.constant('patch' as const),
  topic_filters: topicFilters,
  start_block: fc.constantFrom(undefined, undefined, 0, 100),
});
const triggerForm = fc.record({
  confirmations: fc.constantFrom(0, 1, 12, 70),
  fire_on_retraction: fc.boolean(),
  topic_filters: topicFilters,
  start_block: fc.constantFrom(0, 3, 150),
  paused_events: fc.constantFrom('drop' as const, 'fire' as const),
});
type Form = {
  confirmations: number;
  start_block: number;
  topic_filters: unknown[];
  fire_on_retraction: boolean;
  paused_events: 'drop' | 'fire';
};

/** Returns the logs on the chain that match a trigger. */
function matching(chain: StandInChain, { confirmations, start_block, topic_filters }: Form): StandInLog[] {
  const [filter] = topic_filters as (string | string[] | undefined)[];
  const accepted = filter === undefined ? undefined : [filter].flat();
  return chain
    .logs(chain.head() - confirmations)
    .filter(({ blockNumber }) => Number(blockNumber) >= start_block)
    .filter(({ address }) => address === CONTRACT)
    .filter(({ topics }) => accepted === undefined || accepted.includes(topics[1] as string));
}
const wanted = (chain: StandInChain, form: Form) => new Set(matching(chain, form).map(logName));

/** Oracle: the logs that a trigger has fired and that are on the chain, while the follower reads after every step. */
function createModel(chain: StandInChain, form: Form) {
  let isEnabled = true;
  let held = new Set<string>();
  /** Blocks whose logs do not fire, by their hashes: a block that replaces one of them does. */
  let silent = new Set<string>();
  /** First block that was not read. */
  let next = 0;
  /** Blocks below are silent from the next read on. */
  let silentBelow = 0;
  const silence = (from: number, to: number) => {
    for (const { number, hash } of chain.blocks()) if (number >= from && number < to) silent.add(hash);
  };
  return {
    form,
    isEnabled: () => isEnabled,
    held: () => held,
    pause() {
      isEnabled = false;
    },
    resume() {
      if (isEnabled) return;
      isEnabled = true;
      const confirmed = chain.head() - form.confirmations;
      if (form.paused_events === 'drop') silence(next, confirmed + 1);
    },
    patch({ topic_filters, start_block }: { topic_filters: unknown[]; start_block?: number | undefined }) {
      const isChanged = JSON.stringify(topic_filters) !== JSON.stringify(form.topic_filters);
      Object.assign(form, { topic_filters, ...(start_block !== undefined && { start_block }) });
      if (start_block !== undefined) {
        silent = new Set();
        silentBelow = 0;
        next = Math.max(start_block, chain.head() - form.confirmations + 1);
      } else if (isChanged) silentBelow = next;
    },
    read() {
      silence(0, silentBelow);
      silentBelow = 0;
      const confirmed = chain.head() - form.confirmations;
      next = Math.max(next, form.start_block, confirmed + 1);
      const fires = matching(chain, form).filter(({ blockHash }) => !silent.has(blockHash));
      const onChain = new Set(chain.logs(confirmed).map(logName));
      held = new Set([...held].filter((log) => onChain.has(log)).concat(fires.map(logName)));
    },
  };
}

const applyStep = (chain: StandInChain, step: Step): void => {
  if (step.do === 'mine') chain.mine(...step.blocks);
  if (step.do === 'reorg' && chain.head() > step.depth) chain.reorg(step.depth, step.blocks);
};

/** Pauses, resumes or changes a trigger and its model. */
async function change(
  chain: StandInChain,
  id: string,
  model: ReturnType<typeof createModel>,
  step: Step,
): Promise<void> {
  const { db } = database;
  if (step.do === 'pause') {
    await patchTrigger(db, chain, id, { enabled: false });
    model.pause();
  }
  if (step.do === 'resume') {
    await patchTrigger(db, chain, id, { enabled: true });
    model.resume();
  }
  if (step.do === 'patch') {
    model.patch(step);
    const { start_block: _, ...form } = model.form;
    await patchTrigger(db, chain, id, { config: { ...minimal, ...form, start_block: step.start_block } });
  }
}
const minimal = { chain: 'service', contract_address: CONTRACT, event_signature: SIGNATURE };

/** Groups the runs per log: firings and retractions. */
function tally(firings: readonly Firing[]): Map<string, { fires: Firing[]; retractions: Firing[] }> {
  const all = new Map<string, { fires: Firing[]; retractions: Firing[] }>();
  for (const firing of firings) {
    const of = all.get(firing.log) ?? { fires: [], retractions: [] };
    (firing.isRetraction ? of.retractions : of.fires).push(firing);
    all.set(firing.log, of);
  }
  return all;
}

/** Expects that the logs fired and not retracted are those on the chain, once each. */
function expectAgreement(firings: readonly Firing[], onChain: ReadonlySet<string>, form: Form): void {
  const held: string[] = [];
  for (const [log, { fires, retractions }] of tally(firings)) {
    const live = fires.filter(({ retracted }) => !retracted);
    held.push(...live.map(() => log));
    if (form.fire_on_retraction) expect(fires.length - retractions.length).toBe(live.length);
    else expect([fires.length, retractions.length]).toEqual([1, 0]);
  }
  expect(held.sort()).toEqual([...onChain].sort());
}

test('a reliable node, PATCH and pauses: each log fires once, and exactly the dropped ones are retracted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 130, 400),
      blocks(60),
      fc.array(fc.oneof(mine, outage, reorg, restart, patch, pauses), { maxLength: 8 }),
      fc.array(triggerForm, { minLength: 1, maxLength: 2 }),
      async (before, first, steps, forms) => {
        const { db } = database;
        await clearChains(db);
        const chain = createStandInChain();
        chain.mine(
          ...Array.from({ length: before }, (_, index) => first[index % first.length] ?? []),
          ...first,
        );
        const followed = await Promise.all(
          forms.map(async (form) => ({
            model: createModel(chain, { ...form }),
            id: await addTrigger(db, form as never),
            fired: new Map<string, number>(),
            retracted: new Map<string, number>(),
          })),
        );
        let follower = createFollower(db, chain);
        await syncToHead(db, chain, follower);
        for (const { model, fired } of followed) {
          model.read();
          for (const log of model.held()) fired.set(log, 1);
        }
        for (const step of [...steps, { do: 'tick' } as const]) {
          applyStep(chain, step);
          if (step.do === 'restart') follower = createFollower(db, chain);
          for (const { model, id } of followed) await change(chain, id, model, step);
          await syncToHead(db, chain, follower);
          for (const { model, id, fired, retracted } of followed) {
            if (!model.isEnabled()) continue;
            const { form } = model;
            const held = model.held();
            model.read();
            const now = model.held();
            const one = (counts: Map<string, number>, log: string) =>
              counts.set(log, (counts.get(log) ?? 0) + 1);
            for (const log of now) if (!held.has(log)) one(fired, log);
            for (const log of held) if (!now.has(log)) one(retracted, log);
            const firings = await listFirings(db, id);
            const counts = tally(firings);
            expect(new Map([...counts].map(([log, { fires }]) => [log, fires.length]))).toEqual(fired);
            const marked = firings.filter((each) => each.retracted).map(({ log }) => log);
            expect(marked.sort()).toEqual([...retracted.keys()].sort());
            if (form.fire_on_retraction)
              for (const [log, { retractions }] of counts)
                expect(retractions.length).toBe(retracted.get(log) ?? 0);
            expectAgreement(firings, now, form);
          }
        }
      },
    ),
    runSettings,
  );
}, 600_000);

test('an unreliable node, restarts, pauses and two replicas: the fired logs equal the chain', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 130, 400),
      blocks(40),
      fc.array(fc.oneof(mine, mine, outage, reorg, tick, tick, tick, restart, pauses, replay), {
        minLength: 3,
        maxLength: 16,
      }),
      // The position of the follower decides which events are dropped or silent.
      triggerForm.map((form) => ({ ...form, paused_events: 'fire' as const })),
      anyFaults,
      anyRandoms,
      async (before, first, steps, form, faults, randoms) => {
        const { db } = database;
        await clearChains(db);
        const chain = createUnreliableChain(first, before, faults, randoms);
        const id = await addTrigger(db, form as never);
        const model = createModel(chain, { ...form });
        const replicas = [createFollower(db, chain), createFollower(db, chain)];
        // A node that lags shows the chain from before a patch, whose start block then counts for it.
        const confirmed = () => wanted(chain, { ...model.form, start_block: 0 });
        const everConfirmed = confirmed();
        for (const [index, step] of steps.entries()) {
          applyStep(chain, step);
          const { topic_filters } = form;
          await change(chain, id, model, step.do === 'patch' ? { ...step, topic_filters } : step);
          for (const log of confirmed()) everConfirmed.add(log);
          vi.setSystemTime(Date.now() + 60_000);
          if (step.do === 'restart') replicas[index % 2] = createFollower(db, chain);
          if (step.do === 'tick') await tickAll(replicas);
        }
        Object.assign(chain.faults, noFaults);
        await patchTrigger(db, chain, id, { enabled: true });
        for (const replica of replicas) await syncToHead(db, chain, replica);
        const firings = await listFirings(db, id);
        expectAgreement(firings, wanted(chain, model.form), form);
        // A log that was never confirmed must not have fired.
        expect(firings.filter(({ log }) => !everConfirmed.has(log))).toEqual([]);
        const rows = await db.select().from(runs).where(eq(runs.triggerId, id));
        expect(new Set(rows.map(({ dedupeKey }) => dedupeKey)).size).toBe(rows.length);
      },
    ),
    runSettings,
  );
}, 600_000);
