import { type Address, getAddress, isAddress } from 'viem';
import { z } from 'zod';

/** Accepts any case; mixed case must match the EIP-55 checksum. Returns the checksum form. */
export const pkpId = z.string('is not a string').transform((text, context): Address => {
  const hex = text.slice(2);
  const mixedCase = hex !== hex.toLowerCase() && hex !== hex.toUpperCase();
  if (isAddress(text, { strict: mixedCase })) return getAddress(`0x${hex.toLowerCase()}`);
  context.addIssue('is not an address: send 0x and 40 hex digits, in one case or with the EIP-55 checksum');
  return z.NEVER;
});
