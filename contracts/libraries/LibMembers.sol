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
/// @notice Adds and removes single members of a group, with their events. The caller is authorised.
library LibMembers {
    /// @notice The group of a call. The caller saves `word`.
    struct Target {
        uint256 apiKeyHash;
        uint256 masterHash;
        Ref ref;
        uint256 groupId;
        GroupWord word;
    }

    /// @notice Permits an action, which is registered with empty labels when the account does not have it.
    /// @return newHeader The header, which is saved when it changes.
    function addAction(Target memory t, AccountWord header, uint256 actionHash)
        internal
        returns (AccountWord newHeader)
    {
        newHeader = header;
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(t.ref, Kinds.ACTION, actionHash);
        if (!known) {
            (newHeader, item) = LibItems.register(t.ref, header, Kinds.ACTION, actionHash, 0);
            LibAccountWrites.save(t.masterHash, newHeader);
            emit IActionWrites.ActionAdded(t.masterHash, actionHash, "", "");
        }
        if (_link(t, Kinds.ACTION, slot, item)) {
            emit IActionWrites.ActionAddedToGroup(t.masterHash, t.groupId, actionHash);
        }
    }

    function addWallet(Target memory t, address pkpId) internal {
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(t.ref, Kinds.WALLET, uint160(pkpId));
        if (!known) revert IErrors.PkpDoesNotExist(t.apiKeyHash, t.groupId, pkpId);
        if (_link(t, Kinds.WALLET, slot, item)) {
            emit IWalletWrites.PkpAddedToGroup(t.masterHash, t.groupId, pkpId);
        }
    }

    function removeAction(Target memory t, uint256 actionHash) internal {
        if (!_unlink(t, Kinds.ACTION, actionHash)) {
            revert IErrors.ActionDoesNotExist(t.apiKeyHash, t.groupId, actionHash);
        }
        emit IActionWrites.ActionRemovedFromGroup(t.masterHash, t.groupId, actionHash);
    }

    function removeWallet(Target memory t, address pkpId) internal {
        if (!_unlink(t, Kinds.WALLET, uint160(pkpId))) {
            revert IErrors.PkpDoesNotExist(t.apiKeyHash, t.groupId, pkpId);
        }
        emit IWalletWrites.PkpRemovedFromGroup(t.masterHash, t.groupId, pkpId);
    }

    function _link(Target memory t, uint256 kind, S.Word storage slot, ItemWord item)
        private
        returns (bool changed)
    {
        (t.word, changed) = LibMemberships.link(t.ref, t.groupId, t.word, kind, slot, item);
    }

    /// @return False when the item is unknown or not a member.
    function _unlink(Target memory t, uint256 kind, uint256 id) private returns (bool) {
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(t.ref, kind, id);
        if (!known || !LibGroups.contains(t.ref, t.groupId, t.word, kind, item)) return false;
        t.word = LibMemberships.unlink(t.ref, t.groupId, t.word, kind, slot, item);
        return true;
    }
}
