/**
 * Signatures of the group: t proven partial evaluations of an input that is the statement. They hold under the group public key, which
 * no refresh changes. Browsers verify them: nothing here needs libsodium.
 */
import { ristretto255_hasher, ristretto255_oprf } from '@noble/curves/ed25519.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { createReader } from './bytes.ts';
import { encodeInput, type KeyRequest } from './derivation.ts';
import { encodeScalar } from './group.ts';
import { decodeGroupParameters, type GroupParameters, publicShareOf } from './parameters.ts';

export { decodeGroupParameters };

/** Proven partial evaluations of at least t nodes, in base64, with the text of the parameters under which they hold, of any epoch. */
export type GroupSignature = { parameters: string; partials: { identifier: number; partial: string }[] };

/** DST of HashToGroup in mode VOPRF: "HashToGroup-" and the context string of RFC 9497, 3.1. */
const DST = utf8ToBytes('HashToGroup-OPRFV1-\x01-ristretto255-SHA512');
/** The blind of every evaluation. */
const ONE = encodeScalar(1n);

/**
 * Throws a RangeError unless at least t nodes of the group have signed the statement.
 *
 * @param groupPublicKey Hexadecimal. A forged text of parameters for it needs the secret of the group, or proven answers of t nodes to
 * this statement.
 */
export function verifyGroupSignature(
  groupPublicKey: string,
  statement: KeyRequest,
  { parameters: text, partials }: GroupSignature,
): void {
  const parameters = decodeGroupParameters(text);
  if (parameters.groupPublicKey !== groupPublicKey)
    throw new RangeError('parameters of another group of key nodes');
  const input = encodeInput(statement);
  const blinded = ristretto255_hasher.hashToCurve(input, { DST }).toBytes();
  const signers = new Set<number>();
  for (const { identifier, partial } of partials) {
    verifyProven(parameters, identifier, { input, blinded, encoded: bytesOf(partial) });
    signers.add(identifier);
  }
  if (signers.size < parameters.threshold)
    throw new RangeError(`${signers.size} key nodes have signed, ${parameters.threshold} are needed`);
}

function verifyProven(
  parameters: GroupParameters,
  identifier: number,
  { input, blinded, encoded }: { input: Uint8Array; blinded: Uint8Array; encoded: Uint8Array },
): void {
  const publicShare = publicShareOf(parameters, identifier);
  const reader = createReader(encoded);
  const isKnown = reader.integer(1) === 1 && reader.integer(4) === parameters.epoch;
  const [evaluated, proof] = [reader.take(32), reader.take(64)];
  reader.end();
  if (!isKnown) throw new RangeError(`the answer of key node ${identifier} is of another version or epoch`);
  try {
    ristretto255_oprf.voprf.finalize(input, ONE, evaluated, blinded, publicShare, proof);
  } catch (cause) {
    throw new RangeError(`the proof of key node ${identifier} does not hold`, { cause });
  }
}

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
