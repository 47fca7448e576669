/** Gives runners the certificates of public keys of actions and parts of limits, and passes errors that actions may see. */
import {
  ActionError,
  type AllowanceRequest,
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
export type KeyHolder = {
  cid: string;
  keys: RunKeySource;
  takeAllowance: TakeAllowanceOfRun;
  /** Certificates and allowances that the run asked for. */
  asked: number;
};

/** Takes a part of a limit of the action. Resolves to the JSON of the signed statement. */
export type TakeAllowanceOfRun = (number: number, allowance: AllowanceRequest) => Promise<string>;

/** A request that is answered with text. */
export type TextRequest = Extract<FromRunner, { type: 'certificate' | 'take allowance' }>;

/** Returns the answer to a request of the run `holder`, which is undefined when there is no such run. */
export async function answerText(
  request: TextRequest,
  holder: KeyHolder | undefined,
  onHostError: (error: unknown) => void,
): Promise<ToRunner> {
  const { call } = request;
  const type = request.type === 'certificate' ? 'certificate' : 'allowance';
  try {
    if (!holder) throw new ActionError('StoppedError', 'the run has ended');
    holder.asked += 1;
    // The runner ends such a run, unless the runner is under the control of an attacker.
    if (holder.asked > defaultLimits.maxKeyCalls)
      throw new ActionError('KeyLimitError', 'the action called too many key functions');
    const value = await (request.type === 'certificate'
      ? holder.keys.certificateOf(request.cid)
      : holder.takeAllowance(request.number, request.allowance));
    return { type, call, value };
  } catch (error) {
    if (!(error instanceof ActionError)) onHostError(error);
    return { type: `${type} refused`, call, error: toFailure(error) };
  }
}

/** The part of an error that the action is allowed to see. */
export function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
