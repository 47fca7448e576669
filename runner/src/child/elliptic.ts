/**
 * The part of the `elliptic` package's interface that ethers' `SigningKey` uses, over libsecp256k1 as WebAssembly: the same
 * keys, RFC 6979 signatures and recovery. Compiled code needs no warming, and a run signs only a few times. Private keys and
 * digests are reduced modulo the group order, as `elliptic` does.
 */
import {
  pointAdd,
  pointCompress,
  pointFromScalar,
  pointMultiply,
  recover,
  signRecoverable,
} from 'tiny-secp256k1';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const toBigInt = (bytes: ArrayLike<number>): bigint => {
  let hex = '0x0';
  for (let i = 0; i < bytes.length; i++) hex += (bytes[i] as number).toString(16).padStart(2, '0');
  return BigInt(hex);
};

/** Returns the 32 bytes of the number modulo the group order. */
const reduced = (bytes: ArrayLike<number>): Uint8Array => {
  const hex = (toBigInt(bytes) % ORDER).toString(16).padStart(64, '0');
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
};

/** A point, never the one at infinity, which `tiny-secp256k1` gives as null. */
class PublicPoint {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array | null) {
    if (!bytes) throw new Error('the point is at infinity');
    this.bytes = bytes;
  }
  add(other: PublicPoint): PublicPoint {
    return new PublicPoint(pointAdd(this.bytes, other.bytes));
  }
  encode(_encoding: 'hex', compact: boolean): string {
    let hex = '';
    for (const byte of pointCompress(this.bytes, compact)) hex += byte.toString(16).padStart(2, '0');
    return hex;
  }
  encodeCompressed(encoding: 'hex'): string {
    return this.encode(encoding, true);
  }
}

class KeyPair {
  readonly #secret: Uint8Array | undefined;
  #point: PublicPoint | undefined;
  constructor(secret: Uint8Array | undefined, point?: PublicPoint) {
    this.#secret = secret;
    this.#point = point;
  }

  get #scalar(): Uint8Array {
    if (!this.#secret?.some((byte) => byte !== 0)) throw new Error('the private key is zero');
    return this.#secret;
  }

  get pub(): PublicPoint {
    this.#point ??= new PublicPoint(pointFromScalar(this.#scalar, false));
    return this.#point;
  }

  getPublic(): PublicPoint;
  getPublic(compact: boolean, encoding: 'hex'): string;
  getPublic(compact?: boolean, encoding?: 'hex'): PublicPoint | string {
    return encoding ? this.pub.encode(encoding, compact ?? false) : this.pub;
  }

  sign(digest: Uint8Array, _options: { canonical: true }): { r: bigint; s: bigint; recoveryParam: number } {
    const { signature, recoveryId } = signRecoverable(reduced(digest), this.#scalar);
    return {
      r: toBigInt(signature.subarray(0, 32)),
      s: toBigInt(signature.subarray(32)),
      recoveryParam: recoveryId,
    };
  }

  /** The x coordinate of the shared point. */
  derive(other: PublicPoint): bigint {
    const { bytes } = new PublicPoint(pointMultiply(other.bytes, this.#scalar, false));
    return toBigInt(bytes.subarray(1, 33));
  }
}

export class EC {
  keyFromPrivate(key: Uint8Array): KeyPair {
    return new KeyPair(reduced(key));
  }
  keyFromPublic(key: Uint8Array): KeyPair {
    return new KeyPair(undefined, new PublicPoint(pointCompress(key, false)));
  }
  recoverPubKey(
    digest: Uint8Array,
    signature: { r: Uint8Array; s: Uint8Array },
    recovery: number,
  ): PublicPoint {
    const bytes = new Uint8Array(64);
    bytes.set(signature.r);
    bytes.set(signature.s, 32);
    return new PublicPoint(recover(reduced(digest), bytes, recovery as 0 | 1 | 2 | 3, false));
  }
}
