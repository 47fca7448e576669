import { type Address, toHex, zeroAddress } from 'viem';

const RANDOM_BYTES = 12;

/**
 * Returns a new derivation path: 160 bits of the wallet that it is minted for, and 96 random bits of the seed (12 bytes
 * at least). The contract registers the path only for that wallet, or for managed accounts when it was minted for none.
 */
export function mintPath(seed: Uint8Array, mintedFor: Address = zeroAddress): bigint {
  return (BigInt(mintedFor) << BigInt(8 * RANDOM_BYTES)) | BigInt(toHex(seed.subarray(0, RANDOM_BYTES)));
}
