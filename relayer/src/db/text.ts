/** Returns a hash as the tables store it: 0x and 64 hex digits. */
export const hashText = (hash: bigint): string => `0x${hash.toString(16).padStart(64, '0')}`;
