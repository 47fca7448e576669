/**
 * The part of the `elliptic` package's interface that ethers' `SigningKey` uses, over @noble's secp256k1: the same
 * keys, RFC 6979 signatures and recovery, with a fraction of the set-up time. Private keys are reduced modulo the group
 * order, as `elliptic` does.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';

const { Point, Signature } = secp256k1;
const { Fn } = Point;
/** A larger table takes longer to make than one run with a few signatures gains from it. */
Point.BASE.precompute(3);
type CurvePoint = typeof Point.BASE;

const toBigInt = (bytes: ArrayLike<number>): bigint => {
  let hex = '0x0';
  for (let i = 0; i < bytes.length; i++) hex += (bytes[i] as number).toString(16).padStart(2, '0');
  return BigInt(hex);
};

class PublicPoint {
  readonly point: CurvePoint;
  constructor(point: CurvePoint) {
    this.point = point;
  }
  add(other: PublicPoint): PublicPoint {
    return new PublicPoint(this.point.add(other.point));
  }
  encode(_encoding: 'hex', compact: boolean): string {
    return this.point.toHex(compact);
  }
  encodeCompressed(_encoding: 'hex'): string {
    return this.point.toHex(true);
  }
}

class KeyPair {
  readonly #secret: bigint | undefined;
  #point: CurvePoint | undefined;
  constructor(secret: bigint | undefined, point?: CurvePoint) {
    this.#secret = secret;
    this.#point = point;
  }

  get #scalar(): bigint {
    if (!this.#secret) throw new Error('the private key is zero');
    return this.#secret;
  }

  get pub(): PublicPoint {
    this.#point ??= Point.BASE.multiply(this.#scalar);
    return new PublicPoint(this.#point);
  }

  getPublic(): PublicPoint;
  getPublic(compact: boolean, encoding: 'hex'): string;
  getPublic(compact?: boolean, encoding?: 'hex'): PublicPoint | string {
    return encoding ? this.pub.encode(encoding, compact ?? false) : this.pub;
  }

  sign(digest: Uint8Array, _options: { canonical: true }): { r: bigint; s: bigint; recoveryParam: number } {
    const secretKey = Fn.toBytes(this.#scalar);
    const bytes = secp256k1.sign(digest, secretKey, { prehash: false, lowS: true, format: 'recovered' });
    const { r, s, recovery } = Signature.fromBytes(bytes, 'recovered');
    return { r, s, recoveryParam: recovery as number };
  }

  /** The x coordinate of the shared point. */
  derive(other: PublicPoint): bigint {
    return other.point.multiply(this.#scalar).x;
  }
}

export class EC {
  keyFromPrivate(key: Uint8Array): KeyPair {
    return new KeyPair(Fn.create(toBigInt(key)));
  }
  keyFromPublic(key: Uint8Array): KeyPair {
    return new KeyPair(undefined, Point.fromBytes(key));
  }
  recoverPubKey(
    digest: Uint8Array,
    signature: { r: Uint8Array; s: Uint8Array },
    recovery: number,
  ): PublicPoint {
    const parsed = new Signature(toBigInt(signature.r), toBigInt(signature.s), recovery);
    return new PublicPoint(parsed.recoverPublicKey(digest));
  }
}
