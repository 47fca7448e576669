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
library LibGroups {
    GroupWord internal constant EMPTY = GroupWord.wrap(ALIVE);
    uint256 private constant ALIVE = 1 << 255;
    uint256 private constant VERSION_SHIFT = 240;
    uint256 private constant MAX_VERSION = (1 << 15) - 1;
    /// The bits of a group's word that clearing it leaves.
    uint256 private constant CLEARED = ALIVE | (MAX_VERSION << VERSION_SHIFT) | LibSparseSet.BLOCKS
        | (LibSparseSet.BLOCKS << GROUP_KIND_SHIFT);

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
        return LibSparseSet.mayHoldOutside(set, index >> 8)
            && (membersOutside(ref, groupId, group, kind, index).word >> (index & 255)) & 1 != 0;
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
            bits |= $.groupItems[_groupItemsKey(ref, kind, groupId, group, word)].word;
        }
    }

    /// @notice Returns the word of a group's members outside its windows that holds an index.
    function membersOutside(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 index)
        internal
        view
        returns (S.Word storage)
    {
        return S.load().groupItems[_groupItemsKey(ref, kind, groupId, group, index >> 8)];
    }

    /// @notice Returns the word of an empty group in the place of a group whose members were removed.
    /// @param complete False when words outside its windows may still hold members.
    function emptied(uint256 groupId, GroupWord group, bool complete) internal pure returns (GroupWord) {
        // The windows keep their place: the next members are often near the previous ones.
        uint256 cleared = GroupWord.unwrap(group) & CLEARED;
        if (complete) return GroupWord.wrap(cleared);
        // A new version puts the remaining words outside out of reach.
        if (cleared & (MAX_VERSION << VERSION_SHIFT) == MAX_VERSION << VERSION_SHIFT) {
            revert IErrors.TooManyGroupUpdates(groupId, MAX_VERSION);
        }
        return GroupWord.wrap(cleared + (1 << VERSION_SHIFT));
    }

    /// Words have at most 16 bits, group ids 24, versions 15: the fields do not overlap.
    function _groupItemsKey(Ref ref, uint256 kind, uint256 groupId, GroupWord group, uint256 word)
        private
        pure
        returns (uint256)
    {
        uint256 version = (GroupWord.unwrap(group) >> VERSION_SHIFT) & MAX_VERSION;
        return S.keyOf(ref, (kind << 127) | (version << 62) | (groupId << 32) | word);
    }
}
