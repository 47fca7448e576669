// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "./AccountConfigStorage.sol";
import {
    LibSparseSet,
    SPARSE_START_FIELD,
    SPARSE_START_MASK,
    SPARSE_START_SHIFT,
    SPARSE_WINDOW
} from "./LibSparseSet.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibMemberships
/// @notice The actions and wallets of an account, and which groups permit them.
///
/// A membership stands twice: in the group's set of items, which is the truth, and in the item's set of groups, so that a
/// permission check finds its group by a handful of ANDs whatever the number of groups. The item's set may hold a group
/// too many when a large group is replaced; never one too few. Item 0 is "every". A removed item loses its word and gets
/// another index if it comes back; a removed group loses its word and joins the removed ones; what other words still say
/// about them is out of reach.
library LibMemberships {
    uint256 internal constant ACTION = 0;
    uint256 internal constant WALLET = 1;

    uint256 internal constant GROUP_ALIVE = 1 << 255;
    uint256 private constant GROUP_KIND_SHIFT = 120;
    uint256 private constant GROUP_VERSION_SHIFT = 240;
    uint256 private constant MAX_VERSION = (1 << 15) - 1;
    /// What clearing a group leaves of its word.
    uint256 private constant CLEARED_GROUP = GROUP_ALIVE | (MAX_VERSION << GROUP_VERSION_SHIFT)
        | SPARSE_START_FIELD | (SPARSE_START_FIELD << GROUP_KIND_SHIFT);
    /// Bounds of a clearance: two full calls, and the words of 8,192 items.
    uint256 private constant CLEARED_MEMBERS = 20;
    uint256 private constant CLEARED_WORDS = 32;

    uint256 private constant ITEM_INDEX_SHIFT = 103;
    uint256 private constant ITEM_REST_SHIFT = 127;
    uint256 private constant ADDRESS_REST_MASK = (1 << 33) - 1;
    uint256 private constant PATH_SHIFT = 160;

    uint256 private constant HALF_SET = 1 << 127;

    // ------------------------------------------------------------------------------------------------- items

    function itemKey(uint256 ref, uint256 kind, uint256 id) internal pure returns (uint256) {
        return S.keyOf(ref, (kind << 127) | (id & S.LOW_127));
    }

    function indexOf(uint256 item) internal pure returns (uint256) {
        return (item >> ITEM_INDEX_SHIFT) & S.MAX_ITEMS;
    }

    /// @notice Is `item` the word of `id`? "Every" (id 0) is known to every account.
    function isKnown(uint256 kind, uint256 id, uint256 item) internal pure returns (bool) {
        uint256 rest = item >> ITEM_REST_SHIFT;
        if (kind == WALLET) rest &= ADDRESS_REST_MASK;
        return rest == id >> 127 && (item & (S.MAX_ITEMS << ITEM_INDEX_SHIFT) != 0 || id == 0);
    }

    /// @return known True for "every" (id 0) too.
    /// @return slot Where its word stands.
    /// @return item The word there.
    function load(uint256 ref, uint256 kind, uint256 id)
        internal
        view
        returns (bool known, S.Word storage slot, uint256 item)
    {
        slot = S.load().items[itemKey(ref, kind, id)];
        item = slot.word;
        known = isKnown(kind, id, item);
    }

    /// @return The whole CID hash or address of an item by its key and word.
    function idOf(uint256 kind, uint256 key, uint256 item) internal pure returns (uint256) {
        uint256 rest = item >> ITEM_REST_SHIFT;
        if (kind == WALLET) rest &= ADDRESS_REST_MASK;
        return (rest << 127) | (key & S.LOW_127);
    }

    /// @return How many indices of a kind an account has given out.
    function itemCount(uint256 header, uint256 kind) internal pure returns (uint256) {
        return (header >> (S.ACCOUNT_ITEMS_SHIFT + 24 * kind)) & S.MAX_ITEMS;
    }

    /// @notice Gives an unknown item the next index. The caller saves `header`.
    /// @param path For a wallet the lower 96 bits of its path, else 0.
    function register(uint256 ref, uint256 header, uint256 kind, uint256 id, uint256 path)
        internal
        returns (uint256 newHeader, uint256 item)
    {
        S.Layout storage $ = S.load();
        S.Word storage slot = $.items[itemKey(ref, kind, id)];
        // Nobody meets this by chance: it takes another item of this very account with the same lower 127 bits.
        if (id & S.LOW_127 == 0 || slot.word != 0) revert IErrors.IdCollision(id);
        uint256 index = itemCount(header, kind) + 1;
        if (index > S.MAX_ITEMS) revert IErrors.TooManyItems(S.MAX_ITEMS);
        newHeader = header + (1 << (S.ACCOUNT_ITEMS_SHIFT + 24 * kind));
        item = (index << ITEM_INDEX_SHIFT) | ((id >> 127) << ITEM_REST_SHIFT) | (path << PATH_SHIFT);
        slot.word = item;
        $.itemKeys[_halfKey(ref, kind, index)].word |= (HALF_SET | (id & S.LOW_127)) << (128 * (index & 1));
    }

    /// @notice Forgets a known item, and with it its place in every group.
    function forget(uint256 ref, uint256 kind, S.Word storage slot, uint256 item) internal {
        uint256 index = indexOf(item);
        slot.word = 0;
        S.load().itemKeys[_halfKey(ref, kind, index)].word &= uint256(type(uint128).max)
        << (128 * (~index & 1));
    }

    /// @return found False when the item of this index was removed.
    /// @return key The key in `items`.
    function keyAt(S.Layout storage $, uint256 ref, uint256 kind, uint256 index)
        internal
        view
        returns (bool found, uint256 key)
    {
        if (index == 0) return (true, itemKey(ref, kind, 0));
        uint256 half = $.itemKeys[_halfKey(ref, kind, index)].word >> (128 * (index & 1));
        return (half & HALF_SET != 0, itemKey(ref, kind, half));
    }

    /// @return The derivation path of a known wallet.
    function pathOf(uint256 ref, uint256 item) internal view returns (uint256) {
        address mintedFor = S.load().mintedFor[S.keyOf(ref, indexOf(item))];
        return (uint256(uint160(mintedFor)) << 96) | (item >> PATH_SHIFT);
    }

    function _halfKey(uint256 ref, uint256 kind, uint256 index) private pure returns (uint256) {
        return S.keyOf(ref, (kind << 127) | (index >> 1));
    }

    function _itemsSlot() private view returns (uint256 slot) {
        mapping(uint256 => S.Word) storage items = S.load().items;
        // memory-safe: touches no memory.
        assembly ("memory-safe") {
            slot := items.slot
        }
    }

    function _itemKeysSlot() private view returns (uint256 slot) {
        mapping(uint256 => S.Word) storage itemKeys = S.load().itemKeys;
        // memory-safe: touches no memory.
        assembly ("memory-safe") {
            slot := itemKeys.slot
        }
    }

    // ------------------------------------------------------------------------------------------------ groups

    /// @notice The word of a live group. GroupDoesNotExist otherwise.
    /// @return slot Where it stands.
    function loadGroup(uint256 accountHash, uint256 ref, uint256 groupId)
        internal
        view
        returns (S.Word storage slot, uint256 group)
    {
        // Key 0 of an account names no group: ids begin with 1.
        slot = S.load().groups[S.keyOf(ref, groupId > S.MAX_GROUPS ? 0 : groupId)];
        group = slot.word;
        if (group == 0) revert IErrors.GroupDoesNotExist(accountHash, groupId);
    }

    /// @return Does the group permit the item?
    function contains(uint256 ref, uint256 groupId, uint256 group, uint256 kind, uint256 item)
        internal
        view
        returns (bool)
    {
        uint256 index = indexOf(item);
        return (groupWord(S.load(), ref, groupId, group, kind, index >> 8) >> (index & 255)) & 1 != 0;
    }

    /// @return bits The items that a group permits among the indices [256 · word, 256 · word + 255], removed ones included.
    function groupWord(
        S.Layout storage $,
        uint256 ref,
        uint256 groupId,
        uint256 group,
        uint256 kind,
        uint256 word
    ) internal view returns (uint256 bits) {
        uint256 set = group >> (GROUP_KIND_SHIFT * kind);
        bits = LibSparseSet.window(set, word);
        if (LibSparseSet.mayHoldOutside(set, word)) {
            bits |= $.groupItems[_groupItemsKey(ref, kind, groupId, group, word)].word;
        }
    }

    /// @return bits The groups that permit an item among the ids [256 · word, 256 · word + 255], removed ones included.
    function itemWord(S.Layout storage $, uint256 ref, uint256 kind, uint256 item, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        bits = LibSparseSet.window(item, word);
        if (LibSparseSet.mayHoldOutside(item, word)) {
            bits |= $.itemGroups[_itemGroupsKey(ref, kind, indexOf(item), word)].word;
        }
    }

    /// @notice Permits a known item in a group.
    /// @param slot Where the word of the item stands.
    /// @return newGroup The word of the group; the caller saves it.
    /// @return changed False when the group permits it already.
    function link(
        uint256 ref,
        uint256 groupId,
        uint256 group,
        uint256 kind,
        S.Word storage slot,
        uint256 item
    ) internal returns (uint256 newGroup, bool changed) {
        uint256 index = indexOf(item);
        uint256 set = group >> (GROUP_KIND_SHIFT * kind);
        uint256 bit = LibSparseSet.windowBit(set, index);
        uint256 groupBit = LibSparseSet.windowBit(item, groupId);
        // What `add` comes to for most: each lies in the window of the other.
        if (bit != 0 && groupBit != 0) {
            if (set & bit != 0) return (group, false);
            slot.word = item | groupBit;
            return (group | (bit << (GROUP_KIND_SHIFT * kind)), true);
        }
        (uint256 change, bool outside) = LibSparseSet.add(set, index);
        newGroup = group ^ (change << (GROUP_KIND_SHIFT * kind));
        changed = outside
            ? _set(S.load().groupItems[_groupItemsKey(ref, kind, groupId, group, index >> 8)], index)
            : change != 0;
        if (!changed) return (group, false);
        (change, outside) = LibSparseSet.add(item, groupId);
        if (change != 0) slot.word = item ^ change;
        if (outside) _set(S.load().itemGroups[_itemGroupsKey(ref, kind, index, groupId >> 8)], groupId);
    }

    /// @notice Permits known items in a group, up to the first unknown one.
    /// @param ids CID hashes or addresses.
    /// @param from Where to begin in `ids`.
    /// @return newGroup The word of the group; the caller saves it.
    /// @return to The position of the first unknown item from there on, else the length.
    function linkKnown(
        uint256 ref,
        uint256 groupId,
        uint256 group,
        uint256 kind,
        uint256[] calldata ids,
        uint256 from
    ) internal returns (uint256 newGroup, uint256 to) {
        (newGroup, to) = (group, from);
        while (true) {
            (newGroup, to) = _linkNear(ref, groupId, newGroup, kind, ids, to);
            if (to == ids.length) return (newGroup, to);
            (bool known, S.Word storage slot, uint256 item) = load(ref, kind, ids[to]);
            if (!known) return (newGroup, to);
            (newGroup,) = link(ref, groupId, newGroup, kind, slot, item);
            // Unchecked: `to` was below the length.
            unchecked {
                if (++to == ids.length) return (newGroup, to);
            }
        }
    }

    /// @notice What `link` does, for all items up to the first that is unknown, "every", not in the group's window, or in whose
    /// window the group is not: a loop of a third of its gas.
    function _linkNear(
        uint256 ref,
        uint256 groupId,
        uint256 group,
        uint256 kind,
        uint256[] calldata ids,
        uint256 from
    ) private returns (uint256 newGroup, uint256 to) {
        uint256 keys = itemKey(ref, kind, 0);
        uint256 restMask = kind == WALLET ? ADDRESS_REST_MASK : type(uint256).max;
        uint256 shift = GROUP_KIND_SHIFT * kind;
        uint256 low127 = S.LOW_127;
        uint256 itemsSlot = _itemsSlot();
        newGroup = group;
        // memory-safe: writes the scratch space only; reads the calldata within the bounds of the array.
        assembly ("memory-safe") {
            mstore(0x20, itemsSlot)
            let end := add(ids.offset, shl(5, ids.length))
            let at := add(ids.offset, shl(5, from))
            // The window of the group does not move as long as its members lie in it.
            let groupStart := and(shr(SPARSE_START_SHIFT, shr(shift, newGroup)), SPARSE_START_MASK)
            let one := shl(shift, 1)
            for { } lt(at, end) { at := add(at, 0x20) } {
                let id := calldataload(at)
                mstore(0, or(keys, and(id, low127)))
                let slot := keccak256(0, 0x40)
                let item := sload(slot)
                let index := and(shr(ITEM_INDEX_SHIFT, item), 0xffffff)
                // LibSparseSet.windowBit of the item in the group and of the group in the item.
                let itemOffset := sub(index, groupStart)
                let groupOffset := sub(groupId, and(shr(SPARSE_START_SHIFT, item), SPARSE_START_MASK))
                if iszero(
                    and(
                        and(eq(and(shr(ITEM_REST_SHIFT, item), restMask), shr(127, id)), gt(index, 0)),
                        and(lt(itemOffset, SPARSE_WINDOW), lt(groupOffset, SPARSE_WINDOW))
                    )
                ) { break }
                sstore(slot, or(item, shl(groupOffset, 1)))
                newGroup := or(newGroup, shl(itemOffset, one))
            }
            to := shr(5, sub(at, ids.offset))
        }
    }

    /// @notice Takes a member out of a group.
    /// @param slot Where the word of the item stands.
    /// @return newGroup The word of the group; the caller saves it.
    function unlink(
        uint256 ref,
        uint256 groupId,
        uint256 group,
        uint256 kind,
        S.Word storage slot,
        uint256 item
    ) internal returns (uint256 newGroup) {
        uint256 index = indexOf(item);
        uint256 bit = LibSparseSet.windowBit(group >> (GROUP_KIND_SHIFT * kind), index);
        if (bit == 0) {
            _unset(S.load().groupItems[_groupItemsKey(ref, kind, groupId, group, index >> 8)], index);
        }
        _forgetGroup(ref, groupId, kind, slot, item);
        return group & ~(bit << (GROUP_KIND_SHIFT * kind));
    }

    /// @notice Takes every member out of a group. The item's side of up to 20 members (what one call puts in) is cleared;
    /// what a larger group leaves there is refused by the check, which asks the group's side.
    /// @return newGroup The word of the empty group; the caller saves it.
    function clear(uint256 ref, uint256 groupId, uint256 group, uint256 header)
        internal
        returns (uint256 newGroup)
    {
        uint256 left = CLEARED_MEMBERS;
        bool complete = true;
        for (uint256 kind; kind < 2; ++kind) {
            uint256 set = group >> (GROUP_KIND_SHIFT * kind);
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
        // The windows stay where they are: what replaces the members is often near them.
        newGroup = group & CLEARED_GROUP;
        if (complete) return newGroup;
        // What is left in words outside is out of reach under another version.
        if (newGroup & (MAX_VERSION << GROUP_VERSION_SHIFT) == MAX_VERSION << GROUP_VERSION_SHIFT) {
            revert IErrors.TooManyGroupUpdates(groupId, MAX_VERSION);
        }
        newGroup += 1 << GROUP_VERSION_SHIFT;
    }

    /// @notice Takes a group out of the sets of the items whose bits are given, the lowest for index `index`; out of none if
    /// they are more than `budget`.
    /// @return left What is left of the budget.
    /// @return complete False if it was passed so, or the budget did not suffice.
    function _clear(
        uint256 ref,
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
            (index, bits) = _clearNear(ref, groupId, kind, index + skipped, bits >> skipped);
            if (bits & 1 == 0) continue;
            (bool found, uint256 key) = keyAt(S.load(), ref, kind, index);
            if (found) {
                S.Word storage slot = S.load().items[key];
                _forgetGroup(ref, groupId, kind, slot, slot.word);
            }
            (index, bits) = (index + 1, bits >> 1);
        }
        return (budget - count, complete);
    }

    /// @notice What `_clear` does, for items one after the other up to the first that is no member, removed, "every", or in
    /// whose window the group is not: a loop of half its gas.
    function _clearNear(uint256 ref, uint256 groupId, uint256 kind, uint256 index, uint256 bits)
        private
        returns (uint256 newIndex, uint256 newBits)
    {
        uint256 keys = itemKey(ref, kind, 0);
        uint256 low127 = S.LOW_127;
        uint256 itemsSlot = _itemsSlot();
        uint256 itemKeysSlot = _itemKeysSlot();
        (newIndex, newBits) = (index, bits);
        // memory-safe: writes the scratch space only.
        assembly ("memory-safe") {
            let pair := not(0)
            let halves
            for { } and(newBits, 1) {
                newBits := shr(1, newBits)
                newIndex := add(newIndex, 1)
            } {
                // Two items share a word of keys.
                if sub(shr(1, newIndex), pair) {
                    pair := shr(1, newIndex)
                    mstore(0, or(keys, pair))
                    mstore(0x20, itemKeysSlot)
                    halves := sload(keccak256(0, 0x40))
                    mstore(0x20, itemsSlot)
                }
                let half := shr(shl(7, and(newIndex, 1)), halves)
                mstore(0, or(keys, and(half, low127)))
                let slot := keccak256(0, 0x40)
                let item := sload(slot)
                // LibSparseSet.windowBit of the group in the item.
                let offset := sub(groupId, and(shr(SPARSE_START_SHIFT, item), SPARSE_START_MASK))
                // The half of a removed item is 0, and so is that of "every".
                if iszero(and(shr(127, half), lt(offset, SPARSE_WINDOW))) { break }
                sstore(slot, and(item, not(shl(offset, 1))))
            }
        }
    }

    /// @notice Takes a group out of an item's set.
    function _forgetGroup(uint256 ref, uint256 groupId, uint256 kind, S.Word storage slot, uint256 item)
        private
    {
        uint256 bit = LibSparseSet.windowBit(item, groupId);
        if (bit != 0) slot.word = item & ~bit;
        else _unset(S.load().itemGroups[_itemGroupsKey(ref, kind, indexOf(item), groupId >> 8)], groupId);
    }

    /// @notice Sets bit `number % 256` of a word outside of a set.
    /// @return changed False when it was set.
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
    function _groupItemsKey(uint256 ref, uint256 kind, uint256 groupId, uint256 group, uint256 word)
        private
        pure
        returns (uint256)
    {
        uint256 version = (group >> GROUP_VERSION_SHIFT) & MAX_VERSION;
        return S.keyOf(ref, (kind << 127) | (version << 62) | (groupId << 32) | word);
    }

    /// Words have at most 16 bits, indices 24: the fields do not overlap.
    function _itemGroupsKey(uint256 ref, uint256 kind, uint256 index, uint256 word)
        private
        pure
        returns (uint256)
    {
        return S.keyOf(ref, (kind << 127) | (index << 32) | word);
    }
}
