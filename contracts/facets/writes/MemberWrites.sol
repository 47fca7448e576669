// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IMemberWrites } from "../../interfaces/IMemberWrites.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibGroups } from "../../libraries/LibGroups.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMembers } from "../../libraries/LibMembers.sol";
import { AccountConfigStorage as S } from "../../storage/AccountConfigStorage.sol";
import { AccountWord } from "../../storage/AccountWord.sol";
import { GroupWord } from "../../storage/GroupWord.sol";
import { KeyWords } from "../../storage/KeyWord.sol";

/// @notice Several members of a group, see IMemberWrites.
abstract contract MemberWrites is IMemberWrites {
    /// @inheritdoc IMemberWrites
    function addToGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        (LibMembers.Target memory t, AccountWord header, S.Word storage slot) =
            _authorize(apiKeyHash, groupId, cidHashes, pkpIds, KeyWords.ADD_PKP);
        for (uint256 i; i < cidHashes.length; ++i) {
            header = LibMembers.addAction(t, header, cidHashes[i]);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            LibMembers.addWallet(t, pkpIds[i]);
        }
        slot.word = GroupWord.unwrap(t.word);
    }

    /// @inheritdoc IMemberWrites
    function removeFromGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        (LibMembers.Target memory t,, S.Word storage slot) =
            _authorize(apiKeyHash, groupId, cidHashes, pkpIds, KeyWords.REMOVE_PKP);
        for (uint256 i; i < cidHashes.length; ++i) {
            LibMembers.removeAction(t, cidHashes[i]);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            LibMembers.removeWallet(t, pkpIds[i]);
        }
        slot.word = GroupWord.unwrap(t.word);
    }

    /// @param walletList The list that permits the wallets.
    function _authorize(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds,
        uint256 walletList
    ) private returns (LibMembers.Target memory t, AccountWord header, S.Word storage slot) {
        LibLimits.groupEntries(cidHashes, pkpIds);
        (t.apiKeyHash, t.groupId) = (apiKeyHash, groupId);
        (t.masterHash, t.ref, header) = LibAuthority.authorizeInGroup({
            hash: apiKeyHash,
            first: KeyWords.MANAGE_ACTIONS,
            needsFirst: cidHashes.length != 0,
            second: walletList,
            needsSecond: pkpIds.length != 0,
            groupId: groupId
        });
        (slot, t.word) = LibGroups.load(apiKeyHash, t.ref, groupId);
    }
}
