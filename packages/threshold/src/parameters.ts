import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bytes32, fromHex } from './bytes.ts';
import { checkIdentifiers, groups, type Point, type Suite, suites } from './group.ts';

/** The public values of a group of key nodes in one epoch. Points are in lower-case hexadecimal: 32 bytes, of secp256k1 33. */
export type GroupParameters = {
  version: 1;
  /** The group of the key. `ristretto255` for the evaluations. */
  suite: Suite;
  /** 1 … 2³² − 1. Every refresh and resharing has a larger one. */
  epoch: number;
  /** Number of nodes that can evaluate together: 1 … n. */
  threshold: number;
  /** k·G. The secret k exists nowhere. */
  groupPublicKey: string;
  /** 1 to 16 nodes, by ascending identifier. `publicShare` is the node's share of k, times G. */
  nodes: { identifier: number; publicShare: string }[];
  /** The keys that these nodes sign with. Only beside the key of evaluations, in the published text. */
  signing?: SigningKeys;
};

/** Group public keys, and SHA-256 of the texts of their parameters, which have the public shares. Hexadecimal. */
export type SigningKeys = { ed25519: string; secp256k1: string; shares: string };

const PREFIX = 'latchkey-threshold/1';
const POINT = '[A-Za-z0-9_-]{43,44}';
const FORMAT = new RegExp(
  `^${PREFIX}(?:;suite=(ed25519|secp256k1))?;epoch=([1-9]\\d{0,9});threshold=([1-9]\\d?);key=(${POINT})((?:;[1-9]\\d{0,2}=${POINT}){1,16})(?:;ed25519=(${POINT});bip340=(${POINT});shares=(${POINT}))?$`,
);

/**
 * Returns the canonical text for the contract's node configuration, at most 1,021 characters:
 * `latchkey-threshold/1;epoch=E;threshold=T;key=K;1=P;2=P;…;ed25519=K;bip340=K;shares=H`, where points are in base64url without
 * padding. The text of a key to sign with has `suite=…` before the epoch, and ends with the public shares.
 */
export function encodeGroupParameters(parameters: GroupParameters): string {
  const { suite, epoch, threshold, groupPublicKey, nodes, signing } = parameters;
  const shares = nodes.map(({ identifier, publicShare }) => `${identifier}=${toBase64Url(publicShare)}`);
  return [
    PREFIX,
    ...(suite === 'ristretto255' ? [] : [`suite=${suite}`]),
    `epoch=${epoch}`,
    `threshold=${threshold}`,
    `key=${toBase64Url(groupPublicKey)}`,
    ...shares,
    ...(signing
      ? [
          `ed25519=${toBase64Url(signing.ed25519)}`,
          `bip340=${toBase64Url(signing.secp256k1)}`,
          `shares=${toBase64Url(signing.shares)}`,
        ]
      : []),
  ].join(';');
}

/** Returns the parameters of a canonical text that satisfy `checkGroupParameters`. Throws a RangeError for every other text. */
export function decodeGroupParameters(text: string): GroupParameters {
  const [, suite, epoch, threshold, key = '', nodes = '', ...signing] = FORMAT.exec(text) ?? [];
  if (epoch === undefined) throw new RangeError('malformed group parameters');
  const parameters: GroupParameters = {
    version: 1,
    suite: suites.find((name) => name === suite) ?? 'ristretto255',
    epoch: Number(epoch),
    threshold: Number(threshold),
    groupPublicKey: fromBase64Url(key),
    nodes: nodes
      .slice(1)
      .split(';')
      .map((node) => {
        const at = node.indexOf('=');
        return { identifier: Number(node.slice(0, at)), publicShare: fromBase64Url(node.slice(at + 1)) };
      }),
    ...signingIn(signing),
  };
  checkGroupParameters(parameters);
  if (encodeGroupParameters(parameters) !== text)
    throw new RangeError('the group parameters are not canonical');
  return parameters;
}

function signingIn([ed25519, secp256k1, shares]: (string | undefined)[]): Pick<GroupParameters, 'signing'> {
  if (ed25519 === undefined || secp256k1 === undefined || shares === undefined) return {};
  const [key, other, hash] = [ed25519, secp256k1, shares].map(fromBase64Url);
  return { signing: { ed25519: key ?? '', secp256k1: other ?? '', shares: hash ?? '' } };
}

/** Returns the parameters to publish: the parameters of the evaluations, and the keys of the other dealings. */
export function publishedParameters([evaluation, ...signing]: GroupParameters[]): GroupParameters {
  if (!evaluation) throw new RangeError('no parameters');
  return { ...evaluation, signing: signingKeysOf(signing) };
}

function signingKeysOf(parameters: GroupParameters[]): SigningKeys {
  const keyOf = (suite: Suite): string => {
    const found = parameters.find((each) => each.suite === suite);
    if (!found) throw new RangeError(`no parameters of ${suite}`);
    return found.groupPublicKey;
  };
  const text = parameters.map(encodeGroupParameters).join('\n');
  return {
    ed25519: keyOf('ed25519'),
    secp256k1: keyOf('secp256k1'),
    shares: bytesToHex(sha256(utf8ToBytes(text))),
  };
}

/** Throws a RangeError unless these are the parameters of the keys to sign with that were published with the others. */
export function checkSigningParameters(published: GroupParameters, signing: GroupParameters[]): void {
  const { epoch, threshold } = published;
  const identifiersOf = ({ nodes }: GroupParameters) => `${nodes.map(({ identifier }) => identifier)}`;
  const areOfGroup = signing.every(
    (each) =>
      each.epoch === epoch &&
      each.threshold === threshold &&
      identifiersOf(each) === identifiersOf(published),
  );
  if (!areOfGroup || JSON.stringify(signingKeysOf(signing)) !== JSON.stringify(published.signing))
    throw new RangeError('the parameters of the signing keys are not the published ones');
  for (const each of signing) checkGroupParameters(each);
}

/**
 * Throws a RangeError unless all values are in their ranges, and the public shares are on one polynomial of degree
 * threshold − 1 whose constant term is the group public key.
 */
export function checkGroupParameters(parameters: GroupParameters): void {
  const { suite, epoch, threshold, groupPublicKey, nodes, signing } = parameters;
  const { lagrange, weightedPoint } = groups[suite];
  checkEpoch(epoch);
  const identifiers = nodes.map(({ identifier }) => identifier);
  checkIdentifiers(identifiers);
  checkThreshold(threshold, nodes.length);
  const key = pointOf(suite, 'group public key', groupPublicKey);
  if (signing) checkSigningKeys(suite, signing);
  const shares = nodes.map(({ identifier, publicShare }) =>
    pointOf(suite, `public share of node ${identifier}`, publicShare),
  );
  /** The polynomial through the first shares, at x. */
  const at = (x: number, count = threshold) =>
    weightedPoint(shares.slice(0, count), lagrange(identifiers.slice(0, count), x));
  const base = `nodes ${identifiers.slice(0, threshold).join(', ')}`;
  if (!at(0).equals(key))
    throw new RangeError(`the group public key contradicts the public shares of ${base}`);
  for (const [i, share] of shares.entries()) {
    const x = identifiers[i] ?? 0;
    if (i >= threshold && !at(x).equals(share)) {
      throw new RangeError(`the public share of node ${x} contradicts the public shares of ${base}`);
    }
    if (i > 0 && i === threshold - 1 && at(x, i).equals(share)) {
      throw new RangeError(`fewer than ${threshold} shares give the key`);
    }
  }
}

function checkSigningKeys(suite: Suite, signing: SigningKeys): void {
  if (suite !== 'ristretto255') throw new RangeError('only the key of evaluations names others');
  pointOf('ed25519', 'ed25519 key', signing.ed25519);
  pointOf('secp256k1', 'BIP 340 key', signing.secp256k1);
  bytes32(signing.shares);
}

/** Throws a RangeError unless the epoch is 1 … 2³² − 1. */
export function checkEpoch(epoch: number): void {
  if (!Number.isInteger(epoch) || epoch < 1 || epoch >= 2 ** 32) {
    throw new RangeError('the epoch must be from 1 to 4294967295');
  }
}

/** Throws a RangeError unless 1 ≤ threshold ≤ nodes. */
export function checkThreshold(threshold: number, nodes: number): void {
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > nodes) {
    throw new RangeError(`the threshold must be from 1 to ${nodes}`);
  }
}

/** Returns the public share of a node. Throws a RangeError when the group has no such node. */
export function publicShareOf({ nodes }: GroupParameters, identifier: number): Uint8Array {
  const node = nodes.find((candidate) => candidate.identifier === identifier);
  if (!node) throw new RangeError(`the group has no node ${identifier}`);
  return hexToBytes(node.publicShare);
}

function pointOf(suite: Suite, name: string, hex: string): Point {
  try {
    const { decodePoint, pointBytes } = groups[suite];
    return decodePoint(fromHex(hex, pointBytes));
  } catch (cause) {
    throw new RangeError(`malformed ${name}`, { cause });
  }
}

function toBase64Url(hex: string): string {
  const base64 = btoa(String.fromCharCode(...hexToBytes(hex)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return bytesToHex(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
