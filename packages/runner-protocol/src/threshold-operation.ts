/** The key functions of a run whose keys no process ever has. */
import { MAX_SIGNED_BYTES } from '@latchkey/key-protocol/request';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { checked } from './checked.ts';
import type { KeyOperation } from './messages.ts';
import { pkpId } from './pkp-id.ts';

/** Keys of a wallet besides its secp256k1 key. `taproot` is the output key of BIP 86 of the `bip340` key. */
const keyType = z.enum(['ed25519', 'bip340', 'taproot'], 'is not ed25519, bip340 or taproot');
type KeyType = z.infer<typeof keyType>;

export type ThresholdKeys = {
  /** Returns the signature of the message by the wallet's key of this type, 64 bytes. */
  sign(request: { pkpId: Address; keyType: KeyType; message: Hex }): Promise<Hex>;
  /** Returns the public key that `sign` signs with: 32 bytes. */
  getPublicKey(request: { pkpId: Address; keyType: KeyType }): Promise<Hex>;
};
export type ThresholdOperation = keyof ThresholdKeys;

const bytes = z.string('is not a string').transform((text, context): Hex => {
  if (/^0x([0-9a-fA-F]{2})*$/.test(text) && text.length <= 2 + 2 * MAX_SIGNED_BYTES) return text as Hex;
  context.addIssue(`is not hex: send 0x and the bytes of the message, at most ${MAX_SIGNED_BYTES}`);
  return z.NEVER;
});
const withKeyType = z.object({ pkpId, keyType });
const toSign = z.object({ pkpId, keyType, message: bytes });

export const isThresholdOperation = (operation: KeyOperation): operation is ThresholdOperation =>
  operation === 'sign' || operation === 'getPublicKey';

/** Calls one of the functions with an action's arguments. */
export const callThresholdOperation = async (
  keys: ThresholdKeys,
  operation: ThresholdOperation,
  args: unknown,
): Promise<string> =>
  operation === 'sign' ? keys.sign(checked(toSign, args)) : keys.getPublicKey(checked(withKeyType, args));
