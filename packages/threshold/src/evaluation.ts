/**
 * The threshold verifiable PRF: F(k, input) = VOPRF(ristretto255, SHA-512) of RFC 9497 without blinding, because a node
 * must see the input to judge it. k is shared; a node evaluates with its share and proves it (DLEQ, RFC 9497, 2.2).
 */
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { concatBytes, equalBytes } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { createReader, u8, u16, u32 } from './bytes.ts';
import { hashToGroup, multiply, sumOf } from './elements.ts';
import { FaultError } from './fault.ts';
import { checkIdentifiers, encodeScalar, groups, lagrange, type Rng } from './group.ts';
import { type GroupParameters, publicShareOf } from './parameters.ts';

const VERSION = 1;
/** Version, epoch and evaluated element; the proof follows. */
const UNPROVEN_BYTES = 37;
const PROVEN_BYTES = 101;
/** The blind of every evaluation. */
const ONE = encodeScalar(1n);

/** A node's share of k. */
export type Share = {
  epoch: number;
  identifier: number;
  /** SECRET. A scalar of 32 bytes, little endian. */
  secret: Uint8Array;
};

/** A partial evaluation. SECRET: t of them give the output. */
export type PartialEvaluation = { epoch: number; identifier: number; evaluated: Uint8Array };

/** Throws a RangeError unless the share belongs to the epoch and the public share of its node. */
export function checkShare(parameters: GroupParameters, { epoch, identifier, secret }: Share): void {
  const publicShare = publicShareOf(parameters, identifier);
  const { basePoint, decodeScalar } = groups[parameters.suite];
  if (epoch !== parameters.epoch) {
    throw new RangeError(`the share is of epoch ${epoch}, the group of epoch ${parameters.epoch}`);
  }
  if (!equalBytes(basePoint(decodeScalar(secret)).toBytes(), publicShare)) {
    throw new RangeError(`the share of node ${identifier} does not match its public share`);
  }
}

/**
 * Returns the encoded partial evaluation of a node, 101 bytes: version, epoch (u32), H1(input)·share (32), proof (64).
 * SECRET: encrypt it to the run. Throws a RangeError when the share is of another epoch or group size; call `checkShare` once
 * when the share is loaded. The input has at most 65,535 bytes.
 */
export function evaluate(
  parameters: GroupParameters,
  share: Share,
  input: Uint8Array,
  rng?: Rng,
): Uint8Array {
  const publicShare = publicShareFor(parameters, share);
  const { evaluated, proof } = evaluateElement(share.secret, publicShare, hashToGroup(input), rng);
  return concatBytes(u8(VERSION), u32(share.epoch), evaluated, proof);
}

/**
 * Like `evaluate` without the proof, which takes most of the time: 37 bytes. Only for a receiver that recognises the right
 * output, and asks for proofs when it gets another one.
 */
export function evaluateUnproven(parameters: GroupParameters, share: Share, input: Uint8Array): Uint8Array {
  publicShareFor(parameters, share);
  const evaluated = multiply(share.secret, hashToGroup(input));
  return concatBytes(u8(VERSION), u32(share.epoch), evaluated);
}

function publicShareFor(parameters: GroupParameters, { epoch, identifier }: Share): Uint8Array {
  if (epoch !== parameters.epoch) throw new RangeError(`the share is of epoch ${epoch}`);
  return publicShareOf(parameters, identifier);
}

/** Returns element·secret and the DLEQ proof for secret·G (BlindEvaluate of RFC 9497, 3.3.2). */
export function evaluateElement(secret: Uint8Array, publicShare: Uint8Array, element: Uint8Array, rng?: Rng) {
  return ristretto255_oprf.voprf.blindEvaluate(secret, publicShare, element, rng);
}

/**
 * Returns the partial evaluation that the authenticated node `identifier` sent. Throws a FaultError, with that node and
 * the reason, when it is malformed, of another epoch, or not H1(input) times the node's share.
 */
export function verifyPartial(
  parameters: GroupParameters,
  identifier: number,
  input: Uint8Array,
  encoded: Uint8Array,
): PartialEvaluation {
  const publicShare = publicShareOf(parameters, identifier);
  if (encoded.length !== PROVEN_BYTES) throw faultOf(identifier, 'malformed partial evaluation');
  const partial = decodePartial(parameters, identifier, encoded.subarray(0, UNPROVEN_BYTES));
  const proof = encoded.subarray(UNPROVEN_BYTES);
  try {
    const blinded = hashToGroup(input);
    ristretto255_oprf.voprf.finalize(input, ONE, partial.evaluated, blinded, publicShare, proof);
  } catch {
    throw faultOf(identifier, 'the proof does not hold');
  }
  return partial;
}

/**
 * Returns the partial evaluation that the authenticated node `identifier` sent without a proof. Throws a FaultError when it is
 * malformed or of another epoch, and a RangeError for a node that is not in the group.
 */
export function decodePartial(
  parameters: GroupParameters,
  identifier: number,
  encoded: Uint8Array,
): PartialEvaluation {
  publicShareOf(parameters, identifier);
  if (encoded.length !== UNPROVEN_BYTES || encoded[0] !== VERSION)
    throw faultOf(identifier, 'malformed partial evaluation');
  const reader = createReader(encoded.subarray(1));
  const epoch = reader.integer(4);
  if (epoch !== parameters.epoch)
    throw faultOf(identifier, `of epoch ${epoch}, expected ${parameters.epoch}`);
  return { epoch, identifier, evaluated: reader.take(32) };
}

const faultOf = (identifier: number, reason: string) =>
  new FaultError([{ role: 'node', identifier, round: 'evaluation', reason }]);

/**
 * Returns F(k, input), 64 bytes, SECRET, from the first t partial evaluations of this input. Any t honest nodes give
 * the same output. Throws a RangeError for fewer than t, for two of one node, and for other epochs and unknown nodes.
 */
export function combine(
  parameters: GroupParameters,
  input: Uint8Array,
  partials: PartialEvaluation[],
): Uint8Array {
  const used = [...partials].sort((a, b) => a.identifier - b.identifier).slice(0, parameters.threshold);
  if (used.length < parameters.threshold) {
    throw new RangeError(`${used.length} partial evaluations, expected ${parameters.threshold}`);
  }
  checkIdentifiers(partials.map(({ identifier }) => identifier).sort((a, b) => a - b));
  for (const { epoch, identifier } of partials) {
    publicShareOf(parameters, identifier);
    if (epoch !== parameters.epoch)
      throw new RangeError(`the evaluation of node ${identifier} is of epoch ${epoch}`);
  }
  return finalize(input, combineElements(used));
}

/**
 * The hash of Finalize of RFC 9497, 3.3.1. There is no blind to remove; noble would multiply by its inverse 1, which takes as long
 * as all of `combine`.
 */
const finalize = (input: Uint8Array, element: Uint8Array): Uint8Array =>
  sha512(concatBytes(u16(input.length), input, u16(element.length), element, utf8ToBytes('Finalize')));

/** Returns Σ λᵢ·elementᵢ: the group's evaluation from the evaluations of all these nodes. */
export function combineElements(partials: { identifier: number; evaluated: Uint8Array }[]): Uint8Array {
  return interpolate(partials, 0);
}

function interpolate(partials: { identifier: number; evaluated: Uint8Array }[], at: number): Uint8Array {
  const identifiers = partials.map(({ identifier }) => identifier);
  const weights = lagrange(identifiers, at);
  const terms = partials.flatMap(({ evaluated }, i) => {
    const weight = weights[i];
    // 0 for the others when `at` is one of the nodes.
    return weight ? [multiply(encodeScalar(weight), evaluated)] : [];
  });
  return sumOf(terms);
}

/**
 * Returns the element that node `identifier` evaluates to, from the elements of at least t nodes that were verified. It shows whether an
 * answer without a proof was right.
 */
export function elementOf(
  parameters: GroupParameters,
  identifier: number,
  verified: PartialEvaluation[],
): Uint8Array {
  const used = verified.slice(0, parameters.threshold);
  if (used.length < parameters.threshold)
    throw new RangeError(`${used.length} partial evaluations, expected ${parameters.threshold}`);
  return interpolate(used, identifier);
}
