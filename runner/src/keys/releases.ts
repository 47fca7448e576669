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
  decodePartial,
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
 * function that ends it and reports whether the answers gave the key.
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

/**
 * Gets a key. `isRight` recognises the right output: then the proofs of the nodes, which take most of the time, are checked
 * only when the first answers give another one.
 */
export type Releases = (
  purpose: KeyPurpose,
  ask: AskNodes,
  isRight?: (released: Released) => boolean,
) => Promise<Released>;

export type ReleasesOptions = {
  identity: Identity;
  /** Group public key of the nodes, hexadecimal. Parameters of another group are not used. */
  group: string;
  log: Logger;
};

/** Rejects with KeyNotReleasedError. An answer that does not hold is logged with its node, and not used. */
export function createReleases({ identity, group, log }: ReleasesOptions): Releases {
  const decode = createDecoder(group);
  const report = (node: number, error: unknown): void => {
    const reason = error instanceof FaultError ? error.faults[0]?.reason : (error as Error).message;
    log.error({ node, reason }, 'a key node gave an answer that does not hold');
  };
  return async (purpose, ask, isRight) => {
    const recipient = await createRecipient();
    const { publicKey } = recipient;
    const statement = createStatement({ group, purpose, recipient: publicKey }, Date.now());
    const answers = collectAnswers(isRight, report);
    const { promise, resolve, reject } = Promise.withResolvers<Released>();
    let opening = 0;
    let end: KeyNotReleasedError | undefined;

    const take = async ({ parameters: text, identifier, partial, path }: Answer): Promise<void> => {
      const parameters = decode(text);
      const evaluation = evaluationOf(purpose, path);
      const encoded = await recipient.open(partial, statement.id, identifier);
      const released = answers.add({ parameters, evaluation }, identifier, encoded);
      if (released) resolve(released);
    };
    const endWhenOpened = (): void => {
      if (opening > 0 || !end) return;
      const released = answers.verify();
      if (released) resolve(released);
      else reject(end);
    };
    const done = ask(
      signStatement(statement, identity),
      (answer) => {
        opening += 1;
        take(answer)
          .catch((error: unknown) => report(answer.identifier, error))
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

type Opened = { encoded: Uint8Array; partial: PartialEvaluation; isVerified: boolean };
/** An evaluation as nodes tell it, with their answers. Only answers to one evaluation combine. */
type Candidate = {
  parameters: GroupParameters;
  evaluation: Evaluation;
  input: Uint8Array;
  opened: Map<number, Opened>;
};

/** Collects the answers to one statement, and returns the key once enough of them agree. */
function collectAnswers(
  isRight: ((released: Released) => boolean) | undefined,
  report: (node: number, error: unknown) => void,
) {
  const candidates = new Map<string, Candidate>();
  let isTrusting = isRight !== undefined;

  const outputOf = ({ parameters, evaluation, input, opened }: Candidate): Released => ({
    evaluation,
    output: combine(
      parameters,
      input,
      [...opened.values()].map(({ partial }) => partial),
    ),
  });
  /** Checks the proofs, and drops the answers without one. */
  const verify = (candidate: Candidate): Released | undefined => {
    const { parameters, input, opened } = candidate;
    for (const [node, answer] of opened) {
      if (answer.isVerified) continue;
      try {
        verifyPartial(parameters, node, input, answer.encoded);
        answer.isVerified = true;
      } catch (error) {
        opened.delete(node);
        report(node, error);
      }
    }
    return opened.size < parameters.threshold ? undefined : outputOf(candidate);
  };
  const trust = (candidate: Candidate): Released | undefined => {
    if (candidate.opened.size < candidate.parameters.threshold) return undefined;
    try {
      const released = outputOf(candidate);
      if (isRight?.(released)) return released;
    } catch {
      // An element that is none: its proof does not hold.
    }
    isTrusting = false;
    return verify(candidate);
  };

  return {
    add(
      said: { parameters: GroupParameters; evaluation: Evaluation },
      node: number,
      encoded: Uint8Array,
    ): Released | undefined {
      const input = encodeInput(said.evaluation);
      const partial = decodePartial(said.parameters, node, encoded);
      const key = `${said.parameters.epoch} ${Buffer.from(input).toString('hex')}`;
      const candidate = candidates.get(key) ?? { ...said, input, opened: new Map<number, Opened>() };
      candidates.set(key, candidate);
      candidate.opened.set(node, { encoded, partial, isVerified: false });
      return isTrusting ? trust(candidate) : verify(candidate);
    },
    /** Returns the key when the answers give it after all. Names the nodes whose answers do not hold. */
    verify: (): Released | undefined => [...candidates.values()].map(verify).find((released) => released),
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
      if (path === null) throw new RangeError('the node did not name the path of the wallet');
      return { kind: 'wallet', path: BigInt(path) };
    case 'action':
      return { kind: 'action', cid: purpose.ofCid };
    case 'mint-wallet':
      return { kind: 'wallet', path: BigInt(purpose.path) };
    case 'mint-usage-key':
      return { kind: 'usage-key', path: BigInt(purpose.path) };
  }
}
