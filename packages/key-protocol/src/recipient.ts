/** Encryption of partial evaluations to the run that asked. */
import { generateKeyPair, open, publicKeyHex, sealerFor } from './hpke.ts';
import { KeyRequestError } from './request.ts';

/** The key pair of one run or mint. */
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
        const sealedFor = { info: INFO, context: contextOf(id, identifier) };
        return await open(Buffer.from(sealed, 'base64'), keyPair, sealedFor);
      } catch (cause) {
        throw new KeyRequestError(`the answer of key node ${identifier} does not open`, { cause });
      }
    },
  };
}

/** Encrypts one partial evaluation. `id` names the statement, `identifier` the node that seals. Resolves to base64. */
export type PartialSealer = (partial: Uint8Array, id: string, identifier: number) => Promise<string>;

/** Prepares the encryption of one partial evaluation, which takes most of its time. Rejects with a KeyRequestError for a malformed key. */
export async function partialSealerFor(recipient: string): Promise<PartialSealer> {
  const seal = await sealerFor(recipient, INFO).catch((cause: unknown) => {
    throw new KeyRequestError('the recipient is not an X25519 key', { cause });
  });
  return async (partial, id, identifier) =>
    Buffer.from(await seal(partial, contextOf(id, identifier))).toString('base64');
}

const INFO = 'latchkey/key-release/v1';
/** Binds a ciphertext to one statement and one node. */
const contextOf = (id: string, identifier: number): string => `${id}/${identifier}`;
