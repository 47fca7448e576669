// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// For loops in assembly, which takes literals only: the size of the window, how `start` is taken out of the word, and where
// it stands there.
uint256 constant SPARSE_WINDOW = 75;
uint256 constant SPARSE_START_SHIFT = 70;
uint256 constant SPARSE_START_MASK = 0xffffe0;
uint256 constant SPARSE_START_FIELD = 0x3ffff8000000000000000000;

/// @title LibSparseSet
/// @notice A set of numbers below 2²⁴ of which most stand in 102 bits of a word: window 75 | start / 32 19 | outside 8.
///
/// The window holds 75 consecutive numbers from its start, which the first number that does not lie near zero sets. Numbers
/// elsewhere stand in words of 256 that the owner of the set keeps; bit `w % 8` of `outside` says that word `w` may hold
/// something. A number that the window covers never stands outside: the window moves only while nothing does.
/// So the first member costs the same wherever it lies, and a set of neighbours needs no second slot.
///
/// Every function takes the word with the set at bit 0 and anything above it.
library LibSparseSet {
    uint256 private constant WINDOW_MASK = (1 << 75) - 1;
    uint256 private constant OUTSIDE_SHIFT = 94;
    uint256 private constant OUTSIDE_MASK = uint256(0xff) << 94;

    /// @return The first number of the window.
    function start(uint256 set) internal pure returns (uint256) {
        return (set >> SPARSE_START_SHIFT) & SPARSE_START_MASK;
    }

    /// @return The members in the window; bit 0 is its start.
    function windowBits(uint256 set) internal pure returns (uint256) {
        return set & WINDOW_MASK;
    }

    /// @return The members in the window among the numbers [256 · word, 256 · word + 255].
    function window(uint256 set, uint256 word) internal pure returns (uint256) {
        uint256 first = start(set);
        uint256 base = word << 8;
        uint256 bits = windowBits(set);
        // Unchecked: subtracts the smaller. A shift by 256 or more gives 0.
        unchecked {
            return first < base ? bits >> (base - first) : bits << (first - base);
        }
    }

    /// @return May the word of 256 outside hold a member?
    function mayHoldOutside(uint256 set, uint256 word) internal pure returns (bool) {
        return (set >> (OUTSIDE_SHIFT + (word & 7))) & 1 != 0;
    }

    /// @return Does anything stand outside of the window?
    function isSpread(uint256 set) internal pure returns (bool) {
        return set & OUTSIDE_MASK != 0;
    }

    /// @return bit Its bit in the window, 0 for a number that the window does not cover.
    function windowBit(uint256 set, uint256 value) internal pure returns (uint256 bit) {
        uint256 first = start(set);
        // memory-safe: arithmetic only, without a jump. A number below the start wraps around to one beyond the window.
        assembly ("memory-safe") {
            let offset := sub(value, first)
            bit := shl(offset, lt(offset, SPARSE_WINDOW))
        }
    }

    /// @notice Puts a number into the window, which moves there if the set is empty; or marks its word outside, where the
    /// caller sets its bit.
    /// @return change What to XOR the word with; 0 for a number that is in the set or may be so outside.
    /// @return outside Does the number belong outside?
    function add(uint256 set, uint256 value) internal pure returns (uint256 change, bool outside) {
        uint256 bit = windowBit(set, value);
        if (bit != 0) return (bit & ~set, false);
        if (set & (WINDOW_MASK | OUTSIDE_MASK) == 0) {
            return ((set & SPARSE_START_FIELD) ^ ((value >> 5) << SPARSE_WINDOW) ^ (1 << (value & 31)), false);
        }
        return ((1 << (OUTSIDE_SHIFT + ((value >> 8) & 7))) & ~set, true);
    }
}
