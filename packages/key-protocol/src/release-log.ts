/**
 * The log of what a key node released. The entries for one derivation path are numbered from 1 and linked by hashes, and the node
 * signs the head of a path for each question, so that no one can leave out or change an entry on its way to the owner.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { encode, hex } from './encoding.ts';
import { type Identity, isSignedBy } from './identity.ts';
import { KeyRequestError } from './request.ts';

/** `previous` of the first entry. */
export const NO_ENTRY = '00'.repeat(32);
const QUERY_LIFETIME_MS = 10_000;
const MAX_SKEW_MS = 10_000;
export const MAX_ENTRIES = 100;

/** uint256, without leading zeros. */
const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]{0,63})$/);

export const releaseEntry = z.strictObject({
  version: z.literal(1),
  /** From 1, per path. */
  sequence: z.int().positive(),
  /** SHA-256 of the text of the entry before. */
  previous: hex(32),
  /** Unix milliseconds, by the clock of the node. */
  time: z.int().positive(),
  /** Block of the decision. */
  block: z.int().nonnegative(),
  kind: z.string(),
  usageKeyHash: quantity.nullable(),
  cid: z.string().nullable(),
  wallet: z.string().nullable(),
  /** Id of the run, as runner and relayer say. */
  run: z.string().nullable(),
  /** Id of the statement: the same at every node. */
  statement: hex(16),
  runner: hex(32),
  relayer: hex(32),
});
export type ReleaseEntry = z.infer<typeof releaseEntry>;

export const hashOfEntry = (text: string): string => createHash('sha256').update(text).digest('hex');

const releaseHead = z.strictObject({
  version: z.literal(1),
  /** Identity of the node. */
  node: hex(32),
  path: quantity,
  /** Of the question. */
  nonce: hex(16),
  /** Unix milliseconds. */
  time: z.int().positive(),
  /** Sequence and hash of the newest entry; 0 and zeros without one. */
  sequence: z.int().nonnegative(),
  hash: hex(32),
  /** Sequence of the oldest entry that the node keeps. */
  first: z.int().positive(),
});
export type ReleaseHead = z.infer<typeof releaseHead>;

/** Returns the text of a head, and the signature of its bytes after the label and a zero byte. */
export function signHead(head: ReleaseHead, node: Identity): { head: string; signature: string } {
  const value = releaseHead.parse(head);
  return { head: JSON.stringify(value), signature: node.sign(encode('latchkey/release-head/v1', value)) };
}

const releaseQuery = z.strictObject({
  version: z.literal(1),
  path: quantity,
  /** Random, chosen by the verifier of the answer. */
  nonce: hex(16),
  /** Only entries before this sequence. */
  before: z.int().positive().nullable(),
  limit: z.int().min(1).max(MAX_ENTRIES),
  /** Unix milliseconds. */
  expiresAt: z.int().positive(),
});
export type ReleaseQuery = z.infer<typeof releaseQuery>;

export const signedReleaseQuery = z.strictObject({
  query: releaseQuery,
  relayer: hex(32),
  signature: hex(64),
});
export type SignedReleaseQuery = z.infer<typeof signedReleaseQuery>;

export function signReleaseQuery(
  of: Omit<ReleaseQuery, 'version' | 'expiresAt'>,
  relayer: Identity,
  nowMs: number,
): SignedReleaseQuery {
  const query = releaseQuery.parse({ version: 1, ...of, expiresAt: nowMs + QUERY_LIFETIME_MS });
  return { query, relayer: relayer.publicKey, signature: relayer.sign(queryBytes(query)) };
}

/** Throws a KeyRequestError unless one of these relayers has signed the query and it is valid now. */
export function verifyReleaseQuery(
  { query, relayer, signature }: SignedReleaseQuery,
  { relayers, nowMs }: { relayers: readonly string[]; nowMs: number },
): void {
  if (!relayers.includes(relayer)) throw new KeyRequestError('unknown relayer');
  if (!isSignedBy(relayer, queryBytes(query), signature))
    throw new KeyRequestError('the signature of the relayer does not hold');
  const leftMs = query.expiresAt - nowMs;
  if (leftMs <= -MAX_SKEW_MS || leftMs > QUERY_LIFETIME_MS + MAX_SKEW_MS)
    throw new KeyRequestError('the query has expired: compare the clocks');
}

const queryBytes = (query: ReleaseQuery): Uint8Array =>
  encode('latchkey/release-query/v1', releaseQuery.parse(query));
