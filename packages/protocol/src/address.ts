import { type Address, getAddress, isAddress } from 'viem';

/**
 * Returns the EIP-55 form of an address in lower case, in upper case, or in mixed case with the right checksum;
 * undefined for every other text.
 */
export function parseAddress(text: string): Address | undefined {
  if (!isAddress(text, { strict: false })) return undefined;
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return hasChecksum && !isAddress(text) ? undefined : getAddress(text);
}
