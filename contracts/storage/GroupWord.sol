// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { SparseSet, SparseSets } from "./SparseSet.sol";

// For assembly, which takes constants of a file only.
uint256 constant GROUP_KIND_SHIFT = 120;

/// @notice The members of a group, 0 for no group: actions: set 102 | first word outside 16 | every outside 1 | wallets: the
/// same at 120 | version 15 at 240 | alive 1 at 255.
///
/// "Every" (index 0) outside the windows has a bit of its own, so that a check reads one word for both. *First word outside*
/// is one more than the number of an OutsideWord, 0 for none.
type GroupWord is uint256;

using GroupWords for GroupWord global;

library GroupWords {
    GroupWord internal constant EMPTY = GroupWord.wrap(ALIVE);
    uint256 private constant ALIVE = 1 << 255;
    uint256 private constant VERSION_SHIFT = 240;
    uint256 private constant MAX_VERSION = (1 << 15) - 1;
    uint256 private constant FIRST_SHIFT = 102;
    uint256 private constant FIRST_MASK = (1 << 16) - 1;
    uint256 private constant EVERY = 1 << 118;
    /// The bits of a group's word that clearing it leaves.
    uint256 private constant CLEARED =
        ALIVE | (MAX_VERSION << VERSION_SHIFT) | SparseSets.BLOCKS | (SparseSets.BLOCKS << GROUP_KIND_SHIFT);
    uint256 private constant FIRSTS =
        (FIRST_MASK << FIRST_SHIFT) | (FIRST_MASK << (GROUP_KIND_SHIFT + FIRST_SHIFT));

    function exists(GroupWord group) internal pure returns (bool) {
        return GroupWord.unwrap(group) != 0;
    }

    /// @notice Returns the items of a kind that a group permits.
    function items(GroupWord group, uint256 kind) internal pure returns (SparseSet) {
        // Unchecked: a kind is 0 or 1.
        unchecked {
            return SparseSet.wrap(GroupWord.unwrap(group) >> (GROUP_KIND_SHIFT * kind));
        }
    }

    /// @notice Changes the bits of the set of a kind.
    function flip(GroupWord group, uint256 kind, uint256 change) internal pure returns (GroupWord) {
        return GroupWord.wrap(GroupWord.unwrap(group) ^ _place(change, kind));
    }

    /// @notice Adds a bit to the set of a kind.
    function with(GroupWord group, uint256 kind, uint256 bit) internal pure returns (GroupWord) {
        return GroupWord.wrap(GroupWord.unwrap(group) | _place(bit, kind));
    }

    /// @notice Removes a bit from the set of a kind.
    function without(GroupWord group, uint256 kind, uint256 bit) internal pure returns (GroupWord) {
        return GroupWord.wrap(GroupWord.unwrap(group) & ~_place(bit, kind));
    }

    /// @notice Returns bits of a set at the place of the set in a group's word.
    function _place(uint256 bits, uint256 kind) private pure returns (uint256) {
        // Unchecked: a kind is 0 or 1.
        unchecked {
            return bits << (GROUP_KIND_SHIFT * kind);
        }
    }

    /// @notice True when "every" is a member outside the windows.
    function hasEveryOutside(GroupWord group, uint256 kind) internal pure returns (bool) {
        return GroupWord.unwrap(group) & _place(EVERY, kind) != 0;
    }

    function withEveryOutside(GroupWord group, uint256 kind) internal pure returns (GroupWord) {
        return with(group, kind, EVERY);
    }

    function withoutEveryOutside(GroupWord group, uint256 kind) internal pure returns (GroupWord) {
        return without(group, kind, EVERY);
    }

    /// @notice Returns the place of the first word outside the windows, one more than its number, 0 for none.
    function firstOutside(GroupWord group, uint256 kind) internal pure returns (uint256) {
        return (GroupWord.unwrap(group) >> (GROUP_KIND_SHIFT * kind + FIRST_SHIFT)) & FIRST_MASK;
    }

    function withFirstOutside(GroupWord group, uint256 kind, uint256 place)
        internal
        pure
        returns (GroupWord)
    {
        return flip(group, kind, (firstOutside(group, kind) ^ place) << FIRST_SHIFT);
    }

    function version(GroupWord group) internal pure returns (uint256) {
        return (GroupWord.unwrap(group) >> VERSION_SHIFT) & MAX_VERSION;
    }

    /// @notice False for a group that has used up its versions.
    function hasNextVersion(GroupWord group) internal pure returns (bool) {
        return version(group) != MAX_VERSION;
    }

    /// @notice Returns the word of an empty group in the place of a group whose members were removed.
    /// @param keepsWords False when the words outside its windows are left as they are. A new version puts them out of reach.
    function emptied(GroupWord group, bool keepsWords) internal pure returns (GroupWord) {
        // The windows keep their place: the next members are often near the previous ones.
        if (keepsWords) return GroupWord.wrap(GroupWord.unwrap(group) & (CLEARED | FIRSTS));
        return GroupWord.wrap((GroupWord.unwrap(group) & CLEARED) + (1 << VERSION_SHIFT));
    }
}

/// @notice Members of a group outside its windows, 128 indices: members 128 | next 16 at 128 | linked 1 at 255.
///
/// The words are a linked list, so that a group is replaced without a search among all indices: the group has the place of the first
/// word, and each word the place of the next one. A word without members stays in the list, because a new one costs 17,100 more.
type OutsideWord is uint256;

using OutsideWords for OutsideWord global;

library OutsideWords {
    uint256 private constant MEMBERS_MASK = type(uint128).max;
    uint256 private constant NEXT_SHIFT = 128;
    uint256 private constant NEXT_MASK = (1 << 16) - 1;
    uint256 private constant LINKED = 1 << 255;

    /// @notice Returns the number of the word that has an index.
    function numberOf(uint256 index) internal pure returns (uint256) {
        return index >> 7;
    }

    /// @notice Returns the first index of the word at a place.
    function firstIndex(uint256 place) internal pure returns (uint256) {
        return (place - 1) << 7;
    }

    /// @notice Returns a word in the list before the one at `next`.
    function linked(OutsideWord word, uint256 next_) internal pure returns (OutsideWord) {
        return OutsideWord.wrap(OutsideWord.unwrap(word) | LINKED | (next_ << NEXT_SHIFT));
    }

    function isLinked(OutsideWord word) internal pure returns (bool) {
        return OutsideWord.unwrap(word) != 0;
    }

    /// @notice Returns the place of the next word, 0 for none.
    function next(OutsideWord word) internal pure returns (uint256) {
        return (OutsideWord.unwrap(word) >> NEXT_SHIFT) & NEXT_MASK;
    }

    /// @notice Returns the members, bit 0 for the first index of the word.
    function members(OutsideWord word) internal pure returns (uint256) {
        return OutsideWord.unwrap(word) & MEMBERS_MASK;
    }

    /// @notice Returns the members of two words.
    function membersWith(OutsideWord word, OutsideWord higher) internal pure returns (uint256) {
        return members(word) | (OutsideWord.unwrap(higher) << 128);
    }

    function has(OutsideWord word, uint256 index) internal pure returns (bool) {
        return (OutsideWord.unwrap(word) >> (index & 127)) & 1 != 0;
    }

    function with(OutsideWord word, uint256 index) internal pure returns (OutsideWord) {
        return OutsideWord.wrap(OutsideWord.unwrap(word) | (1 << (index & 127)));
    }

    function without(OutsideWord word, uint256 index) internal pure returns (OutsideWord) {
        return OutsideWord.wrap(OutsideWord.unwrap(word) & ~(1 << (index & 127)));
    }

    /// @notice Removes all members.
    function emptied(OutsideWord word) internal pure returns (OutsideWord) {
        return OutsideWord.wrap(OutsideWord.unwrap(word) & ~MEMBERS_MASK);
    }
}

/// @notice The ids of two groups, 24 bits each.
library StaleGroups {
    uint256 private constant BITS = 24;
    uint256 private constant MASK = (1 << BITS) - 1;

    function create(uint256 first, uint256 second) internal pure returns (uint256) {
        return first | (second << BITS);
    }

    function both(uint256 word) internal pure returns (uint256 first, uint256 second) {
        return (word & MASK, word >> BITS);
    }
}
