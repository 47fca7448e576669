/** Answers what runners ask for runs: certificates of public keys of actions, encrypted secrets, and parts of limits. */
import {
  ActionError,
  type AllowanceRequest,
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
  keys: RunKeySource;
  takeAllowance: TakeAllowanceOfRun;
  /** Certificates, secrets and allowances that the run asked for. */
  asked: number;
};

/** Takes a part of a limit of the action. Resolves to the JSON of the signed statement. */
export type TakeAllowanceOfRun = (number: number, allowance: AllowanceRequest) => Promise<string>;

/** A request that has one answer. */
export type Ask = Extract<FromRunner, { type: 'certificate' | 'secret' | 'take allowance' }>;

/** Returns the answer to a request of the run `holder`, which is undefined when there is no such run. */
export async function answerAsk(
  ask: Ask,
  holder: KeyHolder | undefined,
  onHostError: (error: unknown) => void,
): Promise<ToRunner> {
  try {
    if (!holder) throw new ActionError('StoppedError', 'the run has ended');
    holder.asked += 1;
    // The runner ends such a run, unless the runner is under the control of an attacker.
    if (holder.asked > defaultLimits.maxKeyCalls)
      throw new ActionError('KeyLimitError', 'the action called too many key functions');
    return await answerFrom(holder, ask);
  } catch (error) {
    if (!(error instanceof ActionError)) onHostError(error);
    const subject = ask.type === 'take allowance' ? 'allowance' : ask.type;
    return { type: `${subject} refused`, call: ask.call, error: toFailure(error) };
  }
}

async function answerFrom({ keys, takeAllowance }: KeyHolder, ask: Ask): Promise<ToRunner> {
  const { call } = ask;
  switch (ask.type) {
    case 'certificate':
      return { type: 'certificate', call, value: await keys.certificateOf(ask.cid) };
    case 'take allowance':
      return { type: 'allowance', call, value: await takeAllowance(ask.number, ask.allowance) };
    case 'secret': {
      const { version, wallet, ciphertext } = await keys.secretOf(ask.name, ask.version);
      const text = Buffer.from(ciphertext).toString('base64');
      return { type: 'secret', call, version, wallet, ciphertext: text };
    }
  }
}

/** The part of an error that the action is allowed to see. */
export function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
