/**
 * Quotes of enclaves. A quote is for one purpose, one identity and one nonce, so that a runner's quote does not serve a node, and an
 * old quote does not serve again.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { encode, hex } from './encoding.ts';
import { type Identity, isSignedBy } from './identity.ts';

/** The input of the verifier, of bounded size. */
export const evidence = z.strictObject({
  quote: z
    .string()
    .regex(/^([0-9a-f]{2})+$/)
    .max(32_768),
  event_log: z.string().max(262_144),
  /** JSON of the virtual machine's configuration. */
  vm_config: z.string().max(16_384),
});
export type Evidence = z.infer<typeof evidence>;

type AttestedPurpose = 'key-node' | 'runner';
/** `nonce`: 32 bytes in hexadecimal that the verifier has never seen in a quote. */
export type QuoteSubject = { purpose: AttestedPurpose; identity: string; nonce: string };

/** Returns the 32 bytes that a quote must be for, in hexadecimal. */
export const reportData = ({ purpose, identity, nonce }: QuoteSubject): string =>
  createHash('sha256').update(encode('latchkey/attestation/v2', { purpose, identity, nonce })).digest('hex');

/** A runner's quote, as a relayer passes it to a key node. */
export const runnerAttestation = z.strictObject({
  /** Ed25519 public key of the runner. */
  runner: hex(32),
  /** Nonce of the key node. */
  nonce: hex(32),
  evidence,
  /** Public key. */
  relayer: hex(32),
  relayerSignature: hex(64),
});
export type RunnerAttestation = z.infer<typeof runnerAttestation>;
const unsignedAttestation = runnerAttestation.omit({ relayerSignature: true });

/** Signs for the relayer. A node asks its verifier for known relayers only. */
export function signRunnerAttestation(
  fields: Pick<RunnerAttestation, 'runner' | 'nonce' | 'evidence'>,
  relayer: Identity,
): RunnerAttestation {
  const unsigned = { ...fields, relayer: relayer.publicKey };
  return { ...unsigned, relayerSignature: relayer.sign(attestationBytes(unsigned)) };
}

/** Returns true when one of these relayers signed the attestation. */
export const isRunnerAttestation = (
  { relayerSignature, ...unsigned }: RunnerAttestation,
  relayers: readonly string[],
): boolean =>
  relayers.includes(unsigned.relayer) &&
  isSignedBy(unsigned.relayer, attestationBytes(unsigned), relayerSignature);

const attestationBytes = (unsigned: Omit<RunnerAttestation, 'relayerSignature'>): Uint8Array =>
  encode('latchkey/runner-attestation/v1', unsignedAttestation.parse(unsigned));
