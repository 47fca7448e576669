/**
 * Generates random sequences of calls: most are valid in the current state of the model, some have arbitrary arguments.
 */
import type { Address, Hex } from 'viem';
import type { Call } from './abi.ts';
import { choicesFor } from './choices.ts';
import type { CallableModel, Outcome } from './model-calls.ts';
import { questionsFor } from './questions.ts';
import type { Random } from './random.ts';
import { type Draft, writesFor } from './writes.ts';

export interface Step {
  caller: Address;
  /** Unix seconds. */
  now: bigint;
  call: Call;
  expected: Outcome;
}

/**
 * Generates a sequence.
 *
 * @param signatures Candidates for signature arguments.
 */
export function generate(
  model: CallableModel,
  random: Random,
  start: bigint,
  length: number,
  signatures: Hex[],
) {
  // Sets of members that empty and fill need many calls about one group.
  const isFocused = random.chance(0.3);
  const choices = choicesFor(model, random, isFocused);
  const { view, closing } = questionsFor(model, random, choices, signatures);
  const write = writesFor(model, random, choices, view, isFocused);
  const steps: Step[] = [];
  let now = start;
  const add = ({ caller, call }: Draft) => {
    steps.push({ caller, now, call, expected: model.call(caller, now, call) });
  };
  const ask = (call: Call) => add({ caller: choices.anyone(), call });
  for (let i = 0; i < length; i++) {
    if (random.chance(0.2)) ask(view());
    else {
      now += random.chance(0.1) ? BigInt(random.int(2000)) + 1n : 1n;
      model.now = now;
      add(write());
    }
  }
  for (const call of closing()) ask(call);
  return steps;
}
