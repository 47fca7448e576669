// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// For assembly, which takes constants of a file only: the block of a window, and the second window.
uint256 constant SPARSE_BLOCK_SHIFT = 32;
uint256 constant SPARSE_BLOCK_MASK = 0x1ffff;
uint256 constant SPARSE_SECOND = 49;

/// @title LibSparseSetAssembly
/// @notice Arithmetic of LibSparseSet in assembly, because Solidity needs jumps for it, and a check does it for every word.
library LibSparseSetAssembly {
    /// @notice Twin of `firstBlock / 8 == word ? firstMembers << 32 * (firstBlock % 8) : 0`, or the same of the second window.
    /// @param set The word of a set.
    function inWindows(uint256 set, uint256 word) internal pure returns (uint256 bits) {
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            let slice := and(shr(SPARSE_BLOCK_SHIFT, set), SPARSE_BLOCK_MASK)
            let members := mul(and(set, 0xffffffff), eq(shr(3, slice), word))
            bits := shl(shl(5, and(slice, 7)), members)
            set := shr(SPARSE_SECOND, set)
            slice := and(shr(SPARSE_BLOCK_SHIFT, set), SPARSE_BLOCK_MASK)
            members := mul(and(set, 0xffffffff), eq(shr(3, slice), word))
            bits := or(bits, shl(shl(5, and(slice, 7)), members))
        }
    }

    /// @notice Twin of `firstBlock == value / 32 ? 1 << (value % 32) : secondBlock == value / 32 ? 1 << (49 + value % 32) : 0`.
    /// @param set The word of a set.
    function bitOf(uint256 set, uint256 value) internal pure returns (uint256 bit) {
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            let slice := shr(5, value)
            bit := shl(and(value, 31), eq(and(shr(SPARSE_BLOCK_SHIFT, set), SPARSE_BLOCK_MASK), slice))
            if iszero(bit) {
                let second := shr(SPARSE_SECOND, set)
                bit := eq(and(shr(SPARSE_BLOCK_SHIFT, second), SPARSE_BLOCK_MASK), slice)
                bit := shl(add(SPARSE_SECOND, and(value, 31)), bit)
            }
        }
    }
}
