// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AccountConfigStorage as S,
    AccountWord,
    GROUP_KIND_SHIFT,
    GroupWord,
    ItemWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibGroups } from "./LibGroups.sol";
import { LibItems } from "./LibItems.sol";
import { LibMembershipsAssembly } from "./LibMembershipsAssembly.sol";
import { LibSparseSet, SparseSet } from "./LibSparseSet.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibMemberships
/// @notice Permits items in groups and removes them.
///
/// Each membership is stored twice: in the group's set of items, which decides, and in the item's set of groups, where a
/// permission check finds its group with a handful of ANDs, whatever the number of groups. After a large group was replaced
/// an item's set may hold a group too many, but never one too few.
library LibMemberships {
    /// Bounds of a clearance: the members of two full calls, and the words of 8,192 items.
    uint256 private constant CLEARED_MEMBERS = 20;
    uint256 private constant CLEARED_WORDS = 32;

    /// @notice Permits a known item in a group.
    /// @param slot The slot of the item's word.
    /// @return newGroup The new word of the group. The caller saves it.
    /// @return changed False when the group permits the item already.
    function link(Ref ref, uint256 groupId, GroupWord group, uint256 kind, S.Word storage slot, ItemWord item)
        internal
        returns (GroupWord newGroup, bool changed)
    {
        uint256 index = LibItems.indexOf(item);
        uint256 word = ItemWord.unwrap(item);
        SparseSet items = LibGroups.itemsOf(group, kind);
        uint256 bit = LibSparseSet.windowBit(items, index);
        uint256 groupBit = LibSparseSet.windowBit(LibItems.groupsOf(item), groupId);
        // The most frequent result of `add`: each is in the window of the other.
        if (bit != 0 && groupBit != 0) {
            if (SparseSet.unwrap(items) & bit != 0) return (group, false);
            slot.word = word | groupBit;
            return (GroupWord.wrap(GroupWord.unwrap(group) | (bit << (GROUP_KIND_SHIFT * kind))), true);
        }
        (uint256 change, bool outside) = LibSparseSet.add(items, index);
        newGroup = GroupWord.wrap(GroupWord.unwrap(group) ^ (change << (GROUP_KIND_SHIFT * kind)));
        changed =
            outside ? _set(LibGroups.membersOutside(ref, groupId, group, kind, index), index) : change != 0;
        if (!changed) return (group, false);
        (change, outside) = LibSparseSet.add(LibItems.groupsOf(item), groupId);
        if (change != 0) slot.word = word ^ change;
        if (outside) _set(LibItems.groupsOutside(ref, kind, index, groupId), groupId);
    }

    /// @notice Permits known items in a group, up to the first unknown one.
    /// @param ids CID hashes or addresses.
    /// @param from The position in `ids` of the first item to permit.
    /// @return newGroup The new word of the group. The caller saves it.
    /// @return to The position of the first unknown item from there on, else the length.
    function linkKnown(
        Ref ref,
        uint256 groupId,
        GroupWord group,
        uint256 kind,
        uint256[] calldata ids,
        uint256 from
    ) internal returns (GroupWord newGroup, uint256 to) {
        (newGroup, to) = (group, from);
        while (true) {
            (newGroup, to) = LibMembershipsAssembly.linkNear(ref, groupId, newGroup, kind, ids, to);
            if (to == ids.length) return (newGroup, to);
            (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, kind, ids[to]);
            if (!known) return (newGroup, to);
            (newGroup,) = link(ref, groupId, newGroup, kind, slot, item);
            // Unchecked: `to` was below the length.
            unchecked {
                if (++to == ids.length) return (newGroup, to);
            }
        }
    }

    /// @notice Removes a member from a group.
    /// @param slot The slot of the item's word.
    /// @return newGroup The new word of the group. The caller saves it.
    function unlink(
        Ref ref,
        uint256 groupId,
        GroupWord group,
        uint256 kind,
        S.Word storage slot,
        ItemWord item
    ) internal returns (GroupWord newGroup) {
        uint256 index = LibItems.indexOf(item);
        uint256 bit = LibSparseSet.windowBit(LibGroups.itemsOf(group, kind), index);
        if (bit == 0) {
            _unset(LibGroups.membersOutside(ref, groupId, group, kind, index), index);
        }
        unlinkItem(ref, groupId, kind, slot, item);
        return GroupWord.wrap(GroupWord.unwrap(group) & ~(bit << (GROUP_KIND_SHIFT * kind)));
    }

    /// @notice Removes every member from a group. It clears the item's side of up to 20 members, the most that one call
    /// adds. A larger group leaves its id in its items' sets, and a permission check refuses it there because it also reads
    /// the group's side.
    /// @return newGroup The word of the empty group. The caller saves it.
    function clear(Ref ref, uint256 groupId, GroupWord group, AccountWord header)
        internal
        returns (GroupWord newGroup)
    {
        uint256 left = CLEARED_MEMBERS;
        bool complete = true;
        for (uint256 kind; kind < 2; ++kind) {
            SparseSet set = LibGroups.itemsOf(group, kind);
            (left, complete) = _clear(
                ref, groupId, kind, LibSparseSet.start(set), LibSparseSet.windowBits(set), left, complete
            );
            if (!LibSparseSet.isSpread(set)) continue;
            uint256 words = (LibItems.countOf(header, kind) >> 8) + 1;
            if (words > CLEARED_WORDS) (words, complete) = (CLEARED_WORDS, false);
            for (uint256 word; word < words; ++word) {
                if (!LibSparseSet.mayHoldOutside(set, word)) continue;
                S.Word storage items = LibGroups.membersOutside(ref, groupId, group, kind, word << 8);
                uint256 bits = items.word;
                if (bits == 0) continue;
                (left, complete) = _clear(ref, groupId, kind, word << 8, bits, left, complete);
                items.word = 0;
            }
        }
        return LibGroups.emptied(groupId, group, complete);
    }

    /// @notice Removes a group from the sets of the items whose bits are given, bit 0 for index `index`. Removes it from no
    /// set when there are more items than `budget`.
    /// @return left The rest of the budget.
    /// @return complete False when it was false before, or when the budget was too small.
    function _clear(
        Ref ref,
        uint256 groupId,
        uint256 kind,
        uint256 index,
        uint256 bits,
        uint256 budget,
        bool complete
    ) private returns (uint256, bool) {
        uint256 count = LibBit.popCount(bits);
        if (count > budget) return (budget, false);
        while (bits != 0) {
            uint256 skipped = LibBit.ffs(bits);
            (index, bits) =
                LibMembershipsAssembly.clearNear(ref, groupId, kind, index + skipped, bits >> skipped);
            if (bits & 1 == 0) continue;
            (bool found, uint256 key) = LibItems.keyAt(S.load(), ref, kind, index);
            if (found) {
                S.Word storage slot = S.load().items[key];
                unlinkItem(ref, groupId, kind, slot, ItemWord.wrap(slot.word));
            }
            (index, bits) = (index + 1, bits >> 1);
        }
        return (budget - count, complete);
    }

    /// @notice Removes a group from an item's set.
    /// @param slot The slot of the item's word.
    function unlinkItem(Ref ref, uint256 groupId, uint256 kind, S.Word storage slot, ItemWord item) internal {
        uint256 bit = LibSparseSet.windowBit(LibItems.groupsOf(item), groupId);
        if (bit != 0) slot.word = ItemWord.unwrap(item) & ~bit;
        else _unset(LibItems.groupsOutside(ref, kind, LibItems.indexOf(item), groupId), groupId);
    }

    /// @notice Sets bit `number % 256` of a word outside the window.
    /// @return changed False when the bit was set already.
    function _set(S.Word storage slot, uint256 number) private returns (bool changed) {
        uint256 bits = slot.word;
        uint256 newBits = bits | (1 << (number & 255));
        if (bits == newBits) return false;
        slot.word = newBits;
        return true;
    }

    function _unset(S.Word storage slot, uint256 number) private {
        slot.word &= ~(1 << (number & 255));
    }
}
