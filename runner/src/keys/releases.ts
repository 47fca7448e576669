/** Gets keys from key nodes, through the relayer, which cannot open the answers. */
import {
  createRecipient,
  createStatement,
  type EvaluationPurpose,
  type KeyStatement,
  type Recipient,
} from '@latchkey/key-protocol';
import { decodeGroupParameters, FaultError, type GroupParameters } from '@latchkey/threshold';
import {
  type Answers,
  type Candidate,
  createAnswers,
  evaluationOf,
  outputOf,
  type Released,
  signatureOf,
} from './answers.ts';

/** The answer of a key node, passed on by the relayer. `node` is the relayer's number of the node, `identifier` what the node claims. */
export type Answer = {
  parameters: string;
  node: number;
  identifier: number;
  partial: string;
  path: string | null;
};

/**
 * Sends a statement to the key nodes. Calls `onAnswer` for each answer, and `onEnd` after the last one. Returns the function that
 * ends the request, and reports whether the run needs the key and did not get it.
 */
export type AskNodes = (
  statement: KeyStatement,
  onAnswer: (answer: Answer) => void,
  onEnd: (reason: { isRefused: boolean; message: string }) => void,
) => (isMissing: boolean) => void;

/** The run that keys are for. `runId` is its public id. */
export type RunOfKeys = { usageKeyHash: string; cid: string; runId?: string | undefined };

/** Too few key nodes gave a part of the key. */
export class KeyNotReleasedError extends Error {
  override readonly name = 'KeyNotReleasedError';
  /** True when the contract does not permit it, false when nodes were not reachable. */
  readonly isRefused: boolean;
  constructor(message: string, isRefused: boolean) {
    super(message);
    this.isRefused = isRefused;
  }
}

/**
 * Gets a key. With `isRight`, which recognises the right output, the nodes are asked for proofs only when their first answers
 * give another key: a proof takes a node most of its time. `run` is the public id of the run.
 */
export type Releases = (
  purpose: EvaluationPurpose,
  ask: AskNodes,
  isRight?: (released: Released) => boolean,
  run?: string,
) => Promise<Released>;

export type ReleasesOptions = {
  /** Group public key of the nodes, hexadecimal. */
  group: string;
  /** Throws for parameters of another group. */
  decode: (text: string) => GroupParameters;
  /** Called with the identifier of a node that gave an answer that does not hold. */
  onWrongAnswer: (node: number, reason: string) => void;
};

/** Rejects with KeyNotReleasedError. An answer that does not hold is not used. */
export function createReleases(options: ReleasesOptions): Releases {
  const report = (node: number, error: unknown): void => {
    const { message } = error as Error;
    options.onWrongAnswer(node, (error instanceof FaultError && error.faults[0]?.reason) || message);
  };
  const collect = createCollect(options, report);

  const releaseProven = async (asked: Asked, ask: AskNodes): Promise<Candidate> => {
    const agreed = (await collect(asked, ask, true)).agreed();
    if (!agreed) throw new Error('the answers of the key nodes do not agree');
    return agreed;
  };

  return async (purpose, ask, isRight, run) => {
    const asked = { purpose, run };
    if (!isRight) {
      const proven = await releaseProven(asked, ask);
      const isPublic = purpose.kind === 'action-public-key' || purpose.kind === 'wallet-address';
      return { ...outputOf(proven), ...(isPublic && { signature: signatureOf(proven) }) };
    }
    const unproven = await collect(asked, ask, false);
    const trusted = unproven.output();
    if (trusted && isRight(trusted)) return trusted;
    const proven = await releaseProven(asked, ask);
    for (const node of unproven.nodesAgainst(proven))
      report(node, new Error('its answer without a proof differs from the proven one'));
    return outputOf(proven);
  };
}

type Asked = { purpose: EvaluationPurpose; run: string | undefined };

/** Returns the function that sends one statement, and collects the answers to it. */
function createCollect(
  { group, decode }: ReleasesOptions,
  report: (node: number, error: unknown) => void,
): (asked: Asked, ask: AskNodes, withProof: boolean) => Promise<Answers> {
  let next: Promise<Recipient> | undefined;
  /** Returns a key pair for one statement, made during the previous statement. */
  const takeRecipient = (): Promise<Recipient> => {
    const recipient = next ?? createRecipient();
    next = createRecipient();
    return recipient;
  };

  /** Resolves when enough answers agree, or, without proofs, when enough have come. */
  return async ({ purpose, run }, ask, withProof) => {
    const recipient = await takeRecipient();
    const { publicKey } = recipient;
    const fields = { group, purpose, run: run ?? null, withProof, recipient: publicKey };
    const statement = createStatement(fields, Date.now());
    const answers = createAnswers(withProof);
    const { promise, resolve, reject } = Promise.withResolvers<Answers>();
    let opening = 0;
    let end: KeyNotReleasedError | undefined;
    const settle = (): void => {
      const isOver = end && opening === 0;
      if (answers.agreed() || (isOver && !withProof && answers.areEnough())) resolve(answers);
      else if (isOver) reject(end);
    };
    const take = async ({ parameters: text, identifier, partial, path }: Answer): Promise<void> => {
      const parameters = decode(text);
      const evaluation = evaluationOf(purpose, path);
      const encoded = await recipient.open(partial, statement.id, identifier);
      answers.add({ parameters, evaluation }, identifier, encoded);
    };
    const done = ask(
      statement,
      (answer) => {
        opening += 1;
        take(answer)
          .catch((error: unknown) => report(answer.identifier, error))
          .finally(() => {
            opening -= 1;
            settle();
          });
      },
      ({ isRefused, message }) => {
        end = new KeyNotReleasedError(message, isRefused);
        settle();
      },
    );
    promise.then(
      () => done(false),
      () => done(true),
    );
    return promise;
  };
}

/** Returns the decoder of parameters of this group, which throws for another group. Keeps the last text, which changes only with the epoch. */
export function createDecoder(group: string): (text: string) => GroupParameters {
  let last: { text: string; parameters: GroupParameters } | undefined;
  return (text) => {
    if (last?.text === text) return last.parameters;
    const parameters = decodeGroupParameters(text);
    if (parameters.groupPublicKey !== group) throw new RangeError('parameters of another group of key nodes');
    last = { text, parameters };
    return parameters;
  };
}
