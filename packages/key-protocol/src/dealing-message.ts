/** Messages of a dealing between nodes, which the operator's command relays. It can neither change nor read a subshare. */
import { z } from 'zod';
import { encode, hex } from './encoding.ts';
import { deriveKeyPair, open, publicKeyHex, type SealedFor, seal } from './hpke.ts';
import { type Identity, isSignedBy } from './identity.ts';

/** A message has at most 1,024 bytes; HPKE adds 48. */
const MAX_PAYLOAD = 1_440;

export const dealingMessage = z.strictObject({
  /** Identity of the sender. */
  from: hex(32),
  /** 0 for all participants. */
  receiver: z.int().min(0).max(255),
  /** Base64 of the message, which is encrypted when it has a single receiver. */
  payload: z.base64().max(MAX_PAYLOAD),
  /** Of session, receiver and payload. */
  signature: hex(64),
});
export type DealingMessage = z.infer<typeof dealingMessage>;

export function signDealingMessage(
  session: string,
  { receiver, payload }: Pick<DealingMessage, 'receiver' | 'payload'>,
  identity: Identity,
): DealingMessage {
  const signature = identity.sign(messageBytes(session, receiver, payload));
  return { from: identity.publicKey, receiver, payload, signature };
}

/** Returns whether its sender has signed the message for this session. */
export const isDealingMessage = (
  session: string,
  { from, receiver, payload, signature }: DealingMessage,
): boolean => isSignedBy(from, messageBytes(session, receiver, payload), signature);

const messageBytes = (session: string, receiver: number, payload: string): Uint8Array =>
  encode('latchkey/dealing-message/v1', { session, receiver, payload });

/** A dealer, by its identity, and the receiver of its subshare. */
type Route = { session: string; from: string; receiver: number };

/** Returns base64 of a subshare for the receiver with this encryption key. */
export async function sealSubshare(message: Uint8Array, encryption: string, route: Route): Promise<string> {
  return Buffer.from(await seal(message, encryption, sealedFor(route))).toString('base64');
}

/** Rejects when the payload was not sealed for the key of this seed and this route. */
export async function openSubshare(payload: string, seed: string, route: Route): Promise<Uint8Array> {
  const keyPair = await deriveKeyPair(Buffer.from(seed, 'hex'));
  return open(Buffer.from(payload, 'base64'), keyPair, sealedFor(route));
}

/** Returns the encryption key of a seed, 32 random bytes in hexadecimal. */
export const encryptionKeyOf = async (seed: string): Promise<string> =>
  publicKeyHex(await deriveKeyPair(Buffer.from(seed, 'hex')));

const sealedFor = ({ session, from, receiver }: Route): SealedFor => ({
  info: 'latchkey/dealing-subshare/v1',
  context: `${session}/${from}/${receiver}`,
});
