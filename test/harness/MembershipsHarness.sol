// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibGroups } from "../../contracts/libraries/LibGroups.sol";
import { LibItems } from "../../contracts/libraries/LibItems.sol";
import { LibMemberships } from "../../contracts/libraries/LibMemberships.sol";
import { LibMembershipsAssembly } from "../../contracts/libraries/LibMembershipsAssembly.sol";
import { AccountConfigStorage as S } from "../../contracts/storage/AccountConfigStorage.sol";
import { AccountWord } from "../../contracts/storage/AccountWord.sol";
import { GroupWord, GroupWords } from "../../contracts/storage/GroupWord.sol";
import { ItemWord } from "../../contracts/storage/ItemWord.sol";
import { Ref } from "../../contracts/storage/Ref.sol";
import { IMembershipsHarness } from "./IMembershipsHarness.sol";

/// @notice Compiled like the facets: the assembly has too many variables for a build without `via_ir`.
contract MembershipsHarness is IMembershipsHarness {
    Ref private constant REF = Ref.wrap(1 << 127 | 77);

    uint256 private kind;
    uint256 private groupId;
    AccountWord private header;
    GroupWord private group;

    function start(uint256 kind_, uint256 groupId_, uint256 indices) external {
        (kind, groupId, group) = (kind_, groupId_, GroupWords.EMPTY);
        header = AccountWord.wrap(0);
        skip(indices);
    }

    function skip(uint256 indices) public {
        for (uint256 i; i < indices; ++i) {
            header = header.withItem(kind);
        }
    }

    function register(uint256 id) external {
        (header,) = LibItems.register(REF, header, kind, id, 1);
    }

    function forget(uint256 id) external {
        (, S.Word storage slot, ItemWord item) = LibItems.load(REF, kind, id);
        LibItems.forget(REF, kind, slot, item);
    }

    function addToItem(uint256 id, uint256 other) external {
        (, S.Word storage slot, ItemWord item) = LibItems.load(REF, kind, id);
        (uint256 change,) = item.groups().add(other);
        slot.word ^= change;
    }

    function link(uint256 id) public {
        (, S.Word storage slot, ItemWord item) = LibItems.load(REF, kind, id);
        (group,) = LibMemberships.link(REF, groupId, group, kind, slot, item);
    }

    function indexOf(uint256 id) external view returns (uint256) {
        (,, ItemWord item) = LibItems.load(REF, kind, id);
        return item.index();
    }

    function state(uint256[] calldata ids) external view returns (uint256[] memory words) {
        words = new uint256[](3 * ids.length + 3);
        for (uint256 i; i < ids.length; ++i) {
            (,, ItemWord item) = LibItems.load(REF, kind, ids[i]);
            words[3 * i] = ItemWord.unwrap(item);
            words[3 * i + 1] = LibItems.itemWord(S.load(), REF, kind, item, 0);
            words[3 * i + 2] = LibItems.itemWord(S.load(), REF, kind, item, 1);
        }
        words[3 * ids.length] = GroupWord.unwrap(group);
        words[3 * ids.length + 1] = LibGroups.members(REF, groupId, group, kind, 0);
        words[3 * ids.length + 2] = LibGroups.members(REF, groupId, group, kind, 1);
    }

    function linkNear(uint256[] calldata ids, uint256 from) external returns (uint256 to) {
        (group, to) = LibMembershipsAssembly.linkNear(REF, groupId, group, kind, ids, from);
    }

    function linkOneByOne(uint256[] calldata ids, uint256 from) external returns (uint256 to) {
        for (to = from; to < ids.length; ++to) {
            (bool known,, ItemWord item) = LibItems.load(REF, kind, ids[to]);
            uint256 index = item.index();
            bool near = group.items(kind).bitOf(index) != 0;
            if (!known || ids[to] == 0 || !near || !_hasGroupInWindow(item)) break;
            link(ids[to]);
        }
    }

    function clearNear(uint256 index, uint256 bits) external returns (uint256 newIndex, uint256 newBits) {
        return LibMembershipsAssembly.clearNear(REF, groupId, kind, index, bits);
    }

    function clearOneByOne(uint256 index, uint256 bits) external returns (uint256 newIndex, uint256 newBits) {
        for (; bits & 1 != 0; (index, bits) = (index + 1, bits >> 1)) {
            (bool found, uint256 key) = LibItems.keyAt(S.load(), REF, kind, index);
            S.Word storage slot = S.load().items[key];
            ItemWord item = ItemWord.wrap(slot.word);
            if (index == 0 || !found || !_hasGroupInWindow(item)) break;
            LibMemberships.unlinkItem(REF, groupId, kind, slot, item);
        }
        return (index, bits);
    }

    function _hasGroupInWindow(ItemWord item) private view returns (bool) {
        return item.groups().bitOf(groupId) != 0;
    }
}
