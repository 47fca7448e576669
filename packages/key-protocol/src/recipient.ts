/** Encryption of partial evaluations to the run that asked: HPKE base mode (RFC 9180), X25519, HKDF-SHA256, AES-256-GCM. */
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { KeyRequestError } from './request.ts';

const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const INFO = new TextEncoder().encode('latchkey/key-release/v1');
/** The encapsulated key, which precedes the ciphertext. */
const ENCAPSULATED_BYTES = 32;

/** The key pair of one run or mint. Its private key cannot be read out, also not by this process. */
export type Recipient = {
  /** 32 bytes in hexadecimal. */
  publicKey: string;
  /** Returns what the node `identifier` sealed for the statement `id`. Rejects with a KeyRequestError for anything else. */
  open: (sealed: string, id: string, identifier: number) => Promise<Uint8Array>;
};

export async function createRecipient(): Promise<Recipient> {
  const { privateKey, publicKey } = await suite.kem.generateKeyPair();
  return {
    publicKey: Buffer.from(await suite.kem.serializePublicKey(publicKey)).toString('hex'),
    async open(sealed, id, identifier) {
      const bytes = Buffer.from(sealed, 'base64');
      const enc = bytes.subarray(0, ENCAPSULATED_BYTES);
      const context = { recipientKey: { privateKey, publicKey }, enc: copy(enc), info: INFO };
      try {
        const opened = await suite.open(
          context,
          copy(bytes.subarray(ENCAPSULATED_BYTES)),
          contextOf(id, identifier),
        );
        return new Uint8Array(opened);
      } catch (cause) {
        throw new KeyRequestError(`the answer of key node ${identifier} does not open`, { cause });
      }
    },
  };
}

/** Returns base64. `recipient`, `id` and `identifier` are those of the statement and of the node that seals. */
export async function sealPartial(
  partial: Uint8Array,
  { recipient, id }: { recipient: string; id: string },
  identifier: number,
): Promise<string> {
  const recipientPublicKey = await suite.kem.deserializePublicKey(copy(Buffer.from(recipient, 'hex')));
  const context = { recipientPublicKey, info: INFO };
  const { enc, ct } = await suite.seal(context, copy(partial), contextOf(id, identifier));
  return Buffer.concat([Buffer.from(enc), Buffer.from(ct)]).toString('base64');
}

/** Binds a ciphertext to one statement and one node. */
const contextOf = (id: string, identifier: number): ArrayBuffer => copy(Buffer.from(`${id}/${identifier}`));

const copy = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
