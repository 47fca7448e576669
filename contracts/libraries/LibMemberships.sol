// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "./AccountConfigStorage.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibMemberships
/// @notice The actions and wallets of an account, and which groups permit them.
///
/// A membership stands twice: as a bit over items with the group, which is the truth, and as a bit over groups with the
/// item, so that a permission check finds its group by a handful of ANDs whatever the number of groups. A bit on the item's
/// side may outlive its membership when a large group is replaced; never the other way round. Item 0 is "every". A removed item loses its word and gets another index if it comes back; a removed
/// group loses its word and its live bit; what other words still say about them is out of reach.
library LibMemberships {
    uint256 internal constant ACTION = 0;
    uint256 internal constant WALLET = 1;

    uint256 internal constant GROUP_ALIVE = 1 << 255;
    uint256 private constant GROUP_KIND_BITS = 120;
    uint256 private constant GROUP_VERSION_SHIFT = 240;
    uint256 private constant MAX_VERSION = (1 << 15) - 1;
    /// Bounds of a clearance: two full calls, and the words of 8,192 items.
    uint256 private constant CLEARED_MEMBERS = 20;
    uint256 private constant CLEARED_WORDS = 32;
    /// Item indices below stand inline in the group word.
    uint256 private constant INLINE_ITEMS = 112;
    uint256 private constant INLINE_ITEMS_MASK = (1 << 112) - 1;

    uint256 private constant ITEM_MASK_SHIFT = 95;
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
        if (id == 0) return true;
        return indexOf(item) != 0 && idOf(kind, id, item) == id;
    }

    /// @return known True for "every" (id 0) too.
    /// @return key The key in `items`.
    /// @return item The word there.
    function load(uint256 ref, uint256 kind, uint256 id)
        internal
        view
        returns (bool known, uint256 key, uint256 item)
    {
        key = itemKey(ref, kind, id);
        item = S.load().items[key];
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
        uint256 key = itemKey(ref, kind, id);
        // Nobody meets this by chance: it takes another item of this very account with the same lower 127 bits.
        if (id & S.LOW_127 == 0 || $.items[key] != 0) revert IAccountConfig.InvalidRequest("id collides");
        uint256 index = itemCount(header, kind) + 1;
        if (index > S.MAX_ITEMS) revert IAccountConfig.InvalidRequest("too many items");
        newHeader = header + (1 << (S.ACCOUNT_ITEMS_SHIFT + 24 * kind));
        item = (index << ITEM_INDEX_SHIFT) | ((id >> 127) << ITEM_REST_SHIFT) | (path << PATH_SHIFT);
        $.items[key] = item;
        $.itemKeys[_halfKey(ref, kind, index)] |= (HALF_SET | (id & S.LOW_127)) << (128 * (index & 1));
    }

    /// @notice Forgets a known item, and with it its place in every group.
    function forget(uint256 ref, uint256 kind, uint256 id, uint256 item) internal {
        S.Layout storage $ = S.load();
        uint256 index = indexOf(item);
        delete $.items[itemKey(ref, kind, id)];
        $.itemKeys[_halfKey(ref, kind, index)] &= uint256(type(uint128).max) << (128 * (~index & 1));
    }

    /// @return found False when the item of this index was removed.
    /// @return key The key in `items`.
    function keyAt(S.Layout storage $, uint256 ref, uint256 kind, uint256 index)
        internal
        view
        returns (bool found, uint256 key)
    {
        if (index == 0) return (true, itemKey(ref, kind, 0));
        uint256 half = $.itemKeys[_halfKey(ref, kind, index)] >> (128 * (index & 1));
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

    // ------------------------------------------------------------------------------------------------ groups

    /// @notice The word of a live group. GroupDoesNotExist otherwise.
    function loadGroup(uint256 accountHash, uint256 ref, uint256 groupId)
        internal
        view
        returns (uint256 group)
    {
        if (groupId <= S.MAX_GROUPS) group = S.load().groups[S.keyOf(ref, groupId)];
        if (group == 0) revert IAccountConfig.GroupDoesNotExist(accountHash, groupId);
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

    /// @return The items that a group permits among the indices [256 · word, 256 · word + 255], removed ones included.
    function groupWord(
        S.Layout storage $,
        uint256 ref,
        uint256 groupId,
        uint256 group,
        uint256 kind,
        uint256 word
    ) internal view returns (uint256) {
        uint256 part = group >> (GROUP_KIND_BITS * kind);
        uint256 bits = word == 0 ? part & INLINE_ITEMS_MASK : 0;
        if ((part >> (INLINE_ITEMS + (word & 7))) & 1 == 0) return bits;
        return bits | $.groupItems[_groupItemsKey(ref, kind, groupId, group, word)];
    }

    /// @return The groups that permit an item among the ids [256 · word, 256 · word + 255], removed ones included.
    function itemWord(S.Layout storage $, uint256 ref, uint256 kind, uint256 item, uint256 word)
        internal
        view
        returns (uint256)
    {
        uint256 bits = word == 0 ? item & S.INLINE_GROUPS_MASK : 0;
        if ((item >> (ITEM_MASK_SHIFT + (word & 7))) & 1 == 0) return bits;
        return bits | $.itemGroups[_itemGroupsKey(ref, kind, indexOf(item), word)];
    }

    /// @notice Permits a known item in a group.
    /// @return newGroup The word of the group; the caller saves it.
    /// @return changed False when the group permits it already.
    function link(uint256 ref, uint256 groupId, uint256 group, uint256 kind, uint256 key, uint256 item)
        internal
        returns (uint256 newGroup, bool changed)
    {
        S.Layout storage $ = S.load();
        uint256 index = indexOf(item);
        uint256 shift = GROUP_KIND_BITS * kind;
        if (index < INLINE_ITEMS) {
            newGroup = group | (uint256(1) << (shift + index));
            if (newGroup == group) return (group, false);
        } else {
            uint256 wordKey = _groupItemsKey(ref, kind, groupId, group, index >> 8);
            uint256 bits = $.groupItems[wordKey];
            uint256 newBits = bits | (uint256(1) << (index & 255));
            if (newBits == bits) return (group, false);
            $.groupItems[wordKey] = newBits;
            newGroup = group | (uint256(1) << (shift + INLINE_ITEMS + ((index >> 8) & 7)));
        }
        uint256 newItem;
        if (groupId < S.INLINE_GROUPS) {
            newItem = item | (uint256(1) << groupId);
        } else {
            $.itemGroups[_itemGroupsKey(ref, kind, index, groupId >> 8)] |= uint256(1) << (groupId & 255);
            newItem = item | (uint256(1) << (ITEM_MASK_SHIFT + ((groupId >> 8) & 7)));
        }
        if (newItem != item) $.items[key] = newItem;
        return (newGroup, true);
    }

    /// @notice Takes a member out of a group. The caller saves `newGroup`.
    function unlink(uint256 ref, uint256 groupId, uint256 group, uint256 kind, uint256 key, uint256 item)
        internal
        returns (uint256 newGroup)
    {
        S.Layout storage $ = S.load();
        uint256 index = indexOf(item);
        newGroup = group;
        if (index < INLINE_ITEMS) {
            newGroup &= ~(uint256(1) << (GROUP_KIND_BITS * kind + index));
        } else {
            $.groupItems[
                    _groupItemsKey(ref, kind, groupId, group, index >> 8)
                ] &= ~(uint256(1) << (index & 255));
        }
        _forgetGroup($, ref, groupId, kind, key, item);
    }

    /// @notice Takes every member out of a group. The item side of up to 20 members (what one call puts in) is cleared;
    /// what a larger group leaves there is refused by the check, which asks the group's side.
    /// @return newGroup The word of the empty group; the caller saves it.
    function clear(uint256 ref, uint256 groupId, uint256 group, uint256 header)
        internal
        returns (uint256 newGroup)
    {
        S.Layout storage $ = S.load();
        uint256 budget = CLEARED_MEMBERS;
        bool complete = true;
        for (uint256 kind; kind < 2; ++kind) {
            uint256 words = (itemCount(header, kind) >> 8) + 1;
            if (words > CLEARED_WORDS) (words, complete) = (CLEARED_WORDS, false);
            for (uint256 word; word < words; ++word) {
                uint256 bits = groupWord($, ref, groupId, group, kind, word);
                if (bits == 0) continue;
                bool overflows = word != 0 || bits > INLINE_ITEMS_MASK;
                for (; bits != 0 && budget != 0; bits &= bits - 1) {
                    (bool found, uint256 key) = keyAt($, ref, kind, 256 * word + LibBit.ffs(bits));
                    if (found) _forgetGroup($, ref, groupId, kind, key, $.items[key]);
                    --budget;
                }
                if (bits != 0) complete = false;
                else if (overflows) delete $.groupItems[_groupItemsKey(ref, kind, groupId, group, word)];
            }
        }
        newGroup = GROUP_ALIVE | (group & (MAX_VERSION << GROUP_VERSION_SHIFT));
        if (complete) return newGroup;
        // What is left in overflow words is out of reach under another version.
        if ((group >> GROUP_VERSION_SHIFT) & MAX_VERSION == MAX_VERSION) {
            revert IAccountConfig.InvalidRequest("too many updates of this group: remove it and add another");
        }
        newGroup += 1 << GROUP_VERSION_SHIFT;
    }

    /// @notice Takes a group out of an item's bits.
    function _forgetGroup(
        S.Layout storage $,
        uint256 ref,
        uint256 groupId,
        uint256 kind,
        uint256 key,
        uint256 item
    ) private {
        if (groupId < S.INLINE_GROUPS) {
            $.items[key] = item & ~(uint256(1) << groupId);
        } else {
            $.itemGroups[
                    _itemGroupsKey(ref, kind, indexOf(item), groupId >> 8)
                ] &= ~(uint256(1) << (groupId & 255));
        }
    }

    /// Words have at most 22 bits, group ids 30, versions 15: the fields do not overlap.
    function _groupItemsKey(uint256 ref, uint256 kind, uint256 groupId, uint256 group, uint256 word)
        private
        pure
        returns (uint256)
    {
        uint256 version = (group >> GROUP_VERSION_SHIFT) & MAX_VERSION;
        return S.keyOf(ref, (kind << 127) | (version << 62) | (groupId << 32) | word);
    }

    /// Words have at most 22 bits, indices 24: the fields do not overlap.
    function _itemGroupsKey(uint256 ref, uint256 kind, uint256 index, uint256 word)
        private
        pure
        returns (uint256)
    {
        return S.keyOf(ref, (kind << 127) | (index << 32) | word);
    }
}
