// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { Bits } from "../storage/Bits.sol";
import { ItemKeys, ItemWord, ItemWords, Paths } from "../storage/ItemWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { LibMinters } from "../storage/LibMinters.sol";
import { Ref, Refs } from "../storage/Ref.sol";
import { SparseSet } from "../storage/SparseSet.sol";

/// @title LibItems
/// @notice The actions and wallets of an account, each with the set of groups that permit it.
///
/// Item 0 is "every". A removed item loses its word and gets a new index when it is added again, so that no membership under
/// its earlier index reaches it.
library LibItems {
    /// @return known True for "every" (id 0) too.
    /// @return slot The slot of its word.
    /// @return item Its word.
    function load(Ref ref, uint256 kind, uint256 id)
        internal
        view
        returns (bool known, S.Word storage slot, ItemWord item)
    {
        slot = S.load().items[S.itemKey(ref, kind, id)];
        item = ItemWord.wrap(slot.word);
        known = item.isOf(kind, id);
    }

    /// @notice Gives an unknown item the next index. The caller saves the new header.
    /// @param path The lower 96 bits of a wallet's path, 0 for an action.
    function register(Ref ref, AccountWord header, uint256 kind, uint256 id, uint256 path)
        internal
        returns (AccountWord newHeader, ItemWord item)
    {
        S.Layout storage $ = S.load();
        S.Word storage slot = $.items[S.itemKey(ref, kind, id)];
        // Never by chance: it takes another item of the same account with the same lower 127 bits.
        if (id & Refs.LOW_127 == 0 || slot.word != 0) revert IErrors.IdCollision(id);
        uint256 index = header.itemCount(kind) + 1;
        if (index > ItemWords.MAX_INDEX) revert IErrors.TooManyItems(ItemWords.MAX_INDEX);
        newHeader = header.withItem(kind);
        item = ItemWords.create(index, id, path);
        slot.word = ItemWord.unwrap(item);
        S.Word storage keys = $.itemKeys[S.itemKeysKey(ref, kind, index)];
        keys.word = ItemKeys.with(keys.word, index, id);
    }

    /// @notice Removes a known item, and with it all of its memberships.
    function forget(Ref ref, uint256 kind, S.Word storage slot, ItemWord item) internal {
        uint256 index = item.index();
        slot.word = 0;
        S.Word storage keys = S.load().itemKeys[S.itemKeysKey(ref, kind, index)];
        keys.word = ItemKeys.without(keys.word, index);
    }

    /// @return found False when the item of this index was removed.
    /// @return key The key in `items`.
    function keyAt(S.Layout storage $, Ref ref, uint256 kind, uint256 index)
        internal
        view
        returns (bool found, uint256 key)
    {
        if (index == 0) return (true, S.itemKey(ref, kind, 0));
        (found, key) = ItemKeys.half($.itemKeys[S.itemKeysKey(ref, kind, index)].word, index);
        key = S.itemKey(ref, kind, key);
    }

    /// @notice Returns the derivation path of a known wallet.
    /// @param minter The wallet that the account's paths are minted for at present.
    function pathOf(Ref ref, ItemWord item, address minter) internal view returns (uint256) {
        uint256 index = item.index();
        address mintedFor = item.isMintedElsewhere()
            ? S.load().mintedFor[ref.above(index)]
            : LibMinters.minterOf(ref, index, minter);
        return Paths.create(mintedFor, item.randomPath());
    }

    /// @notice Stores the wallet that a path was minted for, where LibMinters would give another one.
    function setMintedFor(Ref ref, address pkpId, ItemWord item, address mintedFor) internal {
        S.Layout storage $ = S.load();
        $.items[S.itemKey(ref, Kinds.WALLET, uint160(pkpId))].word = ItemWord.unwrap(item.mintedElsewhere());
        $.mintedFor[ref.above(item.index())] = mintedFor;
    }

    /// @notice Returns the groups that permit an item among the ids [256 · word, 256 · word + 255], including removed ones.
    function itemWord(S.Layout storage $, Ref ref, uint256 kind, ItemWord item, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        SparseSet set = item.groups();
        bits = set.inWindows(word);
        if (set.mayHoldOutside(word)) {
            bits |= $.itemGroups[S.itemGroupsKey(ref, kind, item.index(), word)].word;
        }
    }

    /// @notice Returns the word of an item's groups outside its windows that holds a group.
    function groupsOutside(Ref ref, uint256 kind, uint256 index, uint256 groupId)
        internal
        view
        returns (S.Word storage)
    {
        return S.load().itemGroups[S.itemGroupsKey(ref, kind, index, Bits.wordOf(groupId))];
    }
}
