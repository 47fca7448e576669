/** Encryption of partial evaluations to the run that asked. */
import { generateKeyPair, open, publicKeyHex, type SealedFor, seal } from './hpke.ts';
import { KeyRequestError } from './request.ts';

/** The key pair of one run or mint. Its private key cannot be read out, also not by this process. */
export type Recipient = {
  /** 32 bytes in hexadecimal. */
  publicKey: string;
  /** Returns what the node `identifier` sealed for the statement `id`. Rejects with a KeyRequestError for anything else. */
  open: (sealed: string, id: string, identifier: number) => Promise<Uint8Array>;
};

export async function createRecipient(): Promise<Recipient> {
  const keyPair = await generateKeyPair();
  return {
    publicKey: await publicKeyHex(keyPair),
    async open(sealed, id, identifier) {
      try {
        return await open(Buffer.from(sealed, 'base64'), keyPair, sealedFor(id, identifier));
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
  const sealed = await seal(partial, recipient, sealedFor(id, identifier));
  return Buffer.from(sealed).toString('base64');
}

/** Binds a ciphertext to one statement and one node. */
const sealedFor = (id: string, identifier: number): SealedFor => ({
  info: 'latchkey/key-release/v1',
  context: `${id}/${identifier}`,
});
