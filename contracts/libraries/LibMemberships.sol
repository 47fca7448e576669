// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
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
/// permission check finds its group with a handful of ANDs, whatever the number of groups. An item's set may hold a stale group,
/// which no longer permits the item, but never misses one. A check reads each stale group once more, so an account has at most
/// two of them.
library LibMemberships {
    /// Bounds of a clearance: the members of two full calls, and the words of 8,192 items.
    uint256 private constant CLEARED_MEMBERS = 20;
    uint256 private constant CLEARED_WORDS = 32;
    /// Bounds of a clearance when the account has as many stale groups as it may have.
    uint256 private constant MOST_MEMBERS = 1000;
    uint256 private constant MOST_WORDS = 256;

    uint256 private constant STALE_BITS = 24;
    uint256 private constant STALE_MASK = (1 << STALE_BITS) - 1;

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
        uint256 bit = LibSparseSet.bitOf(items, index);
        uint256 groupBit = LibSparseSet.bitOf(LibItems.groupsOf(item), groupId);
        // The most frequent result of `add`: each is in the window of the other.
        if (bit != 0 && groupBit != 0) {
            if (SparseSet.unwrap(items) & bit != 0) return (group, false);
            slot.word = word | groupBit;
            return (GroupWord.wrap(GroupWord.unwrap(group) | _place(bit, kind)), true);
        }
        (uint256 change, bool outside) = LibSparseSet.add(items, index);
        newGroup = GroupWord.wrap(GroupWord.unwrap(group) ^ _place(change, kind));
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
        uint256 bit = LibSparseSet.bitOf(LibGroups.itemsOf(group, kind), index);
        if (bit == 0) {
            _unset(LibGroups.membersOutside(ref, groupId, group, kind, index), index);
        }
        unlinkItem(ref, groupId, kind, slot, item);
        return GroupWord.wrap(GroupWord.unwrap(group) & ~_place(bit, kind));
    }

    /// @notice Removes every member from a group. It clears the item's side of up to 20 members, the most that one call
    /// adds. A larger group becomes stale instead, or is cleared when the account already has two stale groups.
    /// TooManyGroupMembers when it is too large for that.
    /// @return newGroup The word of the empty group. The caller saves it.
    function clear(Ref ref, uint256 groupId, GroupWord group, AccountWord header)
        internal
        returns (GroupWord newGroup)
    {
        if (_count(ref, groupId, group, header, CLEARED_WORDS) > CLEARED_MEMBERS) {
            if (_mayBeStale(ref, groupId)) return LibGroups.emptied(groupId, group, false);
            if (_count(ref, groupId, group, header, MOST_WORDS) > MOST_MEMBERS) {
                revert IErrors.TooManyGroupMembers(groupId, MOST_MEMBERS);
            }
        }
        for (uint256 kind; kind < 2; ++kind) {
            SparseSet set = LibGroups.itemsOf(group, kind);
            (uint256 first, uint256 members) = LibSparseSet.window(set, false);
            if (members != 0) _clear(ref, groupId, kind, first, members);
            (first, members) = LibSparseSet.window(set, true);
            if (members != 0) _clear(ref, groupId, kind, first, members);
            if (!LibSparseSet.isSpread(set)) continue;
            uint256 words = (LibItems.countOf(header, kind) >> 8) + 1;
            for (uint256 word; word < words; ++word) {
                if (!LibSparseSet.mayHoldOutside(set, word)) continue;
                S.Word storage slot = LibGroups.membersOutside(ref, groupId, group, kind, word << 8);
                members = slot.word;
                if (members == 0) continue;
                _clear(ref, groupId, kind, word << 8, members);
                slot.word = 0;
            }
        }
        return LibGroups.emptied(groupId, group, true);
    }

    /// @notice Returns the number of members of a group, the maximum of the type when they may be in more than `maximum` words
    /// outside.
    function _count(Ref ref, uint256 groupId, GroupWord group, AccountWord header, uint256 maximum)
        private
        view
        returns (uint256 count)
    {
        SparseSet actions = LibGroups.itemsOf(group, LibItems.ACTION);
        SparseSet wallets = LibGroups.itemsOf(group, LibItems.WALLET);
        count = LibBit.popCount(
            LibSparseSet.membersInWindows(actions) | (LibSparseSet.membersInWindows(wallets) << 64)
        );
        for (uint256 kind; kind < 2; ++kind) {
            SparseSet set = kind == LibItems.ACTION ? actions : wallets;
            if (!LibSparseSet.isSpread(set)) continue;
            uint256 words = (LibItems.countOf(header, kind) >> 8) + 1;
            if (words > maximum) return type(uint256).max;
            for (uint256 word; word < words; ++word) {
                if (!LibSparseSet.mayHoldOutside(set, word)) continue;
                count += LibBit.popCount(LibGroups.membersOutside(ref, groupId, group, kind, word << 8).word);
            }
        }
    }

    /// @notice Records a stale group, in the place of a removed one if there is one: checks mask removed groups.
    /// @return False when the account already has two others.
    function _mayBeStale(Ref ref, uint256 groupId) private returns (bool) {
        S.Word storage slot = S.load().staleGroups[Ref.unwrap(ref)];
        uint256 stale = slot.word;
        (uint256 first, uint256 second) = (stale & STALE_MASK, stale >> STALE_BITS);
        if (first == groupId || second == groupId) return true;
        if (!LibGroups.isLive(ref, first)) first = groupId;
        else if (!LibGroups.isLive(ref, second)) second = groupId;
        else return false;
        slot.word = first | (second << STALE_BITS);
        return true;
    }

    /// @notice Removes a group from the sets of the items whose bits are given, bit 0 for index `index`.
    function _clear(Ref ref, uint256 groupId, uint256 kind, uint256 index, uint256 bits) private {
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
    }

    /// @notice Removes a group from an item's set.
    /// @param slot The slot of the item's word.
    function unlinkItem(Ref ref, uint256 groupId, uint256 kind, S.Word storage slot, ItemWord item) internal {
        uint256 bit = LibSparseSet.bitOf(LibItems.groupsOf(item), groupId);
        if (bit != 0) slot.word = ItemWord.unwrap(item) & ~bit;
        else _unset(LibItems.groupsOutside(ref, kind, LibItems.indexOf(item), groupId), groupId);
    }

    /// @notice Returns bits of a set at the place of the set in a group's word.
    function _place(uint256 bits, uint256 kind) private pure returns (uint256) {
        // Unchecked: a kind is 0 or 1.
        unchecked {
            return bits << (GROUP_KIND_SHIFT * kind);
        }
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
