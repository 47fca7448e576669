/** The key functions of a run. */
import { type Address, getAddress, type Hex, isAddress } from 'viem';
import { z } from 'zod';
import { ActionError } from './errors.ts';
import type { KeyOperation } from './messages.ts';

/**
 * The key functions of one run, named as in the action's environment. Errors meant for the action are `ActionError`s.
 */
export type RunKeys = {
  getPrivateKey(request: { pkpId: Address }): Promise<Hex>;
  /** Returns hex without 0x of `nonce(12) | AES-256-GCM ciphertext | tag(16)`. */
  Encrypt(request: { pkpId: Address; message: string }): Promise<string>;
  /** Accepts the text that `Encrypt` returned, with or without 0x. */
  Decrypt(request: { pkpId: Address; ciphertext: string }): Promise<string>;
  getActionPrivateKey(): Promise<Hex>;
  /** Compressed public key of any action; with key nodes, of one that has run. */
  getActionPublicKey(request: { ipfsId: string }): Promise<Hex>;
  getActionWalletAddress(request: { ipfsId: string }): Promise<Address>;
};

/** Accepts any case; mixed case must match the EIP-55 checksum. Returns the checksum form. */
const pkpId = z.string('is not a string').transform((text, context): Address => {
  const hex = text.slice(2);
  const mixedCase = hex !== hex.toLowerCase() && hex !== hex.toUpperCase();
  if (isAddress(text, { strict: mixedCase })) return getAddress(`0x${hex.toLowerCase()}`);
  context.addIssue('is not an address: send 0x and 40 hex digits, in one case or with the EIP-55 checksum');
  return z.NEVER;
});
const ipfsId = z.string().regex(/^[A-Za-z0-9]{1,128}$/, 'is not a CID');
const withWallet = z.object({ pkpId });
const withMessage = z.object({ pkpId, message: z.string('is not a string') });
const withCiphertext = z.object({ pkpId, ciphertext: z.string('is not a string') });
const withCid = z.object({ ipfsId });

/** Calls one of the key functions with an action's arguments. */
export const callKeyOperation = (keys: RunKeys, operation: KeyOperation, args: unknown): Promise<string> => {
  switch (operation) {
    case 'getPrivateKey':
      return keys.getPrivateKey(checked(withWallet, args));
    case 'Encrypt':
      return keys.Encrypt(checked(withMessage, args));
    case 'Decrypt':
      return keys.Decrypt(checked(withCiphertext, args));
    case 'getActionPrivateKey':
      return keys.getActionPrivateKey();
    case 'getActionPublicKey':
      return keys.getActionPublicKey(checked(withCid, args));
    case 'getActionWalletAddress':
      return keys.getActionWalletAddress(checked(withCid, args));
  }
};

const checked = <T>(schema: z.ZodType<T>, args: unknown): T => {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ActionError('TypeError', `${issue?.path.join('.') || 'the argument'} ${issue?.message}`);
};
