import { type Address, keccak256 } from 'viem';

/** Returns the hash by which a wallet finds the account it administers: keccak256 of the 20 address bytes. */
export function walletIdentity(address: Address): bigint {
  return BigInt(keccak256(address));
}
