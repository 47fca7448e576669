// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import {
    ADDRESS_REST_MASK,
    AccountConfigStorage as S,
    AccountWord,
    ITEM_INDEX_SHIFT,
    ITEM_REST_SHIFT,
    ItemWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibMinters } from "./LibMinters.sol";
import { LibSparseSet, SparseSet } from "./LibSparseSet.sol";

/// @title LibItems
/// @notice The actions and wallets of an account, each with the set of groups that permit it.
///
/// Item 0 is "every". A removed item loses its word and gets a new index when it is added again, so that no membership under
/// its earlier index reaches it.
library LibItems {
    uint256 internal constant ACTION = S.ACTION;
    uint256 internal constant WALLET = S.WALLET;

    uint256 private constant PATH_SHIFT = 160;
    /// The path was minted for the wallet in `mintedFor`.
    uint256 private constant MINTED_ELSEWHERE = 1 << 103;
    uint256 private constant HALF_SET = 1 << 127;

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

    /// @notice True when groups of an item may be outside the windows of its word.
    function isSpread(ItemWord item) internal pure returns (bool) {
        return LibSparseSet.isSpread(groupsOf(item));
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
    function countOf(AccountWord header, uint256 kind) internal pure returns (uint256) {
        return
            (AccountWord.unwrap(header) >> (S.ACCOUNT_ITEMS_SHIFT + S.ACCOUNT_ITEMS_BITS * kind))
                & S.MAX_ITEMS;
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
        uint256 index = countOf(header, kind) + 1;
        if (index > S.MAX_ITEMS) revert IErrors.TooManyItems(S.MAX_ITEMS);
        newHeader = AccountWord.wrap(
            AccountWord.unwrap(header) + (1 << (S.ACCOUNT_ITEMS_SHIFT + S.ACCOUNT_ITEMS_BITS * kind))
        );
        uint256 word = (index << ITEM_INDEX_SHIFT) | ((id >> 127) << ITEM_REST_SHIFT) | (path << PATH_SHIFT);
        slot.word = word;
        item = ItemWord.wrap(word);
        $.itemKeys[_halfKey(ref, kind, index)].word |= (HALF_SET | (id & S.LOW_127)) << _halfShift(index);
    }

    /// @notice Removes a known item, and with it all of its memberships.
    function forget(Ref ref, uint256 kind, S.Word storage slot, ItemWord item) internal {
        uint256 index = indexOf(item);
        slot.word = 0;
        S.load()
            .itemKeys[_halfKey(ref, kind, index)].word &= ~(uint256(type(uint128).max) << _halfShift(index));
    }

    /// @return found False when the item of this index was removed.
    /// @return key The key in `items`.
    function keyAt(S.Layout storage $, Ref ref, uint256 kind, uint256 index)
        internal
        view
        returns (bool found, uint256 key)
    {
        if (index == 0) return (true, itemKey(ref, kind, 0));
        uint256 half = $.itemKeys[_halfKey(ref, kind, index)].word >> _halfShift(index);
        return (half & HALF_SET != 0, itemKey(ref, kind, half));
    }

    /// @notice Returns the derivation path of a known wallet.
    /// @param minter The wallet that the account's paths are minted for at present, see LibAccounts.minterOf.
    function pathOf(Ref ref, ItemWord item, address minter) internal view returns (uint256) {
        uint256 index = indexOf(item);
        address mintedFor = ItemWord.unwrap(item) & MINTED_ELSEWHERE == 0
            ? LibMinters.minterOf(ref, index, minter)
            : S.load().mintedFor[S.keyOf(ref, index)];
        return (uint256(uint160(mintedFor)) << 96) | (ItemWord.unwrap(item) >> PATH_SHIFT);
    }

    /// @notice Stores the wallet that a path was minted for, where LibMinters would give another one.
    function setMintedFor(Ref ref, uint256 pkpId, ItemWord item, address mintedFor) internal {
        S.Layout storage $ = S.load();
        $.items[itemKey(ref, WALLET, pkpId)].word = ItemWord.unwrap(item) | MINTED_ELSEWHERE;
        $.mintedFor[S.keyOf(ref, indexOf(item))] = mintedFor;
    }

    /// @notice Returns the groups that permit an item among the ids [256 · word, 256 · word + 255], including removed ones.
    function itemWord(S.Layout storage $, Ref ref, uint256 kind, ItemWord item, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        SparseSet set = groupsOf(item);
        bits = LibSparseSet.inWindows(set, word);
        if (LibSparseSet.mayHoldOutside(set, word)) {
            bits |= $.itemGroups[_itemGroupsKey(ref, kind, indexOf(item), word)].word;
        }
    }

    /// @notice Returns the word of an item's groups outside its windows that holds a group.
    function groupsOutside(Ref ref, uint256 kind, uint256 index, uint256 groupId)
        internal
        view
        returns (S.Word storage)
    {
        return S.load().itemGroups[_itemGroupsKey(ref, kind, index, groupId >> 8)];
    }

    /// @param index At least 1: items 1 and 2 share the first word of keys.
    function _halfKey(Ref ref, uint256 kind, uint256 index) private pure returns (uint256) {
        unchecked {
            return S.keyOf(ref, (kind << 127) | ((index - 1) >> 1));
        }
    }

    function _halfShift(uint256 index) private pure returns (uint256) {
        return (~index & 1) << 7;
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
