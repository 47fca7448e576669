// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Kinds } from "./Kinds.sol";
import { Ref, Refs } from "./Ref.sol";
import { SparseSet } from "./SparseSet.sol";

// The layout of an item, for assembly, which takes constants of a file only.
uint256 constant ITEM_INDEX_SHIFT = 104;
uint256 constant ITEM_INDEX_MASK = 0x3fffff;
uint256 constant ITEM_REST_SHIFT = 127;
uint256 constant ADDRESS_REST_MASK = (1 << 33) - 1;

/// @notice An action or a wallet of an account, 0 for an unknown one: groups that permit it: set 102 | minted elsewhere 1 at
/// 103 | index 22 at 104 | rest at 127 (rest: the upper 129 bits of the CID hash; or 33 bits of the address, then 96 bits of the
/// path).
type ItemWord is uint256;

using ItemWords for ItemWord global;

library ItemWords {
    uint256 internal constant MAX_INDEX = ITEM_INDEX_MASK;
    uint256 private constant PATH_SHIFT = 160;
    uint256 private constant MINTED_ELSEWHERE = 1 << 103;

    /// @param path The lower 96 bits of a wallet's path, 0 for an action.
    function create(uint256 index_, uint256 id, uint256 path) internal pure returns (ItemWord) {
        return ItemWord.wrap(
            (index_ << ITEM_INDEX_SHIFT) | ((id >> 127) << ITEM_REST_SHIFT) | (path << PATH_SHIFT)
        );
    }

    function index(ItemWord item) internal pure returns (uint256) {
        return (ItemWord.unwrap(item) >> ITEM_INDEX_SHIFT) & ITEM_INDEX_MASK;
    }

    /// @notice Returns the groups that permit an item.
    function groups(ItemWord item) internal pure returns (SparseSet) {
        return SparseSet.wrap(ItemWord.unwrap(item));
    }

    /// @notice True when `item` is the word of `id`. "Every" (id 0) is known to every account.
    function isOf(ItemWord item, uint256 kind, uint256 id) internal pure returns (bool) {
        uint256 word = ItemWord.unwrap(item);
        return _rest(item, kind) == id >> 127 && (word & (MAX_INDEX << ITEM_INDEX_SHIFT) != 0 || id == 0);
    }

    /// @notice Returns the CID hash or address of an item by its key and word.
    function idOf(ItemWord item, uint256 kind, uint256 key) internal pure returns (uint256) {
        return (_rest(item, kind) << 127) | (key & Refs.LOW_127);
    }

    function _rest(ItemWord item, uint256 kind) private pure returns (uint256 rest) {
        rest = ItemWord.unwrap(item) >> ITEM_REST_SHIFT;
        if (kind == Kinds.WALLET) rest &= ADDRESS_REST_MASK;
    }

    /// @notice Returns the lower 96 bits of a wallet's path.
    function randomPath(ItemWord item) internal pure returns (uint256) {
        return ItemWord.unwrap(item) >> PATH_SHIFT;
    }

    /// @notice True when the path was minted for the wallet in `mintedFor`.
    function isMintedElsewhere(ItemWord item) internal pure returns (bool) {
        return ItemWord.unwrap(item) & MINTED_ELSEWHERE != 0;
    }

    function mintedElsewhere(ItemWord item) internal pure returns (ItemWord) {
        return ItemWord.wrap(ItemWord.unwrap(item) | MINTED_ELSEWHERE);
    }
}

/// @notice A derivation path: the wallet that it was minted for 160 at bit 96 | random 96. And a word of its owner: ref 128 |
/// owned 1, even for a ref of 0 | the lower 127 bits of the wallet.
library Paths {
    uint256 private constant OWNED = 1 << 128;
    uint256 private constant WALLET_SHIFT = 129;

    /// @notice Returns the account in a word of an owner.
    function ownerOf(uint256 word) internal pure returns (Ref) {
        // The cast drops the "owned" bit and the wallet.
        return Ref.wrap(uint128(word));
    }

    function create(address minter, uint256 random) internal pure returns (uint256) {
        return (uint256(uint160(minter)) << 96) | random;
    }

    function minterOf(uint256 path) internal pure returns (address) {
        // The cast is safe: 160 bits are left.
        return address(uint160(path >> 96));
    }

    function randomOf(uint256 path) internal pure returns (uint256) {
        return path & type(uint96).max;
    }

    /// @notice A path makes one wallet, of which 127 bits fit.
    function ownerWord(Ref ref, address pkpId) internal pure returns (uint256) {
        return OWNED | Ref.unwrap(ref) | (uint256(uint160(pkpId)) << WALLET_SHIFT);
    }
}

/// @notice The words of `itemKeys`: two halves of a set bit and the 127 bits of an item's key. Items 1 and 2 share the first word.
library ItemKeys {
    uint256 private constant SET = 1 << 127;

    /// @param index At least 1.
    function wordOf(uint256 index) internal pure returns (uint256) {
        // Unchecked: not 0.
        unchecked {
            return (index - 1) >> 1;
        }
    }

    /// @return found False when the item of this index was removed.
    /// @return key The lower 127 bits of its id, and other bits above them.
    function half(uint256 word, uint256 index) internal pure returns (bool found, uint256 key) {
        key = word >> _shift(index);
        found = key & SET != 0;
    }

    /// @notice Adds an item to the half of its index, which is 0.
    function with(uint256 word, uint256 index, uint256 id) internal pure returns (uint256) {
        return word | (SET | (id & Refs.LOW_127)) << _shift(index);
    }

    function without(uint256 word, uint256 index) internal pure returns (uint256) {
        return word & ~(uint256(type(uint128).max) << _shift(index));
    }

    function _shift(uint256 index) private pure returns (uint256) {
        return (~index & 1) << 7;
    }
}
