/**
 * Participants of a dealing: key generation, refresh or resharing. Every node makes a new encryption key for every dealing, and
 * deletes it with the subshares: a node that is corrupt later cannot open recorded subshares, so a refresh
 * makes old shares useless.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { encode, hex } from './encoding.ts';
import { type Identity, isSignedBy } from './identity.ts';

/** The answer of a node that joins a dealing. */
export const invitation = z.strictObject({
  /** Ed25519 public key of the node. */
  identity: hex(32),
  /** X25519 public key for its subshares. */
  encryption: hex(32),
  /** Of both keys and the nonce of the dealing, by the identity. */
  signature: hex(64),
});
export type Invitation = z.infer<typeof invitation>;

const identifier = z.int().min(1).max(255).nullable();
export const participant = z.strictObject({
  /** Identifier in the previous group (in a generation, of the new one). */
  dealer: identifier,
  /** Identifier in the new group. */
  receiver: identifier,
  ...invitation.shape,
});
export type Participant = z.infer<typeof participant>;

type Keys = Pick<Invitation, 'identity' | 'encryption'>;

export function signInvitation(nonce: string, encryption: string, identity: Identity): Invitation {
  const keys = { identity: identity.publicKey, encryption };
  return { ...keys, signature: identity.sign(invitationBytes(nonce, keys)) };
}

/** Returns whether the node has joined the dealing with this nonce. */
export const isInvitation = (nonce: string, { identity, encryption, signature }: Invitation): boolean =>
  isSignedBy(identity, invitationBytes(nonce, { identity, encryption }), signature);

const invitationBytes = (nonce: string, { identity, encryption }: Keys): Uint8Array =>
  encode('latchkey/dealing-invitation/v1', { nonce, identity, encryption });

/**
 * Returns the session of a dealing: SHA-256 of 32 random bytes and of the keys of all participants. Every message of the
 * dealing contains it, so that all agree whose key belongs to which identifier.
 */
export function sessionOf(nonce: string, participants: readonly Participant[]): string {
  const bound = participants.map(({ dealer, receiver, identity, encryption }) => ({
    dealer,
    receiver,
    identity,
    encryption,
  }));
  return createHash('sha256')
    .update(encode('latchkey/dealing-session/v1', { nonce, participants: bound }))
    .digest('hex');
}
