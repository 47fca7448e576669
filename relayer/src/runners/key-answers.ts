/** Gives runners the certificates of public keys of actions, and passes errors that actions may see. */
import {
  ActionError,
  defaultLimits,
  type Failure,
  type FromRunner,
  type ToRunner,
} from '@latchkey/runner-protocol';
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
export type KeyHolder = { cid: string; keys: RunKeySource; certificates: number };

/** Returns the answer to a request of the run `holder`, which is undefined when there is no such run. */
export async function answerCertificate(
  { call, cid }: Extract<FromRunner, { type: 'certificate' }>,
  holder: KeyHolder | undefined,
  onHostError: (error: unknown) => void,
): Promise<ToRunner> {
  try {
    if (!holder) throw new ActionError('StoppedError', 'the run has ended');
    holder.certificates += 1;
    // The runner ends such a run, unless the runner is under the control of an attacker.
    if (holder.certificates > defaultLimits.maxKeyCalls)
      throw new ActionError('KeyLimitError', 'the action called too many key functions');
    return { type: 'certificate', call, value: await holder.keys.certificateOf(cid) };
  } catch (error) {
    if (!(error instanceof ActionError)) onHostError(error);
    return { type: 'certificate refused', call, error: toFailure(error) };
  }
}

/** The part of an error that the action is allowed to see. */
export function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
