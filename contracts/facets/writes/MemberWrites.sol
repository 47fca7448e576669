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
import { Ref } from "../../storage/Ref.sol";

/// @notice Several members of a group, see IMemberWrites.
abstract contract MemberWrites is IMemberWrites {
    /// @inheritdoc IMemberWrites
    function addToGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        (uint256 masterHash, Ref ref, AccountWord header) =
            _authorize(apiKeyHash, groupId, cidHashes, pkpIds, KeyWords.ADD_PKP);
        (S.Word storage slot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        for (uint256 i; i < cidHashes.length; ++i) {
            (header, group) = LibMembers.addAction(masterHash, ref, header, groupId, group, cidHashes[i]);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            group = LibMembers.addWallet(apiKeyHash, masterHash, ref, groupId, group, pkpIds[i]);
        }
        slot.word = GroupWord.unwrap(group);
    }

    /// @inheritdoc IMemberWrites
    function removeFromGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        (uint256 masterHash, Ref ref,) = _authorize(
            apiKeyHash, groupId, cidHashes, pkpIds, KeyWords.REMOVE_PKP
        );
        (S.Word storage slot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        for (uint256 i; i < cidHashes.length; ++i) {
            group = LibMembers.removeAction(apiKeyHash, masterHash, ref, groupId, group, cidHashes[i]);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            group = LibMembers.removeWallet(apiKeyHash, masterHash, ref, groupId, group, pkpIds[i]);
        }
        slot.word = GroupWord.unwrap(group);
    }

    /// @param walletList The list that permits the wallets.
    function _authorize(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds,
        uint256 walletList
    ) private returns (uint256 masterHash, Ref ref, AccountWord header) {
        LibLimits.groupEntries(cidHashes, pkpIds);
        return LibAuthority.authorizeInGroup({
            hash: apiKeyHash,
            first: KeyWords.MANAGE_ACTIONS,
            needsFirst: cidHashes.length != 0,
            second: walletList,
            needsSecond: pkpIds.length != 0,
            groupId: groupId
        });
    }
}
