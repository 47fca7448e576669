// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import {
    ADDRESS_REST_MASK,
    AccountConfigStorage as S,
    AccountWord,
    GROUP_KIND_SHIFT,
    GroupWord,
    ITEM_INDEX_SHIFT,
    ITEM_REST_SHIFT,
    ItemWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibMembershipsAssembly } from "./LibMembershipsAssembly.sol";
import { LibSparseSet, SPARSE_START_FIELD, SparseSet } from "./LibSparseSet.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibMemberships
/// @notice The actions and wallets of an account, and which groups permit them.
///
/// Each membership is stored twice: in the group's set of items, which decides, and in the item's set of groups, where a
/// permission check finds its group with a handful of ANDs, whatever the number of groups. After a large group was replaced
/// an item's set may hold a group too many, but never one too few. Item 0 is "every". A removed item loses its word and gets
/// a new index when it is added again. A removed group loses its word and joins the set of removed groups. Other words
/// may still name them, but are not read for them any more.
library LibMemberships {
    uint256 internal constant ACTION = S.ACTION;
    uint256 internal constant WALLET = S.WALLET;

    GroupWord internal constant EMPTY_GROUP = GroupWord.wrap(GROUP_ALIVE);
    uint256 private constant GROUP_ALIVE = 1 << 255;
    uint256 private constant GROUP_VERSION_SHIFT = 240;
    uint256 private constant MAX_VERSION = (1 << 15) - 1;
    /// The bits of a group's word that clearing it leaves.
    uint256 private constant CLEARED_GROUP = GROUP_ALIVE | (MAX_VERSION << GROUP_VERSION_SHIFT)
        | SPARSE_START_FIELD | (SPARSE_START_FIELD << GROUP_KIND_SHIFT);
    /// Bounds of a clearance: the members of two full calls, and the words of 8,192 items.
    uint256 private constant CLEARED_MEMBERS = 20;
    uint256 private constant CLEARED_WORDS = 32;

    uint256 private constant PATH_SHIFT = 160;

    uint256 private constant HALF_SET = 1 << 127;

    // ------------------------------------------------------------------------------------------------- items

    function itemKey(Ref ref, uint256 kind, uint256 id) internal pure returns (uint256) {
        return S.keyOf(ref, (kind << 127) | (id & S.LOW_127));
    }

    function indexOf(ItemWord item) internal pure returns (uint256) {
        return (ItemWord.unwrap(item) >> ITEM_INDEX_SHIFT) & S.MAX_ITEMS;
    }

    /// @notice Returns the groups that permit an item.
    function groupsOf(ItemWord item) internal pure returns (SparseSet) {
        return SparseSet.wrap(ItemWord.unwrap(item));
    }

    /// @notice Returns the items of a kind that a group permits.
    function itemsOf(GroupWord group, uint256 kind) internal pure returns (SparseSet) {
        return SparseSet.wrap(GroupWord.unwrap(group) >> (GROUP_KIND_SHIFT * kind));
    }

    /// @notice True when `item` is the word of `id`. "Every" (id 0) is known to every account.
    function isKnown(uint256 kind, uint256 id, ItemWord item) internal pure returns (bool) {
        uint256 word = ItemWord.unwrap(item);
        uint256 rest = word >> ITEM_REST_SHIFT;
        if (kind == WALLET) rest &= ADDRESS_REST_MASK;
        return rest == id >> 127 && (word & (S.MAX_ITEMS << ITEM_INDEX_SHIFT) != 0 || id == 0);
    }

    /// @return known True for "every" (id 0) too.
    /// @return slot The slot of its word.
    /// @return item Its word.
    function load(Ref ref, uint256 kind, uint256 id)
        internal
        view
        returns (bool known, S.Word storage slot, ItemWord item)
    {
        slot = S.load().items[itemKey(ref, kind, id)];
        item = ItemWord.wrap(slot.word);
        known = isKnown(kind, id, item);
    }

    /// @notice Returns the word at a key of `items`.
    function loadItem(uint256 key) internal view returns (ItemWord) {
        return ItemWord.wrap(S.load().items[key].word);
    }

    /// @notice Returns the CID hash or address of an item by its key and word.
    function idOf(uint256 kind, uint256 key, ItemWord item) internal pure returns (uint256) {
        uint256 rest = ItemWord.unwrap(item) >> ITEM_REST_SHIFT;
        if (kind == WALLET) rest &= ADDRESS_REST_MASK;
        return (rest << 127) | (key & S.LOW_127);
    }

    /// @notice Returns the number of indices of a kind that an account has given out.
    function itemCount(AccountWord header, uint256 kind) internal pure returns (uint256) {
        return (AccountWord.unwrap(header) >> (S.ACCOUNT_ITEMS_SHIFT + 24 * kind)) & S.MAX_ITEMS;
    }

    /// @notice Gives an unknown item the next index. The caller saves the new header.
    /// @param path The lower 96 bits of a wallet's path, 0 for an action.
    function register(Ref ref, AccountWord header, uint256 kind, uint256 id, uint256 path)
        internal
        returns (AccountWord newHeader, ItemWord item)
    {
        S.Layout storage $ = S.load();
        S.Word storage slot = $.items[itemKey(ref, kind, id)];
        // Never by chance: it takes another item of the same account with the same lower 127 bits.
        if (id & S.LOW_127 == 0 || slot.word != 0) revert IErrors.IdCollision(id);
        uint256 index = itemCount(header, kind) + 1;
        if (index > S.MAX_ITEMS) revert IErrors.TooManyItems(S.MAX_ITEMS);
        newHeader = AccountWord.wrap(AccountWord.unwrap(header) + (1 << (S.ACCOUNT_ITEMS_SHIFT + 24 * kind)));
        uint256 word = (index << ITEM_INDEX_SHIFT) | ((id >> 127) << ITEM_REST_SHIFT) | (path << PATH_SHIFT);
        slot.word = word;
        item = ItemWord.wrap(word);
        $.itemKeys[_halfKey(ref, kind, index)].word |= (HALF_SET | (id & S.LOW_127)) << (128 * (index & 1));
    }

    /// @notice Removes a known item, and with it all of its memberships.
    function forget(Ref ref, uint256 kind, S.Word storage slot, ItemWord item) internal {
        uint256 index = indexOf(item);
        slot.word = 0;
        S.load().itemKeys[_halfKey(ref, kind, index)].word &= uint256(type(uint128).max)
        << (128 * (~index & 1));
    }

    /// @return found False when the item of this index was removed.
    /// @return key The key in `items`.
    function keyAt(S.Layout storage $, Ref ref, uint256 kind, uint256 index)
        internal
        view
        returns (bool found, uint256 key)
    {
        if (index == 0) return (true, itemKey(ref, kind, 0));
        uint256 half = $.itemKeys[_halfKey(ref, kind, index)].word >> (128 * (index & 1));
        return (half & HALF_SET != 0, itemKey(ref, kind, half));
    }

    /// @notice Returns the derivation path of a known wallet.
    function pathOf(Ref ref, ItemWord item) internal view returns (uint256) {
        address mintedFor = S.load().mintedFor[S.keyOf(ref, indexOf(item))];
        return (uint256(uint160(mintedFor)) << 96) | (ItemWord.unwrap(item) >> PATH_SHIFT);
    }

    function _halfKey(Ref ref, uint256 kind, uint256 index) private pure returns (uint256) {
        return S.keyOf(ref, (kind << 127) | (index >> 1));
    }

    // ------------------------------------------------------------------------------------------------ groups

    /// @notice Returns the word of a live group. GroupDoesNotExist otherwise.
    /// @return slot The slot of the word.
    function loadGroup(uint256 accountHash, Ref ref, uint256 groupId)
        internal
        view
        returns (S.Word storage slot, GroupWord group)
    {
        // Key 0 of an account names no group: ids start at 1.
        slot = S.load().groups[S.keyOf(ref, groupId > S.MAX_GROUPS ? 0 : groupId)];
        group = GroupWord.wrap(slot.word);
        if (GroupWord.unwrap(group) == 0) revert IErrors.GroupDoesNotExist(accountHash, groupId);
    }

    /// @notice True when the group permits the item.
    function contains(Ref ref, uint256 groupId, GroupWord group, uint256 kind, ItemWord item)
        internal
        view
        returns (bool)
    {
        uint256 index = indexOf(item);
        return (groupWord(S.load(), ref, groupId, group, kind, index >> 8) >> (index & 255)) & 1 != 0;
    }

    /// @notice Returns the items that a group permits among the indices [256 · word, 256 · word + 255], including removed ones.
    function groupWord(
        S.Layout storage $,
        Ref ref,
        uint256 groupId,
        GroupWord group,
        uint256 kind,
        uint256 word
    ) internal view returns (uint256 bits) {
        SparseSet set = itemsOf(group, kind);
        bits = LibSparseSet.window(set, word);
        if (LibSparseSet.mayHoldOutside(set, word)) {
            bits |= $.groupItems[_groupItemsKey(ref, kind, groupId, group, word)].word;
        }
    }

    /// @notice Returns the groups that permit an item among the ids [256 · word, 256 · word + 255], including removed ones.
    function itemWord(S.Layout storage $, Ref ref, uint256 kind, ItemWord item, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        SparseSet set = groupsOf(item);
        bits = LibSparseSet.window(set, word);
        if (LibSparseSet.mayHoldOutside(set, word)) {
            bits |= $.itemGroups[_itemGroupsKey(ref, kind, indexOf(item), word)].word;
        }
    }

    /// @notice Permits a known item in a group.
    /// @param slot The slot of the item's word.
    /// @return newGroup The new word of the group. The caller saves it.
    /// @return changed False when the group permits the item already.
    function link(Ref ref, uint256 groupId, GroupWord group, uint256 kind, S.Word storage slot, ItemWord item)
        internal
        returns (GroupWord newGroup, bool changed)
    {
        uint256 index = indexOf(item);
        uint256 word = ItemWord.unwrap(item);
        SparseSet items = itemsOf(group, kind);
        uint256 bit = LibSparseSet.windowBit(items, index);
        uint256 groupBit = LibSparseSet.windowBit(groupsOf(item), groupId);
        // The most frequent result of `add`: each is in the window of the other.
        if (bit != 0 && groupBit != 0) {
            if (SparseSet.unwrap(items) & bit != 0) return (group, false);
            slot.word = word | groupBit;
            return (GroupWord.wrap(GroupWord.unwrap(group) | (bit << (GROUP_KIND_SHIFT * kind))), true);
        }
        (uint256 change, bool outside) = LibSparseSet.add(items, index);
        newGroup = GroupWord.wrap(GroupWord.unwrap(group) ^ (change << (GROUP_KIND_SHIFT * kind)));
        changed = outside
            ? _set(S.load().groupItems[_groupItemsKey(ref, kind, groupId, group, index >> 8)], index)
            : change != 0;
        if (!changed) return (group, false);
        (change, outside) = LibSparseSet.add(groupsOf(item), groupId);
        if (change != 0) slot.word = word ^ change;
        if (outside) _set(S.load().itemGroups[_itemGroupsKey(ref, kind, index, groupId >> 8)], groupId);
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
            (bool known, S.Word storage slot, ItemWord item) = load(ref, kind, ids[to]);
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
        uint256 index = indexOf(item);
        uint256 bit = LibSparseSet.windowBit(itemsOf(group, kind), index);
        if (bit == 0) {
            _unset(S.load().groupItems[_groupItemsKey(ref, kind, groupId, group, index >> 8)], index);
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
            SparseSet set = itemsOf(group, kind);
            (left, complete) = _clear(
                ref, groupId, kind, LibSparseSet.start(set), LibSparseSet.windowBits(set), left, complete
            );
            if (!LibSparseSet.isSpread(set)) continue;
            uint256 words = (itemCount(header, kind) >> 8) + 1;
            if (words > CLEARED_WORDS) (words, complete) = (CLEARED_WORDS, false);
            for (uint256 word; word < words; ++word) {
                if (!LibSparseSet.mayHoldOutside(set, word)) continue;
                S.Word storage items = S.load().groupItems[_groupItemsKey(ref, kind, groupId, group, word)];
                uint256 bits = items.word;
                if (bits == 0) continue;
                (left, complete) = _clear(ref, groupId, kind, word << 8, bits, left, complete);
                items.word = 0;
            }
        }
        // The windows keep their place: the next members are often near the previous ones.
        uint256 cleared = GroupWord.unwrap(group) & CLEARED_GROUP;
        if (complete) return GroupWord.wrap(cleared);
        // A new version puts the remaining words outside out of reach.
        if (cleared & (MAX_VERSION << GROUP_VERSION_SHIFT) == MAX_VERSION << GROUP_VERSION_SHIFT) {
            revert IErrors.TooManyGroupUpdates(groupId, MAX_VERSION);
        }
        return GroupWord.wrap(cleared + (1 << GROUP_VERSION_SHIFT));
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
            (bool found, uint256 key) = keyAt(S.load(), ref, kind, index);
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
        uint256 bit = LibSparseSet.windowBit(groupsOf(item), groupId);
        if (bit != 0) slot.word = ItemWord.unwrap(item) & ~bit;
        else _unset(S.load().itemGroups[_itemGroupsKey(ref, kind, indexOf(item), groupId >> 8)], groupId);
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

    /// Words have at most 16 bits, group ids 24, versions 15: the fields do not overlap.
    function _groupItemsKey(Ref ref, uint256 kind, uint256 groupId, GroupWord group, uint256 word)
        private
        pure
        returns (uint256)
    {
        uint256 version = (GroupWord.unwrap(group) >> GROUP_VERSION_SHIFT) & MAX_VERSION;
        return S.keyOf(ref, (kind << 127) | (version << 62) | (groupId << 32) | word);
    }

    /// Words have at most 16 bits, indices 24: the fields do not overlap.
    function _itemGroupsKey(Ref ref, uint256 kind, uint256 index, uint256 word)
        private
        pure
        returns (uint256)
    {
        return S.keyOf(ref, (kind << 127) | (index << 32) | word);
    }
}
