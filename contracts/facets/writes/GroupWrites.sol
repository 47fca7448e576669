// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../interfaces/IActionWrites.sol";
import { IErrors } from "../../interfaces/IErrors.sol";
import { IGroupWrites } from "../../interfaces/IGroupWrites.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    GroupWord,
    KeyWord,
    MasterWord,
    Ref
} from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibEventsAssembly } from "../../libraries/LibEventsAssembly.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibGroups } from "../../libraries/LibGroups.sol";
import { LibItems } from "../../libraries/LibItems.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMemberships } from "../../libraries/LibMemberships.sol";
import { LibSparseSet, SparseSet } from "../../libraries/LibSparseSet.sol";

/// @notice Groups, see IGroupWrites.
abstract contract GroupWrites is IGroupWrites {
    /// @inheritdoc IGroupWrites
    function addGroup(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external returns (uint256 groupId) {
        LibLimits.labels(name, description);
        LibLimits.groupEntries(cidHashes, pkpIds);
        (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey) =
            LibAuthority.authorize(apiKeyHash, LibGrants.CREATE_GROUPS);
        if (S.exists(usageKey)) {
            if (cidHashes.length != 0) {
                LibAuthority.requireGrant(apiKeyHash, ref, usageKey, LibGrants.MANAGE_ACTIONS, 0);
            }
            if (pkpIds.length != 0) {
                LibAuthority.requireGrant(apiKeyHash, ref, usageKey, LibGrants.ADD_PKP, 0);
            }
        }
        S.Word storage master = S.load().masters[Ref.unwrap(ref)];
        groupId = S.groupCount(MasterWord.wrap(master.word)) + 1;
        if (groupId > S.MAX_GROUPS) revert IErrors.TooManyGroups(apiKeyHash, S.MAX_GROUPS);
        master.word += 1 << S.MASTER_GROUPS_SHIFT;
        _fill(apiKeyHash, masterHash, ref, header, groupId, LibGroups.EMPTY, cidHashes, pkpIds);
        LibEventsAssembly.groupAdded(
            masterHash, groupId, name, description, cidHashes, LibEventsAssembly.asWords(pkpIds)
        );
    }

    /// @inheritdoc IGroupWrites
    function updateGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        LibLimits.labels(name, description);
        LibLimits.groupEntries(cidHashes, pkpIds);
        (uint256 masterHash, Ref ref, AccountWord header) = LibAuthority.authorizeMaster(apiKeyHash);
        (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        group = LibMemberships.clear(ref, groupId, group);
        _fill(apiKeyHash, masterHash, ref, header, groupId, group, cidHashes, pkpIds);
        LibEventsAssembly.groupUpdated(
            masterHash, groupId, name, description, cidHashes, LibEventsAssembly.asWords(pkpIds)
        );
    }

    /// @inheritdoc IGroupWrites
    function updateGroupMetadata(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        (uint256 masterHash, Ref ref,) = LibAuthority.authorizeMaster(apiKeyHash);
        LibGroups.load(apiKeyHash, ref, groupId);
        emit GroupMetadataUpdated(masterHash, groupId, name, description);
    }

    /// @inheritdoc IGroupWrites
    function removeGroup(uint256 apiKeyHash, uint256 groupId) external {
        (uint256 masterHash, Ref ref,,) = LibAuthority.authorize(apiKeyHash, LibGrants.DELETE_GROUPS);
        (S.Word storage slot,) = LibGroups.load(apiKeyHash, ref, groupId);
        slot.word = 0;
        S.Layout storage $ = S.load();
        S.Word storage master = $.masters[Ref.unwrap(ref)];
        SparseSet removed = S.removedGroups(MasterWord.wrap(master.word));
        (uint256 change, bool outside) = LibSparseSet.add(removed, groupId);
        if (change != 0) master.word ^= change;
        if (outside) $.removedGroups[S.keyOf(ref, groupId >> 8)].word |= 1 << (groupId & 255);
        emit GroupRemoved(masterHash, groupId);
    }

    /// @notice Permits the contents in an empty group and saves its word.
    function _fill(
        uint256 apiKeyHash,
        uint256 masterHash,
        Ref ref,
        AccountWord header,
        uint256 groupId,
        GroupWord group,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) private {
        AccountWord newHeader = header;
        uint256 i;
        while (true) {
            (group, i) = LibMemberships.linkKnown(ref, groupId, group, LibItems.ACTION, cidHashes, i);
            if (i == cidHashes.length) break;
            (newHeader,) = LibItems.register(ref, newHeader, LibItems.ACTION, cidHashes[i], 0);
            emit IActionWrites.ActionAdded(masterHash, cidHashes[i], "", "");
        }
        (group, i) = LibMemberships.linkKnown(
            ref, groupId, group, LibItems.WALLET, LibEventsAssembly.asWords(pkpIds), 0
        );
        if (i != pkpIds.length) revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpIds[i]);
        S.load().groups[S.keyOf(ref, groupId)].word = GroupWord.unwrap(group);
        if (AccountWord.unwrap(newHeader) != AccountWord.unwrap(header)) {
            LibAccounts.saveHeader(masterHash, newHeader);
        }
    }
}
