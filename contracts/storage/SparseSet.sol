// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibBit } from "solady/utils/LibBit.sol";

// For assembly, which takes constants of a file only: the block of a window, and the second window.
uint256 constant SPARSE_BLOCK_SHIFT = 32;
uint256 constant SPARSE_BLOCK_MASK = 0x1ffff;
uint256 constant SPARSE_SECOND = 49;

/// @notice A word with a set at bit 0 and anything above it.
///
/// A set of numbers below 2²², most of them in 102 bits of a word: members 32 | block 17 | members 32 | block 17 | outside 4.
///
/// A window holds the members of one block of 32 numbers. A window without members moves to the block of the next number that
/// no window covers. Numbers that find no window are outside, in words of 256 that the owner of the set keeps. Bit `w % 4` of
/// `outside` tells that word `w` may hold a number. A number that a window covers is never outside, because no window moves
/// to a word that may hold numbers outside.
/// So the first members of two blocks cost the same at any position.
type SparseSet is uint256;

using SparseSets for SparseSet global;

library SparseSets {
    uint256 private constant MEMBERS_MASK = type(uint32).max;
    uint256 private constant OUTSIDE_SHIFT = 98;
    uint256 private constant OUTSIDE_MASK = uint256(15) << OUTSIDE_SHIFT;

    /// The bits of the blocks, which stay when the members are removed.
    uint256 internal constant BLOCKS = (SPARSE_BLOCK_MASK << SPARSE_BLOCK_SHIFT)
        | (SPARSE_BLOCK_MASK << (SPARSE_SECOND + SPARSE_BLOCK_SHIFT));

    /// @param second False for the first window.
    /// @return first The first number of the window.
    /// @return members The members in it. Bit 0 is the first number.
    function window(SparseSet set, bool second) internal pure returns (uint256 first, uint256 members) {
        uint256 word = SparseSet.unwrap(set) >> (second ? SPARSE_SECOND : 0);
        first = ((word >> SPARSE_BLOCK_SHIFT) & SPARSE_BLOCK_MASK) << 5;
        members = word & MEMBERS_MASK;
    }

    /// @notice Returns the number of members in the windows of two sets.
    function countInWindows(SparseSet set, SparseSet other) internal pure returns (uint256) {
        return LibBit.popCount(_inBoth(set) | (_inBoth(other) << 64));
    }

    /// @notice Returns the members of both windows, in 64 bits.
    function _inBoth(SparseSet set) private pure returns (uint256) {
        uint256 word = SparseSet.unwrap(set);
        return (word & MEMBERS_MASK) | (((word >> SPARSE_SECOND) & MEMBERS_MASK) << 32);
    }

    /// @notice Returns the members in the windows among the numbers [256 · word, 256 · word + 255].
    function inWindows(SparseSet set, uint256 word) internal pure returns (uint256 bits) {
        uint256 windows = SparseSet.unwrap(set);
        uint256 block_ = (windows >> SPARSE_BLOCK_SHIFT) & SPARSE_BLOCK_MASK;
        if (block_ >> 3 == word) bits = (windows & MEMBERS_MASK) << ((block_ & 7) << 5);
        windows >>= SPARSE_SECOND;
        block_ = (windows >> SPARSE_BLOCK_SHIFT) & SPARSE_BLOCK_MASK;
        if (block_ >> 3 == word) bits |= (windows & MEMBERS_MASK) << ((block_ & 7) << 5);
    }

    /// @notice True when the word of 256 outside may hold a member.
    function mayHoldOutside(SparseSet set, uint256 word) internal pure returns (bool) {
        return (SparseSet.unwrap(set) >> (OUTSIDE_SHIFT + (word & 3))) & 1 != 0;
    }

    /// @notice True when a member of one of two sets may be in a word.
    function mayHold(SparseSet set, SparseSet other, uint256 word) internal pure returns (bool) {
        SparseSet either = SparseSet.wrap(SparseSet.unwrap(set) | SparseSet.unwrap(other));
        return mayHoldOutside(either, word) || inWindows(set, word) | inWindows(other, word) != 0;
    }

    /// @notice True when a member may be outside the windows.
    function isSpread(SparseSet set) internal pure returns (bool) {
        return SparseSet.unwrap(set) & OUTSIDE_MASK != 0;
    }

    /// @notice Returns the bit of a number in the word of the set, 0 for a number that no window covers.
    function bitOf(SparseSet set, uint256 value) internal pure returns (uint256) {
        uint256 word = SparseSet.unwrap(set) >> SPARSE_BLOCK_SHIFT;
        if (word & SPARSE_BLOCK_MASK == value >> 5) return 1 << (value & 31);
        word >>= SPARSE_SECOND;
        return word & SPARSE_BLOCK_MASK == value >> 5 ? 1 << (SPARSE_SECOND + (value & 31)) : 0;
    }

    /// @notice True when the set has the number in a window.
    function hasInWindows(SparseSet set, uint256 value) internal pure returns (bool) {
        return SparseSet.unwrap(set) & bitOf(set, value) != 0;
    }

    /// @notice Adds a number to a window, which may move to it. Otherwise marks the number's word outside, where the caller
    /// sets the bit.
    /// @return change The XOR mask of the word. 0 when the number is in the set, or may be in it outside.
    /// @return outside True when the number belongs outside.
    function add(SparseSet set, uint256 value) internal pure returns (uint256 change, bool outside) {
        uint256 word = SparseSet.unwrap(set);
        uint256 bit = bitOf(set, value);
        if (bit != 0) return (bit & ~word, false);
        if (!mayHoldOutside(set, value >> 8)) {
            if (word & MEMBERS_MASK == 0) return (_move(word, value), false);
            word >>= SPARSE_SECOND;
            if (word & MEMBERS_MASK == 0) return (_move(word, value) << SPARSE_SECOND, false);
        }
        return ((1 << (OUTSIDE_SHIFT + ((value >> 8) & 3))) & ~SparseSet.unwrap(set), true);
    }

    /// @return change The XOR mask that moves the window at bit 0 to a number, and adds the number.
    function _move(uint256 word, uint256 value) private pure returns (uint256 change) {
        uint256 blocks = ((word >> SPARSE_BLOCK_SHIFT) ^ (value >> 5)) & SPARSE_BLOCK_MASK;
        return (blocks << SPARSE_BLOCK_SHIFT) | (1 << (value & 31));
    }
}
