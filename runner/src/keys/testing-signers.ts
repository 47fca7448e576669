/** Key nodes in this process that sign, for tests. */
import { type KeyPurpose, partialSealerFor } from '@latchkey/key-protocol';
import {
  type Commitment,
  createNonces,
  encodeGroupParameters,
  type Nonces,
  type Share,
  type SigningSuite,
  signingKey,
  signShare,
  suiteOf,
} from '@latchkey/threshold';
import { range, splitAll } from '@latchkey/threshold/testing';
import type { AskNodes } from './releases.ts';
import { createSignatures, type ToSign } from './signatures.ts';

export const PATH = 77n;
export const MESSAGE = Buffer.from('a message');
export const RUN = { usageKeyHash: '0x1f', cid: 'QmTestCid' };
export const TO_SIGN: ToSign = { wallet: `0x${'12'.repeat(20)}`, keyType: 'bip340', message: MESSAGE };
export const N = 3;
const [evaluation, ed25519, secp256k1] = splitAll(5n, 2, range(N)) as [Group, Group, Group];
type Group = ReturnType<typeof splitAll>[0];
export const signersGroup = evaluation.parameters.groupPublicKey;
export const signing = {
  ed25519: ed25519.parameters.groupPublicKey,
  secp256k1: secp256k1.parameters.groupPublicKey,
};
const texts = [ed25519, secp256k1].map(({ parameters }) => encodeGroupParameters(parameters));
const published = encodeGroupParameters(evaluation.parameters);

type Sign = Extract<KeyPurpose, { kind: 'sign' }>;
type Bytes = { bytes: Uint8Array; path?: bigint } | undefined;
/** Behaviour of a node: undefined for an honest one. */
export type Behaviour = {
  /** The identifier that it claims instead of its own. */
  claims?: number;
  nonces?: (honest: Uint8Array) => Uint8Array | undefined;
  sign?: (honest: () => Uint8Array, purpose: Sign, signAt: (path: bigint) => Uint8Array) => Bytes;
};

/** A node of the group, which keeps its nonces. */
function createNode(identifier: number, behave: () => Behaviour) {
  const nodeOf = (suite: SigningSuite) => {
    const { parameters, shares } = suite === 'secp256k1' ? secp256k1 : ed25519;
    return { parameters, share: shares[identifier - 1] as Share };
  };
  const kept = new Map<string, Nonces>();
  const issue = (suite: SigningSuite, count: number): Uint8Array => {
    const commitments = range(count).map(() => {
      const { nonces, commitment } = createNonces(suite, nodeOf(suite).share);
      kept.set(commitment.hiding, nonces);
      return [commitment.hiding, commitment.binding];
    });
    return Buffer.from(JSON.stringify({ parameters: texts, commitments }));
  };
  const sign = ({ commitments, message, keyType }: Sign, path: bigint): Uint8Array => {
    const own = commitments.find((each) => each.identifier === identifier) as Commitment;
    const nonces = kept.get(own.hiding);
    kept.delete(own.hiding);
    if (!nonces) throw new Error('no such nonces');
    const suite = suiteOf(keyType);
    const key = signingKey(signing[suite], keyType, path);
    return signShare(key, nodeOf(suite), nonces, commitments, Buffer.from(message, 'base64'));
  };
  return (purpose: KeyPurpose): Bytes => {
    const { nonces = (honest) => honest, sign: signs = (honest) => ({ bytes: honest(), path: PATH }) } =
      behave();
    if (purpose.kind === 'nonces') {
      const bytes = nonces(issue(purpose.suite, purpose.count));
      return bytes && { bytes };
    }
    if (purpose.kind !== 'sign') throw new Error('expected a signature');
    const claimed = behave().claims ?? identifier;
    if (!purpose.commitments.some((each) => each.identifier === claimed)) return undefined;
    return signs(
      () => sign(purpose, PATH),
      purpose,
      (path) => sign(purpose, path),
    );
  };
}

/** A node that refuses does not answer. */
function answerOf(node: ReturnType<typeof createNode>, purpose: KeyPurpose): Bytes {
  try {
    return node(purpose);
  } catch {
    return undefined;
  }
}

/** Three nodes behind an honest relayer, which ends when none is left. */
export function start(
  behaviours: Record<number, Behaviour>,
  end = { isRefused: false, message: 'too few key nodes answer' },
) {
  const nodes = range(N).map((identifier) => createNode(identifier, () => behaviours[identifier] ?? {}));
  const purposes: KeyPurpose[] = [];
  const missing: boolean[] = [];
  const ask: AskNodes = (statement, onAnswer, onEnd) => {
    purposes.push(statement.purpose);
    const asked = nodes.map(async (node, i) => {
      const answer = answerOf(node, statement.purpose);
      if (!answer) return;
      const seal = await partialSealerFor(statement.recipient);
      const identifier = behaviours[i + 1]?.claims ?? i + 1;
      onAnswer({
        parameters: published,
        node: i + 1,
        identifier,
        partial: await seal(answer.bytes, statement.id, identifier),
        path: answer.path === undefined ? null : `0x${answer.path.toString(16)}`,
      });
    });
    void Promise.all(asked).then(() => onEnd(end));
    return (isMissing) => missing.push(isMissing);
  };
  const liars: number[] = [];
  const signatures = createSignatures({
    group: signersGroup,
    signing,
    onWrongAnswer: (node) => liars.push(node),
  });
  const sign = (toSign = TO_SIGN) => signatures(RUN, ask, toSign);
  return { sign, ask, purposes, missing, liars };
}
