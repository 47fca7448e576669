/**
 * Shamir sharing in the groups of three suites: polynomials over the scalars of a group, and the same polynomials in the
 * exponent. Functions that take a `bigint` scalar handle secrets unless they say otherwise.
 */
import { type CurvePoint, type CurvePointCons, mulAddUnsafe } from '@noble/curves/abstract/curve.js';
import { ed25519, ed25519_FROST, ristretto255, ristretto255_FROST } from '@noble/curves/ed25519.js';
import { secp256k1, secp256k1_FROST } from '@noble/curves/secp256k1.js';

/** An element. */
export type Point = {
  toBytes(): Uint8Array;
  equals(other: Point): boolean;
  add(other: Point): Point;
  negate(): Point;
  is0(): boolean;
};

/**
 * The groups of keys that nodes share: ristretto255 for evaluations (RFC 9496), ed25519 and secp256k1 for signatures. Scalars and points
 * are encoded as in the ciphersuites of RFC 9591.
 */
export const suites = ['ristretto255', 'ed25519', 'secp256k1'] as const;
export type Suite = (typeof suites)[number];

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

export type Group = {
  /** Length of an encoded element. */
  pointBytes: number;
  /** Returns the element. Throws unless these are its canonical bytes, and for elements that are not of prime order. */
  decodePoint(bytes: Uint8Array): Point;
  /** Returns the scalar 1 … order − 1. Throws unless these are its canonical 32 bytes. */
  decodeScalar(bytes: Uint8Array): bigint;
  encodeScalar(scalar: bigint): Uint8Array;
  /** Returns the scalar of a number that may be negative or above the order. */
  reduce(value: bigint): bigint;
  /** Returns a uniform secret scalar 1 … order − 1. */
  randomScalar(rng?: Rng): bigint;
  /** Returns scalar·G in constant time. */
  basePoint(scalar: bigint): Point;
  /** Returns Σ weightᵢ·scalarᵢ. */
  weightedSum(scalars: bigint[], weights: bigint[]): bigint;
  /** Returns Σ weightᵢ·pointᵢ. The weights are public: the time depends on them. */
  weightedPoint(points: Point[], weights: bigint[]): Point;
  /** Returns x^first, x^(first + 1), … for an identifier x. */
  powers(x: number, first: number, count: number): bigint[];
  /**
   * Returns the Lagrange coefficients at x (default 0) of a polynomial that is given at these identifiers: f(x) = Σ λᵢ·f(i) when its
   * degree is below their number. The identifiers must be distinct.
   */
  lagrange(identifiers: number[], x?: number): bigint[];
  /**
   * Signs with the scalar (Schnorr, RFC 9591 with one signer): a point and 32 bytes that prove knowledge of the scalar and bind
   * the message to it. Always uses the random bytes of noble.
   */
  signWith(scalar: bigint, message: Uint8Array): Uint8Array;
  /** Returns whether the signature of the message is by the scalar of this point. */
  isSignedBy(point: Point, message: Uint8Array, signature: Uint8Array): boolean;
};

function createGroup<P extends CurvePoint<unknown, P>>(
  Point: CurvePointCons<P>,
  frost: typeof ristretto255_FROST,
): Group {
  const { Fn } = Point;
  const encodeScalar = (scalar: bigint): Uint8Array => Fn.toBytes(scalar);
  return {
    pointBytes: Point.BASE.toBytes().length,
    decodePoint(bytes) {
      const point = Point.fromBytes(bytes);
      if (point.is0()) throw new RangeError('the identity element');
      if (!point.isTorsionFree()) throw new RangeError('an element of another order');
      return point;
    },
    decodeScalar(bytes) {
      const scalar = Fn.fromBytes(bytes);
      if (Fn.is0(scalar)) throw new RangeError('the scalar 0');
      return scalar;
    },
    encodeScalar,
    reduce: (value) => Fn.create(value),
    randomScalar: (rng) => Fn.fromBytes(frost.utils.randomScalar(rng)),
    basePoint: (scalar) => Point.BASE.multiply(scalar),
    weightedSum: (scalars, weights) =>
      scalars.reduce((sum, scalar, i) => Fn.add(sum, Fn.mul(scalar, Fn.create(weights[i] ?? 0n))), 0n),
    weightedPoint: (points: P[], weights) =>
      mulAddUnsafe(
        Point,
        points,
        weights.map((weight) => Fn.create(weight)),
      ),
    powers: (x, first, count) =>
      Array.from({ length: count }, (_, i) => Fn.pow(BigInt(x), BigInt(first + i))),
    lagrange: (identifiers, x = 0) =>
      identifiers.map((i) => {
        const others = identifiers.filter((j) => j !== i);
        const product = (from: number) =>
          others.reduce((value, j) => Fn.mul(value, Fn.create(BigInt(from - j))), 1n);
        return Fn.div(product(x), product(i));
      }),
    signWith: (scalar, message) => frost.sign(message, encodeScalar(scalar)),
    isSignedBy(point, message, signature) {
      try {
        return frost.verify(signature, message, point.toBytes());
      } catch {
        return false;
      }
    },
  };
}

export const groups: Record<Suite, Group> = {
  ristretto255: createGroup(ristretto255.Point, ristretto255_FROST),
  ed25519: createGroup(ed25519.Point, ed25519_FROST),
  secp256k1: createGroup(secp256k1.Point, secp256k1_FROST),
};

/** The group of evaluations. */
export const { basePoint, encodeScalar, lagrange, randomScalar } = groups.ristretto255;
