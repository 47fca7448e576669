/** Answers the key functions of runs, and passes errors that actions may see. */
import {
  ActionError,
  defaultLimits,
  type Failure,
  type FromRunner,
  type KeyOperation,
  type ToRunner,
} from '@latchkey/runner-protocol';
import { callKeyOperation, type RunKeys } from '@latchkey/runner-protocol/key-operation';
import {
  callThresholdOperation,
  isThresholdOperation,
  type ThresholdKeys,
} from '@latchkey/runner-protocol/threshold-operation';
import { z } from 'zod';
import type { AskNodes } from '../keys/key-nodes.ts';

/** The source of the keys of a run: this relayer, or the key nodes, whose answers it cannot open. */
export type RunKeySource =
  | { local: RunKeys & ThresholdKeys }
  | {
      nodes: AskNodes;
      /** Public id of the run, which its requests to the nodes name. */
      runId: string;
      /** Called with a public message when the nodes did not give a key although none refused it. */
      onOutage: (message: string) => void;
      /** Resolves to the certificate of the public key of another action. */
      certificateOf: (cid: string) => Promise<string>;
    };

/** A run whose code has begun. */
export type KeyHolder = { cid: string; keys: RunKeySource; keyOperations: number };

/** Returns the message that answers a key function of `holder`, undefined when there is no such run. */
export async function answerKey(
  { call, operation, args }: Extract<FromRunner, { type: 'key' }>,
  holder: KeyHolder | undefined,
  onHostError: (error: unknown) => void,
): Promise<ToRunner> {
  try {
    if (!holder) throw new ActionError('StoppedError', 'the run has ended');
    holder.keyOperations += 1;
    // The runner ends such a run, unless it is under the control of an attacker.
    if (holder.keyOperations > defaultLimits.maxKeyOperations)
      throw new ActionError('KeyLimitError', 'the action called too many key functions');
    return { type: 'key', call, value: await answerTo(holder.keys, operation, args) };
  } catch (error) {
    if (!(error instanceof ActionError)) onHostError(error);
    return { type: 'key refused', call, error: toFailure(error) };
  }
}

/** Returns the answer to a key function, or the certificate that a runner with key nodes asks for. */
async function answerTo(keys: RunKeySource, operation: KeyOperation, args: unknown): Promise<string> {
  if ('local' in keys)
    return isThresholdOperation(operation)
      ? callThresholdOperation(keys.local, operation, args)
      : callKeyOperation(keys.local, operation, args);
  if (operation !== 'getActionPublicKey')
    throw new Error('the runner has no KEY_GROUP, but this relayer has key nodes');
  return keys.certificateOf(z.object({ ipfsId: z.string() }).parse(args).ipfsId);
}

/** The part of an error that the action is allowed to see. */
export function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
