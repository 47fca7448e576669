/** Runs random sequences in batches on the model and on the contract, counts them, and shrinks the first difference. */
import type { Address, Hex } from 'viem';
import { errorNames, eventNames, functionNames, isView } from './abi.ts';
import { compare, type Difference, showOutcome } from './compare.ts';
import { generate, type Step } from './generate.ts';
import { REASONS } from './model.ts';
import { CallableModel } from './model-calls.ts';
import { INITIAL_STATES, OWNER, SIGNERS, START } from './pools.ts';
import { randomOf } from './random.ts';
import type { Executor, Made, Result } from './replay.ts';
import { makeSignatures } from './signatures.ts';
import { copy, emptyState, type State, show } from './state.ts';
import { RULES } from './views.ts';

export interface Options {
  seed: number;
  /** Number of the first sequence. */
  from: number;
  sequences: number;
  /** Number of sequences per call of the executor. */
  batch: number;
  execute: Executor;
  onProgress?: (counts: Counts) => void;
}

export interface Counts {
  sequences: number;
  writes: number;
  views: number;
  events: number;
  /** Successes by function. */
  successes: Map<string, number>;
  /** Reverts by name; InvalidRequest also by its reason. */
  reverts: Map<string, number>;
  /** Events by name. */
  eventsByName: Map<string, number>;
  /** Results of explainExecution by rule. */
  rules: Map<string, number>;
}

/** Model and contract disagree; the message contains the shortest sequence found. */
export class Disagreement extends Error {}

interface Prepared {
  steps: Step[];
  state: State;
  /** The state rebuilt from the events of the preparation, once they were compared. */
  rebuilt?: State;
}

interface Sequence {
  index: number;
  initialState: number;
  steps: Step[];
  state: State;
}

/** Small initial states are cheap and frequent; the others lie just below a boundary. */
const TURNS = [0, 1, 2, 1, 3, 0, 4, 1, 5, 0, 1, 6, 1, 2, 3, 0, 4, 1, 5, 0, 1, 6, 1, 7];

function prepare(initialState: number, contract: Address): Prepared {
  const model = new CallableModel(emptyState(OWNER), contract);
  const steps = (INITIAL_STATES[initialState] ?? []).map(({ caller, call }, i) => {
    const now = START + BigInt(i);
    return { caller, now, call, expected: model.call(caller, now, call) };
  });
  return { steps, state: model.state };
}

/** Returns the model's expectation for the same calls. */
function expect(prepared: Prepared, made: Made[], contract: Address): { steps: Step[]; state: State } {
  const model = new CallableModel(copy(prepared.state), contract);
  const steps = made.map(({ caller, now, call }) => ({
    caller,
    now,
    call,
    expected: model.call(caller, now, call),
  }));
  return { steps, state: model.state };
}

export async function differential(options: Options): Promise<Counts> {
  const counts: Counts = {
    sequences: 0,
    writes: 0,
    views: 0,
    events: 0,
    successes: new Map(),
    reverts: new Map(),
    eventsByName: new Map(),
    rules: new Map(),
  };
  const signatures = await makeSignatures(SIGNERS);
  const { seed, from, sequences, batch, execute } = options;
  const { contract } = execute;
  const initialStates = INITIAL_STATES.map((_, i) => prepare(i, contract));
  const draw = (index: number) => drawSequence(seed, index, initialStates, signatures, contract);
  for (let first = from; first < from + sequences; first += batch) {
    const size = Math.min(batch, from + sequences - first);
    const all = Array.from({ length: size }, (_, i) => draw(first + i));
    const sections = initialStates
      .map((prepared, i) => ({ prepared, sequences: all.filter(({ initialState }) => initialState === i) }))
      .filter(({ sequences }) => sequences.length > 0);
    const results = await execute.run(
      OWNER,
      sections.map(({ prepared, sequences }) => ({
        preparation: prepared.steps,
        sequences: sequences.map(({ steps }) => steps),
      })),
    );
    for (const [i, { prepared, sequences }] of sections.entries()) {
      const found = results[i];
      if (found === undefined) throw new Error('results are missing');
      comparePreparation(prepared, found.preparation);
      for (const [j, sequence] of sequences.entries()) {
        const difference = compareSequence(prepared, sequence, found.sequences[j] ?? []);
        if (difference !== undefined) {
          const short = await shrink(prepared, sequence.steps, difference, execute);
          throw new Disagreement(report(options, sequence, short));
        }
        count(counts, sequence.steps);
      }
    }
    options.onProgress?.(counts);
  }
  return counts;
}

function drawSequence(
  seed: number,
  index: number,
  initialStates: Prepared[],
  signatures: Hex[],
  contract: Address,
): Sequence {
  const random = randomOf(seed, index);
  const initialState = TURNS[index % TURNS.length] ?? 0;
  const prepared = initialStates[initialState];
  if (prepared === undefined) throw new Error(`no initial state ${initialState}`);
  const model = new CallableModel(copy(prepared.state), contract);
  const start = START + BigInt(prepared.steps.length);
  const steps = generate(model, random, start, 20 + random.int(11), signatures);
  return { index, initialState, steps, state: model.state };
}

function comparePreparation(prepared: Prepared, results: Result[]): void {
  if (prepared.rebuilt !== undefined) return;
  const rebuilt = emptyState(OWNER);
  const difference = compare(prepared.steps, results, prepared.state, rebuilt);
  if (difference !== undefined) {
    const lines = prepared.steps.slice(0, difference.at + 1).map(showStep);
    throw new Disagreement(`${lines.join('\n')}\n${difference.message}`);
  }
  prepared.rebuilt = rebuilt;
}

function compareSequence(
  prepared: Prepared,
  { steps, state }: { steps: Step[]; state: State },
  results: Result[],
): Difference | undefined {
  return compare(steps, results, state, copy(prepared.rebuilt ?? emptyState(OWNER)));
}

function count(counts: Counts, steps: Step[]): void {
  const add = (map: Map<string, number>, name: string) => map.set(name, (map.get(name) ?? 0) + 1);
  counts.sequences += 1;
  for (const { call, expected } of steps) {
    counts[isView(call.name) ? 'views' : 'writes'] += 1;
    if (expected.success) {
      add(counts.successes, call.name);
      counts.events += expected.events.length;
      for (const { name } of expected.events) add(counts.eventsByName, name);
      if (call.name === 'explainExecution') {
        const { actionRule, walletRule } = expected.result[0] as { actionRule: number; walletRule: number };
        add(counts.rules, `${RULES[actionRule]} / ${RULES[walletRule]}`);
      }
    } else {
      const { name, args } = expected.error;
      add(counts.reverts, name);
      if (name === 'InvalidRequest') add(counts.reverts, `InvalidRequest: ${args[0]}`);
    }
  }
}

/** Errors outside the model: the routing of calls, and the gas given. */
const OUTSIDE = new Set([
  ...[
    'diamondCut',
    'facets',
    'facetFunctionSelectors',
    'facetAddresses',
    'facetAddress',
    'supportsInterface',
  ],
  ...[
    'SelectorAlreadyRouted',
    'SelectorNotReplaceable',
    'InvalidFacet',
    'NoSelectors',
    'InitializationFailed',
  ],
  'DiamondCut',
  'InsufficientGas',
  // Calls have their canonical encoding.
  'MalformedCall',
  // Counters that no sequence is long enough for.
  'TooManyUsageApiKeys',
  'TooManyGroups',
  'TooManyItems',
  'TooManyGroupMembers',
]);

/** Returns the functions that never succeeded, and the errors, reasons, events and rules that never occurred. */
export function unreached({ successes, reverts, eventsByName, rules }: Counts): string[] {
  const explained = [...rules.keys()].join();
  return [
    ...functionNames.filter((name) => !successes.has(name)),
    ...errorNames.filter((name) => !reverts.has(name)),
    ...REASONS.map((reason) => `InvalidRequest: ${reason}`).filter((name) => !reverts.has(name)),
    ...eventNames.filter((name) => !eventsByName.has(name)),
    ...RULES.filter((rule) => !explained.includes(rule)),
  ].filter((name) => !OUTSIDE.has(name));
}

// ------------------------------------------------------------------------------------------------------ shrinking

interface Short {
  steps: Step[];
  difference: Difference;
}

/** Removes calls while the two still differ, halves first. */
async function shrink(
  prepared: Prepared,
  steps: Step[],
  difference: Difference,
  execute: Executor,
): Promise<Short> {
  let short: Short = { steps: steps.slice(0, difference.at + 1), difference };
  for (let size = Math.ceil(short.steps.length / 2); size >= 1; ) {
    const candidates: { steps: Step[]; state: State }[] = [];
    for (let at = 0; at < short.steps.length; at += size) {
      candidates.push(expect(prepared, short.steps.toSpliced(at, size), execute.contract));
    }
    const sequences = candidates.map(({ steps }) => steps);
    const [results] = await execute.run(OWNER, [{ preparation: prepared.steps, sequences }]);
    const shorter = candidates
      .map((candidate, i) => ({
        steps: candidate.steps,
        difference: compareSequence(prepared, candidate, results?.sequences[i] ?? []),
      }))
      .find((candidate): candidate is Short => candidate.difference !== undefined);
    if (shorter === undefined) size = size === 1 ? 0 : Math.ceil(size / 2);
    else {
      short = { ...shorter, steps: shorter.steps.slice(0, shorter.difference.at + 1) };
      size = Math.min(size, Math.max(1, Math.ceil(short.steps.length / 2)));
    }
  }
  return short;
}

function showStep({ caller, now, call, expected }: Step): string {
  return `${now} ${caller} ${call.name}(${call.args.map(show).join(', ')}) → ${showOutcome(expected)}`;
}

function report({ seed }: Options, { index, initialState }: Sequence, { steps, difference }: Short): string {
  return [
    `sequence ${index} of seed ${seed}, after initial state ${initialState}:`,
    ...steps.map(showStep),
    difference.message,
    `again: npm run differential -- --seed ${seed} --from ${index} --sequences 1`,
  ].join('\n');
}
