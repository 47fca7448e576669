/** Compares the results of the contract with those of the model. */
import { decodeError, decodeEvent, decodeResult, encodeResult, type Named } from './abi.ts';
import type { Step } from './generate.ts';
import type { Outcome } from './model-calls.ts';
import { rebuild } from './rebuild.ts';
import type { Result } from './replay.ts';
import { difference, type State, show } from './state.ts';

export interface Difference {
  /** Index of the step that differs, or the number of steps when the rebuilt state differs. */
  at: number;
  message: string;
}

/**
 * Returns the first difference.
 *
 * @param rebuilt The state rebuilt from earlier events; the events of the results are applied to it.
 */
export function compare(
  steps: Step[],
  results: Result[],
  expectedState: State,
  rebuilt: State,
): Difference | undefined {
  for (const [at, step] of steps.entries()) {
    const result = results[at];
    if (result === undefined) return { at, message: 'no result' };
    let message: string | undefined;
    try {
      message = compareStep(step, result, rebuilt);
    } catch (error) {
      // A result that cannot be decoded is a difference.
      message = String(error);
    }
    if (message !== undefined) return { at, message };
  }
  // No event tells the holder of a nonce that a key and a wallet share, nor which conversions count.
  const { nonceHolders, conversions } = rebuilt;
  const told = { ...expectedState, nonceHolders, conversions };
  const message = difference(told, rebuilt, 'the state of the events');
  return message === undefined ? undefined : { at: steps.length, message };
}

function compareStep({ call, expected }: Step, result: Result, rebuilt: State): string | undefined {
  if (!result.success) {
    const error = decodeError(result.returned);
    if (expected.success) return `expected ${showOutcome(expected)}, found ${showNamed('revert', error)}`;
    const message = difference(expected.error, error);
    return message && `expected ${showOutcome(expected)}, found ${showNamed('revert', error)}`;
  }
  if (!expected.success) {
    return `expected ${showOutcome(expected)}, found success (${result.logs.length} events)`;
  }
  const message = compareReturned(call.name, expected.result, result);
  if (message !== undefined) return message;
  const events = result.logs.map(decodeEvent);
  const wrongEvent = difference(expected.events, events, 'events');
  if (wrongEvent === undefined) for (const event of events) rebuild(rebuilt, event);
  return wrongEvent;
}

function compareReturned(name: string, expected: unknown[], { returned }: Result): string | undefined {
  // Faster than decoding; equal except for a valid but unusual encoding.
  if (encodeResult(name, expected) === returned) return undefined;
  return difference(ordered(name, expected), ordered(name, decodeResult(name, returned)), 'returned');
}

/** Sorts the node configuration, whose order the interface leaves open. */
function ordered(name: string, values: readonly unknown[]): readonly unknown[] {
  if (name !== 'nodeConfigurationValues') return values;
  return [new Map((values[0] as { key: string; value: string }[]).map(({ key, value }) => [key, value]))];
}

const showNamed = (kind: string, { name, args }: Named) => `${kind} ${name}(${args.map(show).join(', ')})`;

export function showOutcome(outcome: Outcome): string {
  return outcome.success ? 'success' : showNamed('revert', outcome.error);
}
