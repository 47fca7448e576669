/** Gives runners the certificates of public keys of actions and encrypted secrets, and passes errors that actions may see. */
import {
  ActionError,
  defaultLimits,
  type Failure,
  type FromRunner,
  type ToRunner,
} from '@latchkey/runner-protocol';
import type { StoredSecret } from '../db/secrets.ts';
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
  /** Resolves to a version of a secret of the account, without one to the newest. */
  secretOf: (name: string, version: number | undefined) => Promise<StoredSecret>;
};

/** A run whose code has begun. */
export type KeyHolder = {
  cid: string;
  keys: RunKeySource /** Requests for certificates and secrets. */;
  asks: number;
};

type Ask = Extract<FromRunner, { type: 'certificate' | 'secret' }>;

/** Returns the answer to a request of the run `holder`, which is undefined when there is no such run. */
export async function answerAsk(
  ask: Ask,
  holder: KeyHolder | undefined,
  onHostError: (error: unknown) => void,
): Promise<ToRunner> {
  try {
    if (!holder) throw new ActionError('StoppedError', 'the run has ended');
    holder.asks += 1;
    // The runner ends such a run, unless the runner is under the control of an attacker.
    if (holder.asks > defaultLimits.maxKeyCalls)
      throw new ActionError('KeyLimitError', 'the action called too many key functions');
    return await answerFrom(holder.keys, ask);
  } catch (error) {
    if (!(error instanceof ActionError)) onHostError(error);
    return { type: `${ask.type} refused`, call: ask.call, error: toFailure(error) };
  }
}

async function answerFrom(keys: RunKeySource, ask: Ask): Promise<ToRunner> {
  const { call } = ask;
  if (ask.type === 'certificate')
    return { type: 'certificate', call, value: await keys.certificateOf(ask.cid) };
  const { version, wallet, ciphertext } = await keys.secretOf(ask.name, ask.version);
  return { type: 'secret', call, version, wallet, ciphertext: Buffer.from(ciphertext).toString('base64') };
}

/** The part of an error that the action is allowed to see. */
export function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
