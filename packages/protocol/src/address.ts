import { type Address, getAddress, isAddress } from 'viem';

/**
 * The EIP-55 form of an address whose digits are all lower case, all upper case, or mixed with the right checksum. Undefined
 * for every other text.
 */
export function parseAddress(text: string): Address | undefined {
  if (!isAddress(text, { strict: false })) return undefined;
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return hasChecksum && !isAddress(text) ? undefined : getAddress(text);
}
