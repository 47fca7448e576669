// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../interfaces/IActionWrites.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { IWalletWrites } from "../interfaces/IWalletWrites.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { GroupWord } from "../storage/GroupWord.sol";
import { ItemWord } from "../storage/ItemWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { Ref } from "../storage/Ref.sol";
import { LibAccountWrites } from "./LibAccountWrites.sol";
import { LibGroups } from "./LibGroups.sol";
import { LibItems } from "./LibItems.sol";
import { LibMemberships } from "./LibMemberships.sol";

/// @title LibMembers
/// @notice Adds and removes single members of a group, with their events. The caller is authorised, and saves the word of the
/// group that it gets.
library LibMembers {
    /// @notice Permits an action, which is registered with empty labels when the account does not have it.
    /// @return newHeader The header, which is saved when it changes.
    function addAction(
        uint256 masterHash,
        Ref ref,
        AccountWord header,
        uint256 groupId,
        GroupWord group,
        uint256 actionHash
    ) internal returns (AccountWord newHeader, GroupWord newGroup) {
        newHeader = header;
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, Kinds.ACTION, actionHash);
        if (!known) {
            (newHeader, item) = LibItems.register(ref, header, Kinds.ACTION, actionHash, 0);
            LibAccountWrites.save(masterHash, newHeader);
            emit IActionWrites.ActionAdded(masterHash, actionHash, "", "");
        }
        bool changed;
        (newGroup, changed) = LibMemberships.link(ref, groupId, group, Kinds.ACTION, slot, item);
        if (changed) emit IActionWrites.ActionAddedToGroup(masterHash, groupId, actionHash);
    }

    function addWallet(
        uint256 apiKeyHash,
        uint256 masterHash,
        Ref ref,
        uint256 groupId,
        GroupWord group,
        address pkpId
    ) internal returns (GroupWord newGroup) {
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, Kinds.WALLET, uint160(pkpId));
        if (!known) revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpId);
        bool changed;
        (newGroup, changed) = LibMemberships.link(ref, groupId, group, Kinds.WALLET, slot, item);
        if (changed) emit IWalletWrites.PkpAddedToGroup(masterHash, groupId, pkpId);
    }

    function removeAction(
        uint256 apiKeyHash,
        uint256 masterHash,
        Ref ref,
        uint256 groupId,
        GroupWord group,
        uint256 actionHash
    ) internal returns (GroupWord newGroup) {
        bool found;
        (found, newGroup) = _unlink(ref, groupId, group, Kinds.ACTION, actionHash);
        if (!found) revert IErrors.ActionDoesNotExist(apiKeyHash, groupId, actionHash);
        emit IActionWrites.ActionRemovedFromGroup(masterHash, groupId, actionHash);
    }

    function removeWallet(
        uint256 apiKeyHash,
        uint256 masterHash,
        Ref ref,
        uint256 groupId,
        GroupWord group,
        address pkpId
    ) internal returns (GroupWord newGroup) {
        bool found;
        (found, newGroup) = _unlink(ref, groupId, group, Kinds.WALLET, uint160(pkpId));
        if (!found) revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpId);
        emit IWalletWrites.PkpRemovedFromGroup(masterHash, groupId, pkpId);
    }

    /// @return found False when the item is unknown or not a member.
    function _unlink(Ref ref, uint256 groupId, GroupWord group, uint256 kind, uint256 id)
        private
        returns (bool found, GroupWord newGroup)
    {
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, kind, id);
        if (!known || !LibGroups.contains(ref, groupId, group, kind, item)) return (false, group);
        return (true, LibMemberships.unlink(ref, groupId, group, kind, slot, item));
    }
}
