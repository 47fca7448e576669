import { type Address, toHex, zeroAddress } from 'viem';

const RANDOM_BYTES = 12;

/**
 * A new derivation path: 160 bits of the wallet that it is minted for, 96 random bits of the seed (12 bytes at least). The
 * contract registers it for that wallet alone, and for managed accounts when it was minted for no wallet.
 */
export function mintPath(seed: Uint8Array, mintedFor: Address = zeroAddress): bigint {
  return (BigInt(mintedFor) << BigInt(8 * RANDOM_BYTES)) | BigInt(toHex(seed.subarray(0, RANDOM_BYTES)));
}
