import { markPath } from '@latchkey/protocol';
import { type Address, toHex, zeroAddress } from 'viem';

const RANDOM_BYTES = 12;

/**
 * Returns a new derivation path: the 160 bits of the wallet that it is minted for, and 96 random bits of the seed (at least 12 bytes),
 * the first 32 of which say whether the new wallet is exportable. The contract registers the path only for accounts of that wallet, or for
 * managed accounts when it was minted for none.
 */
export function mintPath(seed: Uint8Array, mintedFor: Address = zeroAddress, exportable = true): bigint {
  const random = BigInt(toHex(seed.subarray(0, RANDOM_BYTES)));
  return markPath((BigInt(mintedFor) << BigInt(8 * RANDOM_BYTES)) | random, exportable);
}
