// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import {
    AccountConfigStorage as S,
    GROUP_KIND_SHIFT,
    GroupWord,
    ItemWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibItems } from "./LibItems.sol";
import { LibSparseSet, SparseSet } from "./LibSparseSet.sol";

/// @title LibGroups
/// @notice The groups of an account, each with the sets of actions and wallets that it permits. These sets decide about a
/// membership.
///
/// A removed group loses its word and joins the account's set of removed groups. Other words may still name it, but are not
/// read for it any more.
///
/// Members outside the windows are in words of 128 indices: members 128 | next 16 at 128 | linked 1 at 255. They are a linked
/// list, so that a group is replaced without a search among all indices: the group has one more than the number of the first
/// word, and each word that of the next one. A word stays in the list without members, because a new one costs 17,100 more.
/// "Every" (index 0) outside the windows has a bit of its own in the group's word, so that a check reads one word for both.
library LibGroups {
    GroupWord internal constant EMPTY = GroupWord.wrap(ALIVE);
    uint256 private constant ALIVE = 1 << 255;
    uint256 private constant VERSION_SHIFT = 240;
    uint256 private constant MAX_VERSION = (1 << 15) - 1;
    uint256 private constant FIRST_SHIFT = 102;
    uint256 private constant FIRST_MASK = (1 << 16) - 1;
    /// The bits of a group's word that clearing it leaves.
    uint256 private constant CLEARED = ALIVE | (MAX_VERSION << VERSION_SHIFT) | LibSparseSet.BLOCKS
        | (LibSparseSet.BLOCKS << GROUP_KIND_SHIFT);
    uint256 private constant FIRSTS =
        (FIRST_MASK << FIRST_SHIFT) | (FIRST_MASK << (GROUP_KIND_SHIFT + FIRST_SHIFT));

    uint256 private constant EVERY = 1 << 118;

    uint256 private constant MEMBERS_MASK = type(uint128).max;
    uint256 private constant NEXT_SHIFT = 128;
    uint256 private constant LINKED = 1 << 255;

    /// @notice Returns the items of a kind that a group permits.
    function itemsOf(GroupWord group, uint256 kind) internal pure returns (SparseSet) {
        // Unchecked: a kind is 0 or 1.
        unchecked {
            return SparseSet.wrap(GroupWord.unwrap(group) >> (GROUP_KIND_SHIFT * kind));
        }
    }

    /// @notice Returns the word of a live group. GroupDoesNotExist otherwise.
    /// @return slot The slot of the word.
    function load(uint256 accountHash, Ref ref, uint256 groupId)
        internal
        view
        returns (S.Word storage slot, GroupWord group)
    {
        // Key 0 of an account names no group: ids start at 1.
        slot = S.load().groups[S.keyOf(ref, groupId > S.MAX_GROUPS ? 0 : groupId)];
        group = GroupWord.wrap(slot.word);
        if (GroupWord.unwrap(group) == 0) revert IErrors.GroupDoesNotExist(accountHash, groupId);
    }

    /// @notice False for a removed group and for id 0.
    function isLive(Ref ref, uint256 groupId) internal view returns (bool) {
        return S.load().groups[S.keyOf(ref, groupId)].word != 0;
    }

    /// @notice True when the group permits the item.
    function contains(Ref ref, uint256 groupId, GroupWord group, uint256 kind, ItemWord item)
        internal
        view
        returns (bool)
    {
        uint256 index = LibItems.indexOf(item);
        SparseSet set = itemsOf(group, kind);
        if (SparseSet.unwrap(set) & LibSparseSet.bitOf(set, index) != 0) return true;
        if (index == 0) return SparseSet.unwrap(set) & EVERY != 0;
        return LibSparseSet.mayHoldOutside(set, index >> 8)
            && (_outside(ref, groupId, group, kind, index >> 7).word >> (index & 127)) & 1 != 0;
    }

    /// @notice Returns the items that a group permits among the indices [256 · word, 256 · word + 255], including removed ones.
    function members(
        S.Layout storage $,
        Ref ref,
        uint256 groupId,
        GroupWord group,
        uint256 kind,
        uint256 word
    ) internal view returns (uint256 bits) {
        SparseSet set = itemsOf(group, kind);
        bits = LibSparseSet.inWindows(set, word);
        if (LibSparseSet.mayHoldOutside(set, word)) {
            uint256 key = _groupItemsKey(ref, kind, groupId, group, 2 * word);
            bits |= ($.groupItems[key].word & MEMBERS_MASK) | ($.groupItems[key + 1].word << 128);
            if (word == 0 && hasEveryOutside(group, kind)) bits |= 1;
        }
    }

    /// @notice Adds an item outside the windows.
    /// @return newGroup The new word of the group. The caller saves it.
    /// @return added False when it is a member already.
    function addOutside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 index)
        internal
        returns (GroupWord newGroup, bool added)
    {
        if (index == 0) {
            newGroup = GroupWord.wrap(GroupWord.unwrap(group) | (EVERY << (GROUP_KIND_SHIFT * kind)));
            return (newGroup, !hasEveryOutside(group, kind));
        }
        S.Word storage slot = _outside(ref, groupId, group, kind, index >> 7);
        uint256 word = slot.word;
        uint256 newWord = word | (1 << (index & 127));
        if (newWord == word) return (group, false);
        newGroup = group;
        if (word == 0) {
            uint256 first = firstOutside(group, kind);
            newWord |= LINKED | (first << NEXT_SHIFT);
            first ^= (index >> 7) + 1;
            newGroup = GroupWord.wrap(
                GroupWord.unwrap(group) ^ (first << (GROUP_KIND_SHIFT * kind + FIRST_SHIFT))
            );
        }
        slot.word = newWord;
        return (newGroup, true);
    }

    /// @notice Removes an item outside the windows.
    /// @return newGroup The new word of the group. The caller saves it.
    function removeOutside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 index)
        internal
        returns (GroupWord newGroup)
    {
        if (index == 0) {
            return GroupWord.wrap(GroupWord.unwrap(group) & ~(EVERY << (GROUP_KIND_SHIFT * kind)));
        }
        _outside(ref, groupId, group, kind, index >> 7).word &= ~(1 << (index & 127));
        return group;
    }

    /// @notice True when "every" is a member outside the windows.
    function hasEveryOutside(GroupWord group, uint256 kind) internal pure returns (bool) {
        return GroupWord.unwrap(group) & (EVERY << (GROUP_KIND_SHIFT * kind)) != 0;
    }

    /// @notice Returns one more than the number of the first word outside the windows, 0 for none.
    function firstOutside(GroupWord group, uint256 kind) internal pure returns (uint256) {
        return (GroupWord.unwrap(group) >> (GROUP_KIND_SHIFT * kind + FIRST_SHIFT)) & FIRST_MASK;
    }

    /// @param place One more than the number of a word outside the windows.
    /// @return slot The slot of the word.
    /// @return bits Its members, bit 0 for index `128 * (place - 1)`.
    /// @return next One more than the number of the next word, 0 for none.
    function loadOutside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 place)
        internal
        view
        returns (S.Word storage slot, uint256 bits, uint256 next)
    {
        slot = _outside(ref, groupId, group, kind, place - 1);
        uint256 word = slot.word;
        return (slot, word & MEMBERS_MASK, (word >> NEXT_SHIFT) & FIRST_MASK);
    }

    /// @notice False for a group that has used up its versions.
    function hasNextVersion(GroupWord group) internal pure returns (bool) {
        return (GroupWord.unwrap(group) >> VERSION_SHIFT) & MAX_VERSION != MAX_VERSION;
    }

    /// @notice Returns the word of an empty group in the place of a group whose members were removed.
    /// @param keepsWords False when the words outside its windows are left as they are. A new version puts them out of reach.
    function emptied(GroupWord group, bool keepsWords) internal pure returns (GroupWord) {
        // The windows keep their place: the next members are often near the previous ones.
        if (keepsWords) return GroupWord.wrap(GroupWord.unwrap(group) & (CLEARED | FIRSTS));
        return GroupWord.wrap((GroupWord.unwrap(group) & CLEARED) + (1 << VERSION_SHIFT));
    }

    function _outside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 word)
        private
        view
        returns (S.Word storage)
    {
        return S.load().groupItems[_groupItemsKey(ref, kind, groupId, group, word)];
    }

    /// Words have at most 15 bits, group ids 24, versions 15: the fields do not overlap.
    function _groupItemsKey(Ref ref, uint256 kind, uint256 groupId, GroupWord group, uint256 word)
        private
        pure
        returns (uint256)
    {
        uint256 version = (GroupWord.unwrap(group) >> VERSION_SHIFT) & MAX_VERSION;
        return S.keyOf(ref, (kind << 127) | (version << 62) | (groupId << 32) | word);
    }
}
