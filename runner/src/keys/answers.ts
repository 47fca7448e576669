/** The answers of key nodes to one statement, and their combination. */
import type { EvaluationPurpose } from '@latchkey/key-protocol';
import {
  combine,
  decodePartial,
  type KeyRequest as Evaluation,
  elementOf,
  encodeGroupParameters,
  encodeInput,
  type GroupParameters,
  type PartialEvaluation,
  verifyPartial,
} from '@latchkey/threshold';
import type { GroupSignature } from '@latchkey/threshold/group-signature';

/** An evaluation of the key nodes. `output` is SECRET. */
export type Released = {
  evaluation: Evaluation;
  output: Uint8Array;
  /** The proven answers, which anyone can verify. Present for statements only: other answers are secret. */
  signature?: GroupSignature;
};

type Said = { parameters: GroupParameters; evaluation: Evaluation };
/**
 * An evaluation as nodes name it, with their answers. Only answers to one evaluation under one text of parameters combine: the
 * relayer passes the text on, and could otherwise put a share of its own into each of several texts.
 */
export type Candidate = Said & {
  input: Uint8Array;
  partials: (PartialEvaluation & { encoded: Uint8Array })[];
};

export const outputOf = ({ parameters, evaluation, input, partials }: Candidate): Released => ({
  evaluation,
  output: combine(parameters, input, partials),
});

export const signatureOf = ({ parameters, partials }: Candidate): GroupSignature => ({
  parameters: encodeGroupParameters(parameters),
  partials: partials.map(({ identifier, encoded }) => ({
    identifier,
    partial: Buffer.from(encoded).toString('base64'),
  })),
});

/** The answers of the nodes to one statement. */
export type Answers = ReturnType<typeof createAnswers>;

export function createAnswers(areProven: boolean) {
  const candidates = new Map<string, Candidate>();
  const all = (): Candidate[] => [...candidates.values()];
  /** Returns the evaluation that enough nodes name. */
  const agreed = (): Candidate | undefined =>
    all().find(({ parameters, partials }) => partials.length >= parameters.threshold);
  return {
    /** Throws for an answer that does not hold. */
    add(said: Said, node: number, encoded: Uint8Array): void {
      const input = encodeInput(said.evaluation);
      const partial = areProven
        ? verifyPartial(said.parameters, node, input, encoded)
        : decodePartial(said.parameters, node, encoded);
      const name = `${encodeGroupParameters(said.parameters)} ${Buffer.from(input).toString('hex')}`;
      const candidate = candidates.get(name) ?? { ...said, input, partials: [] };
      candidates.set(name, candidate);
      if (candidate.partials.every(({ identifier }) => identifier !== node))
        candidate.partials.push({ ...partial, encoded });
    },
    agreed,
    /** Returns whether the answers would be enough if they agreed. */
    areEnough(): boolean {
      const count = all().reduce((sum, { partials }) => sum + partials.length, 0);
      return all().some(({ parameters }) => count >= parameters.threshold);
    },
    /** Returns the combination of the answers, undefined when they do not agree or one is not an element of the group. */
    output(): Released | undefined {
      const candidate = agreed();
      try {
        return candidate && outputOf(candidate);
      } catch {
        return undefined;
      }
    },
    /** Returns the nodes whose answer the proven answers show to be wrong. */
    nodesAgainst({ parameters, input, partials: verified }: Candidate): number[] {
      const text = encodeGroupParameters(parameters);
      const isRight = (candidate: Candidate, { identifier, evaluated }: PartialEvaluation): boolean =>
        equalBytes(candidate.input, input) &&
        equalBytes(evaluated, elementOf(parameters, identifier, verified));
      return all()
        .filter((candidate) => encodeGroupParameters(candidate.parameters) === text)
        .flatMap((candidate) => candidate.partials.filter((partial) => !isRight(candidate, partial)))
        .map(({ identifier }) => identifier);
    },
  };
}

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** @param path Claimed by the node: only the right path gives the key of the wallet. */
export function evaluationOf(purpose: EvaluationPurpose, path: string | null): Evaluation {
  switch (purpose.kind) {
    case 'wallet':
      if (path === null) throw new RangeError('the node did not name the path of the wallet');
      return { kind: 'wallet', path: BigInt(path) };
    case 'action':
      return { kind: 'action', cid: purpose.cid };
    case 'action-public-key':
      return { kind: 'action-public-key', cid: purpose.cid, publicKey: purpose.publicKey };
    case 'wallet-address':
      return { kind: 'wallet-address', path: BigInt(purpose.path), address: purpose.address };
    case 'mint-wallet':
      return { kind: 'wallet', path: BigInt(purpose.path) };
    case 'mint-usage-key':
      return { kind: 'usage-key', path: BigInt(purpose.path) };
  }
}
