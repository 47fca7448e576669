/** Gets keys from key nodes, through the relayer, which sees only what it cannot open. */
import {
  createRecipient,
  createStatement,
  type Identity,
  type KeyPurpose,
  type SignedStatement,
  signStatement,
} from '@latchkey/key-protocol';
import {
  combine,
  decodeGroupParameters,
  type KeyRequest as Evaluation,
  encodeInput,
  FaultError,
  type GroupParameters,
  type PartialEvaluation,
  verifyPartial,
} from '@latchkey/threshold';
import type { Logger } from 'pino';

/** The answer of a key node, as the relayer passes it on. */
export type Answer = { parameters: string; identifier: number; partial: string; path: string | null };

/**
 * Sends a statement to the key nodes. Calls `onAnswer` for each answer, and `onEnd` once no further one comes. Returns the
 * function that ends it and tells whether the answers gave the key.
 */
export type AskNodes = (
  signed: SignedStatement,
  onAnswer: (answer: Answer) => void,
  onEnd: (reason: { isRefused: boolean; message: string }) => void,
) => (isReleased: boolean) => void;

/** Too few key nodes gave a part of the key. */
export class KeyNotReleasedError extends Error {
  override readonly name = 'KeyNotReleasedError';
  /** The contract does not permit it; otherwise nodes were not reachable. */
  readonly isRefused: boolean;
  constructor(message: string, isRefused: boolean) {
    super(message);
    this.isRefused = isRefused;
  }
}

/** An evaluation of the key nodes. `output` is SECRET. */
export type Released = { evaluation: Evaluation; output: Uint8Array };

export type Releases = (purpose: KeyPurpose, ask: AskNodes) => Promise<Released>;

export type ReleasesOptions = {
  identity: Identity;
  /** Group public key of the nodes, hexadecimal. Parameters of another group are not used. */
  group: string;
  log: Logger;
};

/** Rejects with KeyNotReleasedError. An answer that does not hold is logged with its node, and not used. */
export function createReleases({ identity, group, log }: ReleasesOptions): Releases {
  const decode = createDecoder(group);
  return async (purpose, ask) => {
    const recipient = await createRecipient();
    const { publicKey } = recipient;
    const statement = createStatement({ group, purpose, recipient: publicKey }, Date.now());
    const { promise, resolve, reject } = Promise.withResolvers<Released>();
    /** Verified partial evaluations by input: nodes must agree on it. */
    const verified = new Map<string, Map<number, PartialEvaluation>>();
    let opening = 0;
    let end: KeyNotReleasedError | undefined;

    const take = async ({ parameters: text, identifier, partial, path }: Answer): Promise<void> => {
      const parameters = decode(text);
      const evaluation = evaluationOf(purpose, path);
      const input = encodeInput(evaluation);
      const opened = await recipient.open(partial, statement.id, identifier);
      const key = `${parameters.epoch} ${Buffer.from(input).toString('hex')}`;
      const partials = verified.get(key) ?? new Map<number, PartialEvaluation>();
      verified.set(key, partials.set(identifier, verifyPartial(parameters, identifier, input, opened)));
      opened.fill(0);
      if (partials.size < parameters.threshold) return;
      resolve({ evaluation, output: combine(parameters, input, [...partials.values()]) });
    };
    const endWhenOpened = () => {
      if (opening === 0 && end) reject(end);
    };
    const done = ask(
      signStatement(statement, identity),
      (answer) => {
        opening += 1;
        take(answer)
          .catch((error: unknown) => {
            const reason = error instanceof FaultError ? error.faults[0]?.reason : (error as Error).message;
            log.error({ node: answer.identifier, reason }, 'a key node gave an answer that does not hold');
          })
          .finally(() => {
            opening -= 1;
            endWhenOpened();
          });
      },
      ({ isRefused, message }) => {
        end = new KeyNotReleasedError(message, isRefused);
        endWhenOpened();
      },
    );
    promise.then(
      () => done(true),
      () => done(false),
    );
    return promise;
  };
}

/** Returns the decoder of parameters of this group. Epochs change seldom: the last text is not decoded again. */
function createDecoder(group: string): (text: string) => GroupParameters {
  let last: { text: string; parameters: GroupParameters } | undefined;
  return (text) => {
    if (last?.text === text) return last.parameters;
    const parameters = decodeGroupParameters(text);
    if (parameters.groupPublicKey !== group) throw new RangeError('parameters of another group of key nodes');
    last = { text, parameters };
    return parameters;
  };
}

/** @param path As the node claims: only the right one gives the key of the wallet. */
function evaluationOf(purpose: KeyPurpose, path: string | null): Evaluation {
  switch (purpose.kind) {
    case 'wallet':
      if (path === null) throw new RangeError('the node did not tell the path of the wallet');
      return { kind: 'wallet', path: BigInt(path) };
    case 'action':
      return { kind: 'action', cid: purpose.ofCid };
    case 'mint-wallet':
      return { kind: 'wallet', path: BigInt(purpose.path) };
    case 'mint-usage-key':
      return { kind: 'usage-key', path: BigInt(purpose.path) };
  }
}
