// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Sets of numbers as bits in words of 256.
library Bits {
    /// @notice Returns the number of the word that has the bit of `number`.
    function wordOf(uint256 number) internal pure returns (uint256) {
        return number >> 8;
    }

    /// @notice Returns the bit of `number` in its word.
    function bitOf(uint256 number) internal pure returns (uint256) {
        return 1 << (number & 255);
    }

    /// @notice True when the word of `number` has its bit.
    function has(uint256 word, uint256 number) internal pure returns (bool) {
        return (word >> (number & 255)) & 1 != 0;
    }

    /// @notice Returns the bits from `number` on, which becomes bit 0.
    function from(uint256 word, uint256 number) internal pure returns (uint256) {
        return word >> number;
    }
}
