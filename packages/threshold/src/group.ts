/**
 * Shamir sharing in the group ristretto255 (RFC 9496): polynomials over its scalars, and the same polynomials in the
 * exponent. Functions that take a `bigint` scalar handle secrets unless they say otherwise.
 */
import { mulAddUnsafe } from '@noble/curves/abstract/curve.js';
import { ristretto255, ristretto255_FROST } from '@noble/curves/ed25519.js';

const { Point } = ristretto255;
export type Point = InstanceType<typeof Point>;
const { Fn } = Point;

/** Returns random bytes. The default of every function that takes one is `randomBytes` of noble. */
export type Rng = (bytes?: number) => Uint8Array;

/** Largest number of nodes of a group. */
const MAX_NODES = 16;
/** Identifiers are 1 … 255: one byte, and never 0, where the polynomial has the secret. */
const MAX_IDENTIFIER = 255;

/** Throws a RangeError unless these are 1 to 16 identifiers in ascending order. */
export function checkIdentifiers(identifiers: number[]): void {
  const isAscending = identifiers.every(
    (identifier, i) =>
      Number.isInteger(identifier) && identifier > (identifiers[i - 1] ?? 0) && identifier <= MAX_IDENTIFIER,
  );
  if (!isAscending || identifiers.length < 1 || identifiers.length > MAX_NODES) {
    throw new RangeError(`expected 1 to ${MAX_NODES} ascending identifiers from 1 to ${MAX_IDENTIFIER}`);
  }
}

/** Returns the element. Throws unless these are its canonical 32 bytes, and for the identity (RFC 9497, 2.1). */
export function decodePoint(bytes: Uint8Array): Point {
  const point = Point.fromBytes(bytes);
  if (point.is0()) throw new RangeError('the identity element');
  return point;
}

/** Returns the scalar 1 … order − 1. Throws unless these are its canonical 32 bytes (little endian). */
export function decodeScalar(bytes: Uint8Array): bigint {
  const scalar = Fn.fromBytes(bytes);
  if (Fn.is0(scalar)) throw new RangeError('the scalar 0');
  return scalar;
}

export const encodeScalar = (scalar: bigint): Uint8Array => Fn.toBytes(scalar);

/** Returns a uniform secret scalar 1 … order − 1. */
export const randomScalar = (rng?: Rng): bigint => Fn.fromBytes(ristretto255_FROST.utils.randomScalar(rng));

/** Returns scalar·G in constant time. */
export const basePoint = (scalar: bigint): Point => Point.BASE.multiply(scalar);

/** Returns Σ weightᵢ·scalarᵢ. */
export function weightedSum(scalars: bigint[], weights: bigint[]): bigint {
  return scalars.reduce((sum, scalar, i) => Fn.add(sum, Fn.mul(scalar, Fn.create(weights[i] ?? 0n))), 0n);
}

/** Returns Σ weightᵢ·pointᵢ. The weights are public: the time depends on them. */
export const weightedPoint = (points: Point[], weights: bigint[]): Point =>
  mulAddUnsafe(
    Point,
    points,
    weights.map((weight) => Fn.create(weight)),
  );

/** Returns x^first, x^(first + 1), … for an identifier x. */
export function powers(x: number, first: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => Fn.pow(BigInt(x), BigInt(first + i)));
}

/**
 * Returns the Lagrange coefficients at x of a polynomial that is given at these identifiers: f(x) = Σ λᵢ·f(i) when its
 * degree is below their number. The identifiers must be distinct.
 */
export function lagrange(identifiers: number[], x = 0): bigint[] {
  return identifiers.map((i) => {
    const others = identifiers.filter((j) => j !== i);
    const product = (from: number) =>
      others.reduce((value, j) => Fn.mul(value, Fn.create(BigInt(from - j))), 1n);
    return Fn.div(product(x), product(i));
  });
}

/**
 * Signs with the scalar (Schnorr, RFC 9591 with one signer): 64 bytes that prove knowledge of the scalar and bind the
 * message to it. Always uses the random bytes of noble.
 */
export const signWith = (scalar: bigint, message: Uint8Array): Uint8Array =>
  ristretto255_FROST.sign(message, encodeScalar(scalar));

/** Returns whether the signature of the message is by the scalar of this point. */
export function isSignedBy(point: Point, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ristretto255_FROST.verify(signature, message, point.toBytes());
  } catch {
    return false;
  }
}
