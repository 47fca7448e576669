// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../interfaces/IActionWrites.sol";
import { IErrors } from "../../interfaces/IErrors.sol";
import { IGroupWrites } from "../../interfaces/IGroupWrites.sol";
import { LibAccountWrites } from "../../libraries/LibAccountWrites.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibEventsAssembly } from "../../libraries/LibEventsAssembly.sol";
import { LibGroups } from "../../libraries/LibGroups.sol";
import { LibItems } from "../../libraries/LibItems.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMemberships } from "../../libraries/LibMemberships.sol";
import { AccountConfigStorage as S } from "../../storage/AccountConfigStorage.sol";
import { AccountWord } from "../../storage/AccountWord.sol";
import { Bits } from "../../storage/Bits.sol";
import { GroupWord, GroupWords } from "../../storage/GroupWord.sol";
import { KeyWord, KeyWords } from "../../storage/KeyWord.sol";
import { Kinds } from "../../storage/Kinds.sol";
import { MasterWord, MasterWords } from "../../storage/MasterWord.sol";
import { Ref } from "../../storage/Ref.sol";

/// @notice Groups, see IGroupWrites.
abstract contract GroupWrites is IGroupWrites {
    /// GroupAdded or GroupUpdated, by its topic, with the addresses as words: Solidity would copy them one by one, for 80 gas each.
    event GroupLog(
        bytes32 indexed topic,
        uint256 indexed masterHash,
        uint256 indexed groupId,
        string name,
        string description,
        uint256[] cidHashes,
        uint256[] pkpIds
    ) anonymous;

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
            LibAuthority.authorize(apiKeyHash, KeyWords.CREATE_GROUPS);
        if (usageKey.exists()) {
            if (cidHashes.length != 0) {
                LibAuthority.requireGrant(apiKeyHash, ref, usageKey, KeyWords.MANAGE_ACTIONS, 0);
            }
            if (pkpIds.length != 0) {
                LibAuthority.requireGrant(apiKeyHash, ref, usageKey, KeyWords.ADD_PKP, 0);
            }
        }
        S.Word storage slot = S.load().masters[Ref.unwrap(ref)];
        MasterWord master = MasterWord.wrap(slot.word);
        groupId = master.groupCount() + 1;
        if (groupId > MasterWords.MAX_GROUPS) {
            revert IErrors.TooManyGroups(apiKeyHash, MasterWords.MAX_GROUPS);
        }
        slot.word = MasterWord.unwrap(master.withGroup());
        _fill(apiKeyHash, masterHash, ref, header, groupId, GroupWords.EMPTY, cidHashes, pkpIds);
        uint256[] calldata words = LibEventsAssembly.asWords(pkpIds);
        emit GroupLog(GroupAdded.selector, masterHash, groupId, name, description, cidHashes, words);
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
        uint256[] calldata words = LibEventsAssembly.asWords(pkpIds);
        emit GroupLog(GroupUpdated.selector, masterHash, groupId, name, description, cidHashes, words);
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
        (uint256 masterHash, Ref ref,,) = LibAuthority.authorize(apiKeyHash, KeyWords.DELETE_GROUPS);
        (S.Word storage slot,) = LibGroups.load(apiKeyHash, ref, groupId);
        slot.word = 0;
        S.Layout storage $ = S.load();
        S.Word storage master = $.masters[Ref.unwrap(ref)];
        (uint256 change, bool outside) = MasterWord.wrap(master.word).removedGroups().add(groupId);
        if (change != 0) master.word ^= change;
        if (outside) $.removedGroups[ref.above(Bits.wordOf(groupId))].word |= Bits.bitOf(groupId);
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
            (group, i) = LibMemberships.linkKnown(ref, groupId, group, Kinds.ACTION, cidHashes, i);
            if (i == cidHashes.length) break;
            (newHeader,) = LibItems.register(ref, newHeader, Kinds.ACTION, cidHashes[i], 0);
            emit IActionWrites.ActionAdded(masterHash, cidHashes[i], "", "");
        }
        (group, i) = LibMemberships.linkKnown(
            ref, groupId, group, Kinds.WALLET, LibEventsAssembly.asWords(pkpIds), 0
        );
        if (i != pkpIds.length) revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpIds[i]);
        S.load().groups[ref.above(groupId)].word = GroupWord.unwrap(group);
        if (AccountWord.unwrap(newHeader) != AccountWord.unwrap(header)) {
            LibAccountWrites.save(masterHash, newHeader);
        }
    }
}
