/** Private keys and secrets come encrypted to a key pair of this process, so that no process in between has them. */

import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import type { Redaction } from './redaction.ts';

const { fromBase64 } = Uint8Array as unknown as { fromBase64: (text: string) => Uint8Array };
const { toHex } = Uint8Array.prototype as unknown as { toHex: (this: Uint8Array) => string };
const { apply } = Reflect;

const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
/** The same text as in `@latchkey/runner-protocol/key-operation`. */
const info = new TextEncoder().encode('latchkey/private-key/v1').buffer;
const ENCAPSULATED_BYTES = 32;

type Operation = 'getPrivateKey' | 'getActionPrivateKey' | 'getSecret';
type Call = (operation: Operation, args: unknown, added: Promise<{ recipient: string }>) => Promise<string>;

type SealedCall = (operation: Operation, args: unknown) => Promise<ArrayBuffer>;

/** Returns the function that calls a key function whose result is encrypted to this process. */
export const createSealedCall =
  (call: Call): SealedCall =>
  async (operation, args) => {
    const generating = suite.kem.generateKeyPair();
    const recipient = generating.then(async ({ publicKey }) => ({
      recipient: hexOf(await suite.kem.serializePublicKey(publicKey)),
    }));
    const sealed = fromBase64(await call(operation, args, recipient));
    const recipientKey = await generating;
    const enc = sealed.slice(0, ENCAPSULATED_BYTES);
    return suite.open({ recipientKey, enc, info }, sealed.slice(ENCAPSULATED_BYTES));
  };

/** Returns a private key as 0x and hex digits. */
export const privateKeyText = (key: ArrayBuffer): string => `0x${hexOf(key)}`;

const hexOf = (bytes: ArrayBuffer): string => apply(toHex, new Uint8Array(bytes), []);

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns the function `getSecret` of actions. It adds each value to what is redacted. */
export const createGetSecret =
  (sealedCall: ReturnType<typeof createSealedCall>, redaction: Pick<Redaction, 'add'>) =>
  async (
    name: unknown,
    { version, minVersion }: { version?: number; minVersion?: number } = {},
  ): Promise<string> => {
    const value = decoder.decode(await sealedCall('getSecret', { name, version, minVersion }));
    redaction.add(value);
    return value;
  };
