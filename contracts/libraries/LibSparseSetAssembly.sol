// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// For assembly, which takes constants of a file only.
uint256 constant SPARSE_WINDOW = 75;

/// @title LibSparseSetAssembly
/// @notice Arithmetic of LibSparseSet in assembly, because Solidity needs a jump for it.
library LibSparseSetAssembly {
    /// @notice Twin of `value >= first && value - first < SPARSE_WINDOW ? 1 << (value - first) : 0`.
    /// @param first The first number of a window, below 2²⁴.
    function windowBit(uint256 first, uint256 value) internal pure returns (uint256 bit) {
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            // A number below the start wraps around to one beyond the window.
            let offset := sub(value, first)
            bit := shl(offset, lt(offset, SPARSE_WINDOW))
        }
    }
}
