// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { Bits } from "../storage/Bits.sol";
import { GroupWord, OutsideWord, OutsideWords, StaleGroups } from "../storage/GroupWord.sol";
import { ItemWord } from "../storage/ItemWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { Ref } from "../storage/Ref.sol";
import { SparseSet } from "../storage/SparseSet.sol";
import { LibGroups } from "./LibGroups.sol";
import { LibItems } from "./LibItems.sol";
import { LibMembershipsAssembly } from "./LibMembershipsAssembly.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibMemberships
/// @notice Permits items in groups and removes them.
///
/// Each membership is stored twice: in the group's set of items, which decides, and in the item's set of groups, where a
/// permission check finds its group with a handful of ANDs, whatever the number of groups. An item's set may hold a stale group,
/// which no longer permits the item, but never misses one. A check reads each stale group once more, so an account has at most
/// two of them.
library LibMemberships {
    /// Bounds of a clearance: the members of two full calls. Their words are at most those that a clearance keeps, and as many
    /// as a full call may add.
    uint256 private constant CLEARED_MEMBERS = 20;
    uint256 private constant KEPT_WORDS = 40;
    uint256 private constant CLEARED_WORDS = 60;
    /// The bound of a clearance when the account has as many stale groups as it may have.
    uint256 private constant MOST_MEMBERS = 1000;

    /// @notice Permits a known item in a group.
    /// @param slot The slot of the item's word.
    /// @return newGroup The new word of the group. The caller saves it.
    /// @return changed False when the group permits the item already.
    function link(Ref ref, uint256 groupId, GroupWord group, uint256 kind, S.Word storage slot, ItemWord item)
        internal
        returns (GroupWord newGroup, bool changed)
    {
        uint256 index = item.index();
        uint256 word = ItemWord.unwrap(item);
        SparseSet items = group.items(kind);
        uint256 bit = items.bitOf(index);
        uint256 groupBit = item.groups().bitOf(groupId);
        // The most frequent result of `add`: each is in the window of the other.
        if (bit != 0 && groupBit != 0) {
            if (SparseSet.unwrap(items) & bit != 0) return (group, false);
            slot.word = word | groupBit;
            return (group.with(kind, bit), true);
        }
        (uint256 change, bool outside) = items.add(index);
        newGroup = group.flip(kind, change);
        if (outside) (newGroup, changed) = LibGroups.addOutside(ref, groupId, newGroup, kind, index);
        else changed = change != 0;
        if (!changed) return (group, false);
        (change, outside) = item.groups().add(groupId);
        if (change != 0) slot.word = word ^ change;
        // A stale group may be there already.
        if (outside) LibItems.groupsOutside(ref, kind, index, groupId).word |= Bits.bitOf(groupId);
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
        uint256 index = item.index();
        uint256 bit = group.items(kind).bitOf(index);
        if (bit == 0) group = LibGroups.removeOutside(ref, groupId, group, kind, index);
        unlinkItem(ref, groupId, kind, slot, item);
        return group.without(kind, bit);
    }

    /// @notice Removes every member from a group. It clears the item's side of up to 20 members, the most that one call
    /// adds. A larger group becomes stale instead, or is cleared when the account already has two stale groups.
    /// TooManyGroupMembers when it has too many members for that. Removed items do not count.
    /// @return newGroup The word of the empty group. The caller saves it.
    function clear(Ref ref, uint256 groupId, GroupWord group) internal returns (GroupWord newGroup) {
        bool hasNextVersion = group.hasNextVersion();
        (bool isSmall, uint256 words) = _measure(ref, groupId, group);
        if (!isSmall && hasNextVersion && _mayBeStale(ref, groupId)) return group.emptied(false);
        bool keepsWords = words <= KEPT_WORDS || !hasNextVersion;
        uint256 cleared;
        for (uint256 kind; kind < 2; ++kind) {
            SparseSet set = group.items(kind);
            (uint256 first, uint256 members) = set.window(false);
            if (members != 0) cleared += _clear(ref, groupId, kind, first, members);
            (first, members) = set.window(true);
            if (members != 0) cleared += _clear(ref, groupId, kind, first, members);
            if (!set.isSpread()) continue;
            S.Word storage slot = S.load().items[S.itemKey(ref, kind, 0)];
            if (group.hasEveryOutside(kind)) {
                unlinkItem(ref, groupId, kind, slot, ItemWord.wrap(slot.word));
                ++cleared;
            }
            for (uint256 place = group.firstOutside(kind); place != 0;) {
                OutsideWord word;
                (slot, word) = LibGroups.loadOutside(ref, groupId, group, kind, place);
                (first, members, place) = (OutsideWords.firstIndex(place), word.members(), word.next());
                if (members == 0) continue;
                cleared += _clear(ref, groupId, kind, first, members);
                if (keepsWords) slot.word = OutsideWord.unwrap(word.emptied());
            }
        }
        if (cleared > MOST_MEMBERS) revert IErrors.TooManyGroupMembers(groupId, MOST_MEMBERS);
        return group.emptied(keepsWords);
    }

    /// @return isSmall True when a group has so few members and words outside its windows that it is cleared.
    /// @return words The number of words outside, of use only when they are few.
    function _measure(Ref ref, uint256 groupId, GroupWord group)
        private
        view
        returns (bool isSmall, uint256 words)
    {
        uint256 count = group.items(Kinds.ACTION).countInWindows(group.items(Kinds.WALLET));
        for (uint256 kind; kind < 2; ++kind) {
            if (!group.items(kind).isSpread()) continue;
            if (group.hasEveryOutside(kind)) ++count;
            for (uint256 place = group.firstOutside(kind); place != 0;) {
                (, OutsideWord word) = LibGroups.loadOutside(ref, groupId, group, kind, place);
                if (word.members() != 0) count += LibBit.popCount(word.members());
                place = word.next();
                if (++words > CLEARED_WORDS) return (false, words);
            }
        }
        return (count <= CLEARED_MEMBERS, words);
    }

    /// @notice Records a stale group, in the place of a removed one if there is one: checks mask removed groups.
    /// @return False when the account already has two others.
    function _mayBeStale(Ref ref, uint256 groupId) private returns (bool) {
        S.Word storage slot = S.load().staleGroups[Ref.unwrap(ref)];
        (uint256 first, uint256 second) = StaleGroups.both(slot.word);
        if (first == groupId || second == groupId) return true;
        if (!LibGroups.isLive(ref, first)) first = groupId;
        else if (!LibGroups.isLive(ref, second)) second = groupId;
        else return false;
        slot.word = StaleGroups.create(first, second);
        return true;
    }

    /// @notice Removes a group from the sets of the items whose bits are given, bit 0 for index `index`.
    /// @return cleared The number of these items, without removed ones.
    function _clear(Ref ref, uint256 groupId, uint256 kind, uint256 index, uint256 bits)
        private
        returns (uint256 cleared)
    {
        while (bits != 0) {
            uint256 skipped = LibBit.ffs(bits);
            index += skipped;
            uint256 from = index;
            (index, bits) =
                LibMembershipsAssembly.clearNear(ref, groupId, kind, index, Bits.from(bits, skipped));
            cleared += index - from;
            if (!Bits.has(bits, 0)) continue;
            (bool found, uint256 key) = LibItems.keyAt(S.load(), ref, kind, index);
            if (found) {
                S.Word storage slot = S.load().items[key];
                unlinkItem(ref, groupId, kind, slot, ItemWord.wrap(slot.word));
                ++cleared;
            }
            (index, bits) = (index + 1, Bits.from(bits, 1));
        }
    }

    /// @notice Removes a group from an item's set.
    /// @param slot The slot of the item's word.
    function unlinkItem(Ref ref, uint256 groupId, uint256 kind, S.Word storage slot, ItemWord item) internal {
        uint256 bit = item.groups().bitOf(groupId);
        if (bit != 0) {
            slot.word = ItemWord.unwrap(item) & ~bit;
        } else {
            LibItems.groupsOutside(ref, kind, item.index(), groupId).word &= ~Bits.bitOf(groupId);
        }
    }
}
