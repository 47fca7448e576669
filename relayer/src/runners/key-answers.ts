/** Gives runners the certificates of public keys of actions, and passes errors that actions may see. */
import {
  ActionError,
  defaultLimits,
  type Failure,
  type FromRunner,
  type ToRunner,
} from '@latchkey/runner-protocol';
import { z } from 'zod';
import type { AskNodes } from '../keys/key-nodes.ts';

/** The source of the keys of a run: the key nodes, whose answers this relayer cannot open. */
export type RunKeySource = {
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

/** Returns the answer for the run `holder`, which is undefined when there is no such run. */
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
    if (operation !== 'getActionPublicKey') throw new Error('the runner asked its relayer for a key');
    const { ipfsId } = z.object({ ipfsId: z.string() }).parse(args);
    return { type: 'key', call, value: await holder.keys.certificateOf(ipfsId) };
  } catch (error) {
    if (!(error instanceof ActionError)) onHostError(error);
    return { type: 'key refused', call, error: toFailure(error) };
  }
}

/** The part of an error that the action is allowed to see. */
export function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
