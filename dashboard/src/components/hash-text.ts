import { numberToHex } from 'viem';

/** A hash as people see it: 0x and 64 hex digits. */
export const hashText = (hash: bigint): string => numberToHex(hash, { size: 32 });
