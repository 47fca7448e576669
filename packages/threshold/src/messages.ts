/**
 * Messages of a dealing. Each begins with a header of 40 bytes: version (u8), setup hash (32), epoch (u32), round (u8),
 * sender (u8), receiver (u8, 0 for all). The body depends on the round, see `docs/keys.md`.
 */
import { concatBytes, equalBytes } from '@noble/curves/utils.js';
import { createReader, label, type Reader, u8, u32 } from './bytes.ts';
import { groups, type Point } from './group.ts';
import { type DealingSetup, firstDegree, setupHash } from './setup.ts';

/** The rounds in their order. Subshares go to one receiver each; all other messages go to all participants. */
export const rounds = [
  'commit hash',
  'commitments',
  'subshares',
  'complaints',
  'answers',
  'confirmation',
] as const;
export type Round = (typeof rounds)[number];

export type Header = { round: Round; sender: number /** 0 for all */; receiver: number };
/** `proof` is a signature of `proofMessage` by the secret of the first point: a point and 32 bytes. */
export type Commitments = { points: Point[]; proof: Uint8Array };
/** SECRET. The dealer's polynomial at each receiver. */
export type Answer = { receiver: number; subshare: bigint };

const VERSION = 1;
const HEADER_BYTES = 40;

/** Returns whether dealers send in this round; otherwise receivers do. */
export const isOfDealers = (round: Round): boolean => round !== 'complaints' && round !== 'confirmation';

export function encodeMessage(setup: DealingSetup, header: Header, body: Uint8Array): Uint8Array {
  const { round, sender, receiver } = header;
  return concatBytes(messagePrefix(setup), u8(rounds.indexOf(round)), u8(sender), u8(receiver), body);
}

/** Throws a RangeError when the message is not of this dealing. Does not look at the body. */
export function decodeHeader(setup: DealingSetup, message: Uint8Array): Header {
  const reader = createReader(message);
  const prefix = messagePrefix(setup);
  if (!equalBytes(reader.take(prefix.length), prefix))
    throw new RangeError('of another dealing, epoch or version');
  const round = rounds[reader.integer(1)];
  if (!round) throw new RangeError('of an unknown round');
  return { round, sender: reader.integer(1), receiver: reader.integer(1) };
}

const messagePrefix = (setup: DealingSetup): Uint8Array =>
  concatBytes(u8(VERSION), setupHash(setup), u32(setup.epoch));

/** Reads the body of a message with `read`. Throws when bytes are left. */
function decodeBody<T>(message: Uint8Array, read: (reader: Reader) => T): T {
  const reader = createReader(message.subarray(HEADER_BYTES));
  const body = read(reader);
  reader.end();
  return body;
}

/** Body of `commit hash` and `confirmation`. */
export const decodeHash = (message: Uint8Array): Uint8Array =>
  decodeBody(message, (reader) => reader.take(32));

/** Returns the bytes that the dealer signs with the secret of the first of its points. */
export function proofMessage(setup: DealingSetup, dealer: number, points: Point[]): Uint8Array {
  const encoded = points.map((point) => point.toBytes());
  return concatBytes(label('latchkey/threshold/proof/v1'), setupHash(setup), u8(dealer), ...encoded);
}

export const encodeCommitments = ({ points, proof }: Commitments): Uint8Array =>
  concatBytes(...points.map((point) => point.toBytes()), proof);

/** Throws when a point is malformed or the identity. */
export function decodeCommitments(setup: DealingSetup, message: Uint8Array): Commitments {
  const count = setup.threshold - firstDegree(setup);
  const { decodePoint, pointBytes } = groups[setup.suite];
  return decodeBody(message, (reader) => ({
    points: Array.from({ length: count }, () => decodePoint(reader.take(pointBytes))),
    proof: reader.take(pointBytes + 32),
  }));
}

export const decodeSubshare = ({ suite }: DealingSetup, message: Uint8Array): bigint =>
  decodeBody(message, (reader) => groups[suite].decodeScalar(reader.take(32)));

/** Body of `complaints`: the dealers whose subshare is missing or wrong, ascending. */
export const encodeComplaints = (dealers: number[]): Uint8Array => Uint8Array.of(dealers.length, ...dealers);

/** Throws a RangeError unless these are ascending identifiers of dealers. */
export function decodeComplaints(setup: DealingSetup, message: Uint8Array): number[] {
  const dealers = decodeBody(message, (reader) => [...reader.take(reader.integer(1))]);
  const isValid = dealers.every(
    (dealer, i) => dealer > (dealers[i - 1] ?? 0) && setup.dealers.includes(dealer),
  );
  if (!isValid) throw new RangeError('malformed complaints');
  return dealers;
}

/** Body of `answers`: the disputed subshares, ascending by receiver. */
export function encodeAnswers({ suite }: DealingSetup, answers: Answer[]): Uint8Array {
  const { encodeScalar } = groups[suite];
  const encoded = answers.map(({ receiver, subshare }) => concatBytes(u8(receiver), encodeScalar(subshare)));
  return concatBytes(u8(answers.length), ...encoded);
}

/** Throws when a subshare is malformed. */
export function decodeAnswers({ suite }: DealingSetup, message: Uint8Array): Answer[] {
  const { decodeScalar } = groups[suite];
  return decodeBody(message, (reader) =>
    Array.from({ length: reader.integer(1) }, () => ({
      receiver: reader.integer(1),
      subshare: decodeScalar(reader.take(32)),
    })),
  );
}
