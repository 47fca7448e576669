/**
 * Derivation paths of wallets: 160 bits of the wallet that they were minted for, and 96 bits that are random, except that
 * wallets that are not exportable have a mark in the first 32 of them. The contract does not read the mark; key nodes and runners refuse
 * to export such a key. A path without the mark is another wallet.
 */
const MARK = 0x73_69_67_6en;
const MARK_SHIFT = 64n;

/** Returns whether actions can get the private key of the wallet at this path. */
export const isExportable = (path: bigint): boolean => ((path >> MARK_SHIFT) & 0xffff_ffffn) !== MARK;

/**
 * Returns the path with or without the mark. An exportable path that has the mark by chance gets a changed bit, so that both kinds stay
 * apart.
 */
export function markPath(path: bigint, exportable: boolean): bigint {
  if (exportable) return isExportable(path) ? path : path ^ (1n << MARK_SHIFT);
  return (path & ~(0xffff_ffffn << MARK_SHIFT)) | (MARK << MARK_SHIFT);
}
