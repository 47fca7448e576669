/**
 * Threshold signatures (FROST, RFC 9591) by keys that exist nowhere: the key of a wallet is the key of the group plus a public tweak.
 * The nodes share the key of the group, so that each can tweak its share.
 */
import { createFROST } from '@noble/curves/abstract/frost.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { schnorr, schnorr_FROST } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { fromHex, label } from './bytes.ts';
import { hasPrimeOrder } from './elements.ts';
import type { Share } from './evaluation.ts';
import { FaultError } from './fault.ts';
import { checkIdentifiers, groups, type Point, type Suite } from './group.ts';
import { type GroupParameters, publicShareOf } from './parameters.ts';

/**
 * Kinds of keys to sign with: Ed25519 (RFC 8032), BIP 340, and the output key of a Taproot address that the BIP 340 key alone can
 * spend (BIP 86).
 */
export const keyTypes = ['ed25519', 'bip340', 'taproot'] as const;
export type KeyType = (typeof keyTypes)[number];
/** The groups of keys to sign with. */
export type SigningSuite = Exclude<Suite, 'ristretto255'>;

export const suiteOf = (keyType: KeyType): SigningSuite => (keyType === 'ed25519' ? 'ed25519' : 'secp256k1');

/** Checks its order by libsodium, in an eighth of the time of noble. A share needs five of these checks, and combining shares five. */
class CheckedPoint extends ed25519.Point {
  static override fromBytes(bytes: Uint8Array): CheckedPoint {
    const { X, Y, Z, T } = ed25519.Point.fromBytes(bytes);
    return new CheckedPoint(X, Y, Z, T);
  }
  override isTorsionFree(): boolean {
    return hasPrimeOrder(this.toBytes());
  }
}

/**
 * FROST(Ed25519, SHA-512) of RFC 9591. The suite of noble checks the order of every point a second time, which takes a third of the time
 * of a signature.
 */
const ed25519Frost = createFROST({
  name: 'FROST-ED25519-SHA512-v1',
  Point: CheckedPoint,
  hash: sha512,
  H2: '',
});
const frosts = { ed25519: ed25519Frost, secp256k1: schnorr_FROST };

/** The key of a wallet: sign·(key of the group) + tweak. All of it is public. */
export type SigningKey = {
  suite: SigningSuite;
  sign: 1n | -1n;
  tweak: bigint;
  /** sign·(group public key) + tweak·G. */
  point: Point;
  /** As its ecosystem writes it, 32 bytes: of Ed25519, or x-only (BIP 340). */
  publicKey: Uint8Array;
};

/**
 * Returns the key of a wallet from the public key of the group (hexadecimal) and the derivation path. Throws a RangeError for a path that is
 * not a uint256.
 */
export function signingKey(groupPublicKey: string, keyType: KeyType, path: bigint): SigningKey {
  const suite = suiteOf(keyType);
  const { decodePoint, basePoint } = groups[suite];
  const bytes = hexToBytes(groupPublicKey);
  const tweak = tweakOf(suite, bytes, path);
  const point = decodePoint(bytes).add(basePoint(tweak));
  const key: SigningKey = { suite, sign: 1n, tweak, point, publicKey: encodeKey(suite, point) };
  return keyType === 'taproot' ? taprootKey(key) : key;
}

/** 512 bits, so that the bias is below 2⁻²⁵⁵. */
function tweakOf(suite: SigningSuite, groupPublicKey: Uint8Array, path: bigint): bigint {
  if (path < 0n || path >= 1n << 256n) throw new RangeError('the path is not a uint256');
  const pathBytes = hexToBytes(path.toString(16).padStart(64, '0'));
  const hash = sha512(
    concatBytes(label('latchkey/threshold/tweak/v1'), label(suite), groupPublicKey, pathBytes),
  );
  return groups[suite].reduce(bytesToNumberBE(hash));
}

/** BIP 341: the internal key has an even y, and is tweaked by its hash, here without a script tree (BIP 86). */
function taprootKey({ suite, tweak, point, publicKey }: SigningKey): SigningKey {
  const { basePoint, reduce } = groups[suite];
  const sign = hasEvenY(point) ? 1n : -1n;
  const output = reduce(bytesToNumberBE(schnorr.utils.taggedHash('TapTweak', publicKey)));
  const tweaked = (sign === 1n ? point : point.negate()).add(basePoint(output));
  return {
    suite,
    sign,
    tweak: reduce(sign * tweak + output),
    point: tweaked,
    publicKey: encodeKey(suite, tweaked),
  };
}

/** The first byte of a compressed point. */
const hasEvenY = (point: Point): boolean => point.toBytes()[0] === 2;
const encodeKey = (suite: SigningSuite, point: Point): Uint8Array =>
  suite === 'ed25519' ? point.toBytes() : point.toBytes().subarray(1);

/** SECRET. Used for one signature share: `signShare` overwrites it. */
export type Nonces = { hiding: Uint8Array; binding: Uint8Array };
/** The public points of nonces of a node, in hexadecimal. */
export type Commitment = { identifier: number; hiding: string; binding: string };

/** Returns new nonces of a node (RFC 9591, 5.1). */
export function createNonces(
  suite: SigningSuite,
  { identifier, secret }: Share,
): { nonces: Nonces; commitment: Commitment } {
  const { nonces, commitments } = frosts[suite].commit({
    identifier: nameOf(suite, identifier),
    signingShare: secret,
  });
  const { hiding, binding } = commitments;
  return { nonces, commitment: { identifier, hiding: bytesToHex(hiding), binding: bytesToHex(binding) } };
}

const nameOf = (suite: SigningSuite, identifier: number): string =>
  frosts[suite].Identifier.fromNumber(identifier);

/** Number of nodes of a signature. Two nodes sign also where the share of each is the key. */
export const signersOf = ({ threshold }: Pick<GroupParameters, 'threshold'>): number =>
  Math.max(2, threshold);

/**
 * Throws a RangeError unless these are commitments of as many nodes of the group as sign, ascending, each once. Their points are checked
 * when they are used.
 */
function checkCommitments(parameters: GroupParameters, commitments: Commitment[]): void {
  if (commitments.length !== signersOf(parameters))
    throw new RangeError(`expected the commitments of ${signersOf(parameters)} nodes`);
  checkIdentifiers(commitments.map(({ identifier }) => identifier));
  for (const { identifier } of commitments) publicShareOf(parameters, identifier);
}

/** Returns whether both points of a commitment are elements of the group, without which no node signs. */
export function isCommitment(suite: SigningSuite, { hiding, binding }: Commitment): boolean {
  const { decodePoint, pointBytes } = groups[suite];
  try {
    for (const point of [hiding, binding]) decodePoint(fromHex(point, pointBytes));
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the signature share of a node, 32 bytes (RFC 9591, 5.2). Wipes the nonces, also when it throws, because two shares for one
 * nonce give the share of the key. Throws for commitments that `checkCommitments` refuses, and for a commitment of this node to other
 * nonces.
 */
export function signShare(
  key: SigningKey,
  { parameters, share }: { parameters: GroupParameters; share: Share },
  nonces: Nonces,
  commitments: Commitment[],
  message: Uint8Array,
): Uint8Array {
  const { suite, sign, tweak } = key;
  const { decodeScalar, encodeScalar, reduce } = groups[suite];
  const signingShare = encodeScalar(reduce(sign * decodeScalar(share.secret) + tweak));
  try {
    checkCommitments(parameters, commitments);
    return frosts[suite].signShare(
      { identifier: nameOf(suite, share.identifier), signingShare },
      publicOf(key, parameters),
      nonces,
      namedBy(suite, commitments),
      message,
    );
  } finally {
    for (const bytes of [signingShare, nonces.hiding, nonces.binding]) bytes.fill(0);
  }
}

/**
 * Returns the signature, 64 bytes, after its verification (RFC 9591, 5.3). Throws a FaultError with the nodes whose shares do not hold.
 *
 * @param shares By identifier, of all nodes of the commitments.
 */
export function aggregate(
  key: SigningKey,
  parameters: GroupParameters,
  commitments: Commitment[],
  message: Uint8Array,
  shares: Map<number, Uint8Array>,
): Uint8Array {
  const { suite } = key;
  const identifiers = commitments.map(({ identifier }) => identifier);
  const shareOf = (identifier: number) => shares.get(identifier) ?? new Uint8Array();
  const malformed = identifiers.filter((identifier) => !isScalar(suite, shareOf(identifier)));
  if (malformed.length > 0) throw faultOf(malformed);
  const names = new Map(identifiers.map((identifier) => [nameOf(suite, identifier), identifier]));
  const named = Object.fromEntries([...names].map(([name, identifier]) => [name, shareOf(identifier)]));
  const combine = (publicShares: Record<string, Uint8Array>): Uint8Array =>
    frosts[suite].aggregate(
      publicOf(key, parameters, publicShares),
      namedBy(suite, commitments),
      message,
      named,
    );
  try {
    // The public shares only show who is wrong.
    return combine(Object.fromEntries([...names.keys()].map((name) => [name, key.point.toBytes()])));
  } catch {
    return nameCheaters(() => combine(verifyingShares(key, parameters, identifiers)), names);
  }
}

function nameCheaters(combine: () => Uint8Array, names: Map<string, number>): Uint8Array {
  try {
    return combine();
  } catch (error) {
    const cheaters = (error as { cheaters?: string[] }).cheaters ?? [];
    if (cheaters.length === 0) throw error;
    throw faultOf(cheaters.flatMap((name) => names.get(name) ?? []));
  }
}

function isScalar(suite: SigningSuite, bytes: Uint8Array): boolean {
  try {
    groups[suite].decodeScalar(bytes);
    return true;
  } catch {
    return false;
  }
}

const faultOf = (identifiers: number[]): FaultError =>
  new FaultError(
    identifiers.map((identifier) => ({
      role: 'node',
      identifier,
      round: 'signature',
      reason: 'the signature share does not hold',
    })),
  );

const publicOf = (
  { point }: SigningKey,
  parameters: GroupParameters,
  shares: Record<string, Uint8Array> = {},
) => ({
  signers: { min: signersOf(parameters), max: parameters.nodes.length },
  commitments: [point.toBytes()],
  verifyingShares: shares,
});

/** Returns the public shares of the wallet's key: the public shares of the group's key, tweaked as the shares are. */
function verifyingShares(
  { suite, sign, tweak }: SigningKey,
  parameters: GroupParameters,
  identifiers: number[],
): Record<string, Uint8Array> {
  const { decodePoint, basePoint } = groups[suite];
  const added = basePoint(tweak);
  const entries = identifiers.map((identifier): [string, Uint8Array] => {
    const share = decodePoint(publicShareOf(parameters, identifier));
    return [nameOf(suite, identifier), (sign === 1n ? share : share.negate()).add(added).toBytes()];
  });
  return Object.fromEntries(entries);
}

const namedBy = (suite: SigningSuite, commitments: Commitment[]) =>
  commitments.map(({ identifier, hiding, binding }) => ({
    identifier: nameOf(suite, identifier),
    hiding: hexToBytes(hiding),
    binding: hexToBytes(binding),
  }));
