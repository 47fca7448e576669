/**
 * Shares of threshold signatures (FROST, RFC 9591). Nonces are made ahead for one runner, kept in memory only, and used once: two
 * signature shares with one nonce would reveal the node's share of the key.
 */
import { createHash } from 'node:crypto';
import { type KeyPurpose, KeyRequestUnavailableError } from '@latchkey/key-protocol';
import {
  type Commitment,
  createNonces,
  encodeGroupParameters,
  type Nonces,
  type SigningKey,
  type SigningSuite,
  signingKey,
  signShare,
  suiteOf,
} from '@latchkey/threshold';
import { LRUCache } from 'lru-cache';
import type { LoadedShare } from './shares.ts';

/** Maximum number of unused nonces per runner and suite, enough for 50 relayers. Further ones replace the oldest. */
const MAX_WAITING = 1_024;
/** Runners and suites with nonces. A runner in an enclave has a new identity after each start. */
const MAX_ASKERS = 2_000;
const LIFETIME_MS = 600_000;
const MAX_KNOWN_KEYS = 1_000;

type SignPurpose = Extract<KeyPurpose, { kind: 'sign' }>;
type NoncesPurpose = Extract<KeyPurpose, { kind: 'nonces' }>;

export type Signing = {
  /** Makes nonces for a runner. Returns their commitments and the parameters of the keys to sign with, as JSON. */
  issue: (loaded: LoadedShare, runner: string, purpose: NoncesPurpose, nowMs: number) => Uint8Array;
  /**
   * Returns the node's share of the signature by the wallet at this path. Uses up the nonces of its commitment. Throws a
   * KeyRequestUnavailableError, not a refusal, when it has no such nonces for this runner, or cannot use the other commitments,
   * which a lying node can send.
   */
  sign: (
    loaded: LoadedShare,
    runner: string,
    purpose: SignPurpose,
    path: bigint,
    nowMs: number,
  ) => Uint8Array;
};

type Waiting = { nonces: Nonces; epoch: number; expiresAtMs: number };

export function createSigning(): Signing {
  /** By runner and suite, then by commitment, oldest first. */
  const waiting = new LRUCache<string, Map<string, Waiting>>({ max: MAX_ASKERS, dispose: wipeAll });
  const waitingFor = (runner: string, suite: SigningSuite): Map<string, Waiting> => {
    const name = `${runner} ${suite}`;
    const known = waiting.get(name) ?? new Map<string, Waiting>();
    waiting.set(name, known);
    return known;
  };
  /** Public keys, kept because each takes a millisecond to derive. */
  const keys = new LRUCache<string, SigningKey>({ max: MAX_KNOWN_KEYS });
  const keyOf = (group: string, keyType: SignPurpose['keyType'], path: bigint): SigningKey => {
    const name = `${group} ${keyType} ${path}`;
    const key = keys.get(name) ?? signingKey(group, keyType, path);
    keys.set(name, key);
    return key;
  };
  return {
    issue({ signing }, runner, { suite, count }, nowMs) {
      const { share } = signing[suite];
      const own = waitingFor(runner, suite);
      const made = Array.from({ length: count }, () => createNonces(suite, share));
      for (const { nonces, commitment } of made)
        own.set(nameOf(commitment), { nonces, epoch: share.epoch, expiresAtMs: nowMs + LIFETIME_MS });
      for (const [name, { nonces, expiresAtMs }] of own) {
        if (own.size <= MAX_WAITING && expiresAtMs > nowMs) break;
        own.delete(name);
        wipe(nonces);
      }
      const parameters = [signing.ed25519, signing.secp256k1].map((key) =>
        encodeGroupParameters(key.parameters),
      );
      const commitments = made.map(({ commitment: { hiding, binding } }) => [hiding, binding]);
      return Buffer.from(JSON.stringify({ parameters, commitments }));
    },
    sign({ signing }, runner, { keyType, message, commitments }, path, nowMs) {
      const suite = suiteOf(keyType);
      const node = signing[suite];
      const { identifier, epoch } = node.share;
      const commitment = commitments.find((each) => each.identifier === identifier);
      if (!commitment) throw new KeyRequestUnavailableError('the request has no commitment of this node');
      const own = waitingFor(runner, suite);
      const taken = own.get(nameOf(commitment));
      // Before anything that can throw or wait, so that no second request finds them.
      own.delete(nameOf(commitment));
      if (!taken || taken.epoch !== epoch || taken.expiresAtMs <= nowMs) {
        if (taken) wipe(taken.nonces);
        throw new KeyRequestUnavailableError('this node has no such nonces: ask for new ones');
      }
      const key = keyOf(node.parameters.groupPublicKey, keyType, path);
      try {
        return signShare(key, node, taken.nonces, commitments, Buffer.from(message, 'base64'));
      } catch (cause) {
        throw new KeyRequestUnavailableError('the commitments are malformed', { cause });
      }
    },
  };
}

const nameOf = ({ hiding, binding }: Pick<Commitment, 'hiding' | 'binding'>): string =>
  `${hiding} ${binding}`;

function wipe({ hiding, binding }: Nonces): void {
  hiding.fill(0);
  binding.fill(0);
}

function wipeAll(own: Map<string, Waiting>): void {
  for (const { nonces } of own.values()) wipe(nonces);
}

/** Returns the purpose for the audit log, with the hash of the message: messages can be long and personal. */
export const audited = (purpose: KeyPurpose): object =>
  purpose.kind === 'sign'
    ? {
        ...purpose,
        message: createHash('sha256').update(purpose.message, 'base64').digest('hex'),
        commitments: purpose.commitments.map(({ identifier }) => identifier),
      }
    : purpose;
