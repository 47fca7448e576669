// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibSparseSetAssembly, SPARSE_WINDOW } from "./LibSparseSetAssembly.sol";

// For assembly, which takes constants of a file only: how `start` is taken out of the word, and its place there.
uint256 constant SPARSE_START_SHIFT = 70;
uint256 constant SPARSE_START_MASK = 0xffffe0;
uint256 constant SPARSE_START_FIELD = 0x3ffff8000000000000000000;

/// @notice A word with a set at bit 0 and anything above it, see LibSparseSet.
type SparseSet is uint256;

/// @title LibSparseSet
/// @notice A set of numbers below 2²⁴, most of them in 102 bits of a word: window 75 | start / 32 19 | outside 8.
///
/// The window holds 75 consecutive numbers from its start, which the first number that is not near zero sets. Other numbers
/// are in words of 256 that the owner of the set keeps. Bit `w % 8` of `outside` tells that word `w` may hold a number.
/// A number that the window covers is never outside, because the window moves only while nothing is outside.
/// So the first member costs the same at any position, and a set of neighbours needs no second slot.
library LibSparseSet {
    uint256 private constant WINDOW_MASK = (1 << 75) - 1;
    uint256 private constant OUTSIDE_SHIFT = 94;
    uint256 private constant OUTSIDE_MASK = uint256(0xff) << 94;

    /// @notice Returns the first number of the window.
    function start(SparseSet set) internal pure returns (uint256) {
        return (SparseSet.unwrap(set) >> SPARSE_START_SHIFT) & SPARSE_START_MASK;
    }

    /// @notice Returns the members in the window. Bit 0 is its start.
    function windowBits(SparseSet set) internal pure returns (uint256) {
        return SparseSet.unwrap(set) & WINDOW_MASK;
    }

    /// @notice Returns the members in the window among the numbers [256 · word, 256 · word + 255].
    function window(SparseSet set, uint256 word) internal pure returns (uint256) {
        uint256 first = start(set);
        uint256 base = word << 8;
        uint256 bits = windowBits(set);
        // Unchecked: subtracts the smaller number. A shift by 256 or more gives 0.
        unchecked {
            return first < base ? bits >> (base - first) : bits << (first - base);
        }
    }

    /// @notice True when the word of 256 outside may hold a member.
    function mayHoldOutside(SparseSet set, uint256 word) internal pure returns (bool) {
        return (SparseSet.unwrap(set) >> (OUTSIDE_SHIFT + (word & 7))) & 1 != 0;
    }

    /// @notice True when a member may be outside the window.
    function isSpread(SparseSet set) internal pure returns (bool) {
        return SparseSet.unwrap(set) & OUTSIDE_MASK != 0;
    }

    /// @notice Returns the bit of a number in the window, 0 for a number that the window does not cover.
    function windowBit(SparseSet set, uint256 value) internal pure returns (uint256) {
        return LibSparseSetAssembly.windowBit(start(set), value);
    }

    /// @notice Adds a number to the window, which moves to it when the set is empty. Otherwise marks the number's word
    /// outside, where the caller sets the bit.
    /// @return change The XOR mask of the word. 0 when the number is in the set, or may be in it outside.
    /// @return outside True when the number belongs outside.
    function add(SparseSet set, uint256 value) internal pure returns (uint256 change, bool outside) {
        uint256 word = SparseSet.unwrap(set);
        uint256 bit = windowBit(set, value);
        if (bit != 0) return (bit & ~word, false);
        if (word & (WINDOW_MASK | OUTSIDE_MASK) == 0) {
            return
                ((word & SPARSE_START_FIELD) ^ ((value >> 5) << SPARSE_WINDOW) ^ (1 << (value & 31)), false);
        }
        return ((1 << (OUTSIDE_SHIFT + ((value >> 8) & 7))) & ~word, true);
    }
}
