// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../interfaces/IActionWrites.sol";
import { IErrors } from "../../interfaces/IErrors.sol";
import { LibAccountWrites } from "../../libraries/LibAccountWrites.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibGroups } from "../../libraries/LibGroups.sol";
import { LibItems } from "../../libraries/LibItems.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMembers } from "../../libraries/LibMembers.sol";
import { AccountConfigStorage as S } from "../../storage/AccountConfigStorage.sol";
import { AccountWord } from "../../storage/AccountWord.sol";
import { GroupWord } from "../../storage/GroupWord.sol";
import { ItemWord } from "../../storage/ItemWord.sol";
import { KeyWords } from "../../storage/KeyWord.sol";
import { Kinds } from "../../storage/Kinds.sol";
import { Ref } from "../../storage/Ref.sol";

/// @notice Actions, see IActionWrites.
abstract contract ActionWrites is IActionWrites {
    /// @inheritdoc IActionWrites
    function addAction(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256 actionHash
    ) external {
        LibLimits.labels(name, description);
        if (actionHash == 0) revert IErrors.ActionHashIsZero();
        (uint256 masterHash, Ref ref, AccountWord header) = LibAuthority.authorizeMaster(apiKeyHash);
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, Kinds.ACTION, actionHash);
        if (known) revert IErrors.ActionAlreadyExists(apiKeyHash, actionHash);
        if (item.index() != 0) {
            // A usage key may have added another hash with the same 127 bits, so that this one is refused.
            LibItems.forget(ref, Kinds.ACTION, slot, item);
            uint256 key = S.itemKey(ref, Kinds.ACTION, actionHash);
            emit ActionRemoved(masterHash, item.idOf(Kinds.ACTION, key));
        }
        (header,) = LibItems.register(ref, header, Kinds.ACTION, actionHash, 0);
        LibAccountWrites.save(masterHash, header);
        emit ActionAdded(masterHash, actionHash, name, description);
    }

    /// @inheritdoc IActionWrites
    function removeAction(uint256 apiKeyHash, uint256 actionHash) external {
        (uint256 masterHash, Ref ref,) = LibAuthority.authorizeMaster(apiKeyHash);
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, Kinds.ACTION, actionHash);
        if (!known || actionHash == 0) {
            revert IErrors.ActionDoesNotExist(apiKeyHash, 0, actionHash);
        }
        LibItems.forget(ref, Kinds.ACTION, slot, item);
        emit ActionRemoved(masterHash, actionHash);
    }

    /// @inheritdoc IActionWrites
    function updateActionMetadata(
        uint256 apiKeyHash,
        uint256 actionHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        (uint256 masterHash, Ref ref,) = LibAuthority.authorizeMaster(apiKeyHash);
        (bool known,, ItemWord item) = LibItems.load(ref, Kinds.ACTION, actionHash);
        if (groupId != 0) {
            (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
            known = known && LibGroups.contains(ref, groupId, group, Kinds.ACTION, item);
        }
        if (!known || actionHash == 0) {
            revert IErrors.ActionDoesNotExist(apiKeyHash, groupId, actionHash);
        }
        emit ActionMetadataUpdated(masterHash, actionHash, name, description);
    }

    /// @inheritdoc IActionWrites
    function addActionToGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external {
        (uint256 masterHash, Ref ref, AccountWord header) =
            LibAuthority.authorizeInGroup(apiKeyHash, KeyWords.MANAGE_ACTIONS, groupId);
        (S.Word storage slot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        (, group) = LibMembers.addAction(masterHash, ref, header, groupId, group, actionHash);
        slot.word = GroupWord.unwrap(group);
    }

    /// @inheritdoc IActionWrites
    function removeActionFromGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external {
        (uint256 masterHash, Ref ref,) =
            LibAuthority.authorizeInGroup(apiKeyHash, KeyWords.MANAGE_ACTIONS, groupId);
        (S.Word storage slot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        group = LibMembers.removeAction(apiKeyHash, masterHash, ref, groupId, group, actionHash);
        slot.word = GroupWord.unwrap(group);
    }
}
