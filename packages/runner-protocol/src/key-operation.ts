/** The key functions of a run. */
import { seal } from '@latchkey/key-protocol/hpke';
import type { SecretVersion } from '@latchkey/protocol';
import { type Address, type Hex, hexToBytes } from 'viem';
import { z } from 'zod';
import { checked } from './checked.ts';
import { ActionError } from './errors.ts';
import type { KeyOperation } from './messages.ts';
import { pkpId } from './pkp-id.ts';
import {
  asIs,
  hashOfMessage,
  hashOfTransaction,
  hashOfTypedData,
  signingRequests,
  type ToSign,
} from './signing.ts';
import type { ThresholdOperation } from './threshold-operation.ts';

/**
 * The key functions of one run, named as in the action's environment. Errors meant for the action are `ActionError`s.
 */
export type RunKeys = {
  getPrivateKey(request: { pkpId: Address }): Promise<Hex>;
  /** Returns 65 bytes for each hash: r, s of the lower half, and v of 27 or 28. */
  signHashes(request: { pkpId: Address; hashes: Hex[] }): Promise<Hex[]>;
  /** Returns hex without 0x of `nonce(12) | AES-256-GCM ciphertext | tag(16)`. */
  Encrypt(request: { pkpId: Address; message: string }): Promise<string>;
  /** Accepts the text that `Encrypt` returned, with or without 0x. */
  Decrypt(request: { pkpId: Address; ciphertext: string }): Promise<string>;
  /** Returns the UTF-8 bytes of a secret. `ciphertext` is base64. */
  getSecret(request: EncryptedSecret): Promise<Uint8Array>;
  getActionPrivateKey(): Promise<Hex>;
  /** Compressed public key of any action; with key nodes, of any action that has run. */
  getActionPublicKey(request: { ipfsId: string }): Promise<Hex>;
  getActionWalletAddress(request: { ipfsId: string }): Promise<Address>;
};

/** A secret as the relayer has it, encrypted to the wallet `pkpId`. */
export type EncryptedSecret = SecretVersion & { pkpId: Address; ciphertext: string };

const ipfsId = z.string().regex(/^[A-Za-z0-9]{1,128}$/, 'is not a CID');
/** X25519 public key that the process of the action made for a private key. */
const recipient = z.string().regex(/^[0-9a-f]{64}$/, 'is not an X25519 key');
const withRecipient = z.object({ recipient });
const withWallet = z.object({ pkpId, recipient });
const withMessage = z.object({ pkpId, message: z.string('is not a string') });
const withCiphertext = z.object({ pkpId, ciphertext: z.string('is not a string') });
const withSecret = z.object({
  name: z.string(),
  version: z.int(),
  pkpId,
  ciphertext: z.base64(),
  recipient,
});
const withCid = z.object({ ipfsId });

/**
 * Calls one of the key functions with an action's arguments. A private key or secret is encrypted to the process of the action, so that no process
 * in between has it.
 */
export const callKeyOperation = async (
  keys: RunKeys,
  operation: Exclude<KeyOperation, ThresholdOperation>,
  args: unknown,
): Promise<string> => {
  const signAll = async (pkpId: Address, all: ToSign[]): Promise<Hex[]> => {
    const signatures = await keys.signHashes({ pkpId, hashes: all.map(({ hash }) => hash) });
    return all.map(({ finish }, i) => finish(signatures[i] as Hex));
  };
  const sign = async (pkpId: Address, one: ToSign): Promise<string> =>
    (await signAll(pkpId, [one]))[0] as Hex;
  switch (operation) {
    case 'getPrivateKey': {
      const request = checked(withWallet, args);
      return sealed(hexToBytes(await keys.getPrivateKey(request)), request.recipient);
    }
    case 'signMessage': {
      const request = checked(signingRequests.signMessage, args);
      return sign(request.pkpId, hashOfMessage(request));
    }
    case 'signTypedData': {
      const request = checked(signingRequests.signTypedData, args);
      return sign(request.pkpId, hashOfTypedData(request));
    }
    case 'signTransaction': {
      const request = checked(signingRequests.signTransaction, args);
      return sign(request.pkpId, hashOfTransaction(request));
    }
    case 'signHash': {
      const { pkpId, hash } = checked(signingRequests.signHash, args);
      return sign(pkpId, { hash: hash as Hex, finish: asIs });
    }
    case 'sendTransaction': {
      const { pkpId, transactions } = checked(signingRequests.sendTransaction, args);
      const all = transactions.map((transaction) => hashOfTransaction({ transaction }));
      return JSON.stringify(await signAll(pkpId, all));
    }
    case 'Encrypt':
      return keys.Encrypt(checked(withMessage, args));
    case 'Decrypt':
      return keys.Decrypt(checked(withCiphertext, args));
    case 'getSecret': {
      const request = checked(withSecret, args);
      return sealed(await keys.getSecret(request), request.recipient);
    }
    case 'getActionPrivateKey': {
      const request = checked(withRecipient, args);
      return sealed(hexToBytes(await keys.getActionPrivateKey()), request.recipient);
    }
    case 'getActionPublicKey':
      return keys.getActionPublicKey(checked(withCid, args));
    case 'getActionWalletAddress':
      return keys.getActionWalletAddress(checked(withCid, args));
  }
};

/** Names the use and the message of a private key or secret that is encrypted to the process of an action. */
const SEALED_FOR = { info: 'latchkey/private-key/v1', context: '' };
const sealed = async (bytes: Uint8Array, to: string): Promise<string> =>
  Buffer.from(await seal(bytes, to, SEALED_FOR)).toString('base64');

/** @param subject - The wallet. */
export const notExportable = (subject: string): ActionError =>
  new ActionError(
    'WalletNotExportableError',
    `${subject} is not exportable: call signMessage, signTypedData, signTransaction or signHash instead of getPrivateKey`,
  );
