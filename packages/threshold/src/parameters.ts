import { bytesToHex } from '@noble/hashes/utils.js';
import { bytes32 } from './bytes.ts';
import { checkIdentifiers, decodePoint, lagrange, type Point, weightedPoint } from './group.ts';

/** The public values of a group of key nodes in one epoch. Points are 32 bytes in lower-case hexadecimal. */
export type GroupParameters = {
  version: 1;
  /** 1 … 2³² − 1. Every refresh and resharing has a larger one. */
  epoch: number;
  /** Number of nodes that can evaluate together: 1 … n. */
  threshold: number;
  /** k·G. The secret k exists nowhere. */
  groupPublicKey: string;
  /** 1 to 16 nodes, by ascending identifier. `publicShare` is the node's share of k, times G. */
  nodes: { identifier: number; publicShare: string }[];
};

const PREFIX = 'latchkey-threshold/1';
const POINT = '[A-Za-z0-9_-]{43}';
const FORMAT = new RegExp(
  `^${PREFIX};epoch=([1-9]\\d{0,9});threshold=([1-9]\\d?);key=(${POINT})((?:;[1-9]\\d{0,2}=${POINT}){1,16})$`,
);

/**
 * Returns the canonical text for the contract's node configuration, at most 900 characters:
 * `latchkey-threshold/1;epoch=E;threshold=T;key=K;1=P;2=P;…`, where points are in base64url without padding.
 */
export function encodeGroupParameters({ epoch, threshold, groupPublicKey, nodes }: GroupParameters): string {
  const shares = nodes.map(({ identifier, publicShare }) => `${identifier}=${toBase64Url(publicShare)}`);
  return [
    PREFIX,
    `epoch=${epoch}`,
    `threshold=${threshold}`,
    `key=${toBase64Url(groupPublicKey)}`,
    ...shares,
  ].join(';');
}

/** Returns the parameters of a canonical text that satisfy `checkGroupParameters`. Throws a RangeError for every other text. */
export function decodeGroupParameters(text: string): GroupParameters {
  const [, epoch, threshold, key = '', nodes = ''] = FORMAT.exec(text) ?? [];
  if (epoch === undefined) throw new RangeError('malformed group parameters');
  const parameters: GroupParameters = {
    version: 1,
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
  };
  checkGroupParameters(parameters);
  if (encodeGroupParameters(parameters) !== text)
    throw new RangeError('the group parameters are not canonical');
  return parameters;
}

/**
 * Throws a RangeError unless all values are in their ranges, and the public shares are on one polynomial of degree
 * threshold − 1 whose constant term is the group public key.
 */
export function checkGroupParameters({ epoch, threshold, groupPublicKey, nodes }: GroupParameters): void {
  checkEpoch(epoch);
  const identifiers = nodes.map(({ identifier }) => identifier);
  checkIdentifiers(identifiers);
  checkThreshold(threshold, nodes.length);
  const key = pointOf('group public key', groupPublicKey);
  const shares = nodes.map(({ identifier, publicShare }) =>
    pointOf(`public share of node ${identifier}`, publicShare),
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
      throw new RangeError(`the public share of node ${x} contradicts those of ${base}`);
    }
    if (i > 0 && i === threshold - 1 && at(x, i).equals(share)) {
      throw new RangeError(`fewer than ${threshold} shares give the key`);
    }
  }
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
  return bytes32(node.publicShare);
}

function pointOf(name: string, hex: string): Point {
  try {
    return decodePoint(bytes32(hex));
  } catch (cause) {
    throw new RangeError(`malformed ${name}`, { cause });
  }
}

function toBase64Url(hex: string): string {
  const base64 = btoa(String.fromCharCode(...bytes32(hex)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return bytesToHex(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
