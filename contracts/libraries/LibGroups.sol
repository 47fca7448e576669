// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { Bits } from "../storage/Bits.sol";
import { GroupWord, OutsideWord, OutsideWords } from "../storage/GroupWord.sol";
import { ItemWord } from "../storage/ItemWord.sol";
import { MasterWords } from "../storage/MasterWord.sol";
import { Ref } from "../storage/Ref.sol";
import { SparseSet } from "../storage/SparseSet.sol";

/// @title LibGroups
/// @notice The groups of an account, each with the sets of actions and wallets that it permits. These sets decide about a
/// membership.
///
/// A removed group loses its word and joins the account's set of removed groups. Other words may still name it, but are not
/// read for it any more. Members outside the windows are in OutsideWords.
library LibGroups {
    /// @notice Returns the word of a live group. GroupDoesNotExist otherwise.
    /// @return slot The slot of the word.
    function load(uint256 accountHash, Ref ref, uint256 groupId)
        internal
        view
        returns (S.Word storage slot, GroupWord group)
    {
        // Key 0 of an account names no group: ids start at 1.
        slot = S.load().groups[ref.above(groupId > MasterWords.MAX_GROUPS ? 0 : groupId)];
        group = GroupWord.wrap(slot.word);
        if (!group.exists()) revert IErrors.GroupDoesNotExist(accountHash, groupId);
    }

    /// @notice False for a removed group and for id 0.
    function isLive(Ref ref, uint256 groupId) internal view returns (bool) {
        return S.load().groups[ref.above(groupId)].word != 0;
    }

    /// @notice True when the group permits the item.
    function contains(Ref ref, uint256 groupId, GroupWord group, uint256 kind, ItemWord item)
        internal
        view
        returns (bool)
    {
        uint256 index = item.index();
        SparseSet set = group.items(kind);
        if (set.hasInWindows(index)) return true;
        if (index == 0) return group.hasEveryOutside(kind);
        if (!set.mayHoldOutside(Bits.wordOf(index))) return false;
        (, OutsideWord word) = _outside(ref, groupId, group, kind, OutsideWords.numberOf(index));
        return word.has(index);
    }

    /// @notice Returns the items that a group permits among the indices [256 · word, 256 · word + 255], including removed ones.
    function members(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        SparseSet set = group.items(kind);
        bits = set.inWindows(word);
        if (set.mayHoldOutside(word)) {
            (, OutsideWord lower) = _outside(ref, groupId, group, kind, 2 * word);
            (, OutsideWord higher) = _outside(ref, groupId, group, kind, 2 * word + 1);
            bits |= lower.membersWith(higher);
            if (word == 0 && group.hasEveryOutside(kind)) bits |= 1;
        }
    }

    /// @notice Adds an item outside the windows.
    /// @return newGroup The new word of the group. The caller saves it.
    /// @return added False when it is a member already.
    function addOutside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 index)
        internal
        returns (GroupWord newGroup, bool added)
    {
        if (index == 0) return (group.withEveryOutside(kind), !group.hasEveryOutside(kind));
        uint256 number = OutsideWords.numberOf(index);
        (S.Word storage slot, OutsideWord word) = _outside(ref, groupId, group, kind, number);
        if (word.has(index)) return (group, false);
        newGroup = group;
        if (!word.isLinked()) {
            word = word.linked(group.firstOutside(kind));
            newGroup = group.withFirstOutside(kind, number + 1);
        }
        slot.word = OutsideWord.unwrap(word.with(index));
        return (newGroup, true);
    }

    /// @notice Removes an item outside the windows.
    /// @return newGroup The new word of the group. The caller saves it.
    function removeOutside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 index)
        internal
        returns (GroupWord newGroup)
    {
        if (index == 0) return group.withoutEveryOutside(kind);
        (S.Word storage slot, OutsideWord word) =
            _outside(ref, groupId, group, kind, OutsideWords.numberOf(index));
        slot.word = OutsideWord.unwrap(word.without(index));
        return group;
    }

    /// @param place One more than the number of a word outside the windows.
    /// @return slot The slot of the word.
    function loadOutside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 place)
        internal
        view
        returns (S.Word storage slot, OutsideWord word)
    {
        return _outside(ref, groupId, group, kind, place - 1);
    }

    function _outside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 number)
        private
        view
        returns (S.Word storage slot, OutsideWord word)
    {
        slot = S.load().groupItems[S.groupItemsKey(ref, kind, groupId, group, number)];
        word = OutsideWord.wrap(slot.word);
    }
}
