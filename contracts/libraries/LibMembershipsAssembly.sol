// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { GROUP_KIND_SHIFT, GroupWord } from "../storage/GroupWord.sol";
import {
    ADDRESS_REST_MASK,
    ITEM_INDEX_MASK,
    ITEM_INDEX_SHIFT,
    ITEM_REST_SHIFT
} from "../storage/ItemWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { Ref, Refs } from "../storage/Ref.sol";
import { SPARSE_BLOCK_MASK, SPARSE_BLOCK_SHIFT, SPARSE_SECOND } from "../storage/SparseSet.sol";

/// @title LibMembershipsAssembly
/// @notice Loops of LibMemberships for the most frequent items, in assembly because they save 5 % of an addGroup of
/// 20 items, and 7 % of an updateGroup.
/// Each stops at the first item that is not such an item, and LibMemberships goes on from there in Solidity.
library LibMembershipsAssembly {
    /// @notice Twin of LibMemberships.link for one item after the other. Stops at the first item that is unknown, "every",
    /// or outside the group's windows, or that has the group outside its own windows.
    /// @param from The position in `ids` of the first item to permit.
    /// @return newGroup The new word of the group. The caller saves it.
    /// @return to The position of the item that it stopped at, else the length.
    function linkNear(
        Ref ref,
        uint256 groupId,
        GroupWord group,
        uint256 kind,
        uint256[] calldata ids,
        uint256 from
    ) internal returns (GroupWord newGroup, uint256 to) {
        uint256 keys = S.itemKey(ref, kind, 0);
        uint256 restMask = kind == Kinds.WALLET ? ADDRESS_REST_MASK : type(uint256).max;
        uint256 shift = GROUP_KIND_SHIFT * kind;
        uint256 low127 = Refs.LOW_127;
        uint256 itemsSlot = _slotOf(S.load().items);
        newGroup = group;
        // memory-safe: writes the scratch space only.
        assembly ("memory-safe") {
            mstore(0x20, itemsSlot)
            let end := add(ids.offset, shl(5, ids.length))
            let at := add(ids.offset, shl(5, from))
            // The windows of the group do not move: every item has its index in one of them.
            let first := and(shr(add(shift, SPARSE_BLOCK_SHIFT), newGroup), SPARSE_BLOCK_MASK)
            let second :=
                and(shr(add(shift, add(SPARSE_SECOND, SPARSE_BLOCK_SHIFT)), newGroup), SPARSE_BLOCK_MASK)
            let one := shl(shift, 1)
            let groupBlock := shr(5, groupId)
            let groupBit := shl(and(groupId, 31), 1)
            for { } lt(at, end) { at := add(at, 0x20) } {
                let id := calldataload(at)
                mstore(0, or(keys, and(id, low127)))
                let slot := keccak256(0, 0x40)
                let item := sload(slot)
                let index := and(shr(ITEM_INDEX_SHIFT, item), ITEM_INDEX_MASK)
                // SparseSets.bitOf of the group in the item, and of the item in the group.
                let bit := groupBit
                if sub(and(shr(SPARSE_BLOCK_SHIFT, item), SPARSE_BLOCK_MASK), groupBlock) {
                    let itemBlock := and(shr(add(SPARSE_SECOND, SPARSE_BLOCK_SHIFT), item), SPARSE_BLOCK_MASK)
                    bit := shl(SPARSE_SECOND, mul(bit, eq(itemBlock, groupBlock)))
                }
                let itemBit := one
                if sub(shr(5, index), first) {
                    itemBit := shl(SPARSE_SECOND, mul(one, eq(shr(5, index), second)))
                }
                if or(
                    or(sub(and(shr(ITEM_REST_SHIFT, item), restMask), shr(127, id)), iszero(index)),
                    iszero(mul(bit, itemBit))
                ) { break }
                sstore(slot, or(item, bit))
                newGroup := or(newGroup, shl(and(index, 31), itemBit))
            }
            to := shr(5, sub(at, ids.offset))
        }
    }

    /// @notice Twin of LibMemberships.unlinkItem for one item after the other. Stops at the first item that is not a member,
    /// removed, "every", or that has the group outside its windows.
    /// @param index The index of the item of bit 0.
    /// @param bits The members from there on.
    /// @return newIndex The index of the item that it stopped at.
    /// @return newBits The members from there on.
    function clearNear(Ref ref, uint256 groupId, uint256 kind, uint256 index, uint256 bits)
        internal
        returns (uint256 newIndex, uint256 newBits)
    {
        uint256 keys = S.itemKey(ref, kind, 0);
        uint256 low127 = Refs.LOW_127;
        uint256 itemsSlot = _slotOf(S.load().items);
        uint256 itemKeysSlot = _slotOf(S.load().itemKeys);
        (newIndex, newBits) = (index, bits);
        // memory-safe: writes the scratch space only.
        assembly ("memory-safe") {
            let pair := not(0)
            let halves
            let groupBlock := shr(5, groupId)
            let groupBit := shl(and(groupId, 31), 1)
            for { } and(newBits, 1) {
                newBits := shr(1, newBits)
                newIndex := add(newIndex, 1)
            } {
                // Two items share a word of keys. "Every", item 0, has none: no key ends in that number of a pair.
                let place := sub(newIndex, 1)
                if sub(shr(1, place), pair) {
                    pair := shr(1, place)
                    mstore(0, or(keys, pair))
                    mstore(0x20, itemKeysSlot)
                    halves := sload(keccak256(0, 0x40))
                    mstore(0x20, itemsSlot)
                }
                let half := shr(shl(7, and(place, 1)), halves)
                mstore(0, or(keys, and(half, low127)))
                let slot := keccak256(0, 0x40)
                let item := sload(slot)
                // SparseSets.bitOf of the group in the item.
                let bit := groupBit
                if sub(and(shr(SPARSE_BLOCK_SHIFT, item), SPARSE_BLOCK_MASK), groupBlock) {
                    let itemBlock := and(shr(add(SPARSE_SECOND, SPARSE_BLOCK_SHIFT), item), SPARSE_BLOCK_MASK)
                    bit := shl(SPARSE_SECOND, mul(bit, eq(itemBlock, groupBlock)))
                }
                // The half of a removed item is 0, and so is the half of "every".
                if iszero(mul(and(shr(127, half), 1), bit)) { break }
                sstore(slot, and(item, not(bit)))
            }
        }
    }

    function _slotOf(mapping(uint256 => S.Word) storage words) private pure returns (uint256 slot) {
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            slot := words.slot
        }
    }
}
