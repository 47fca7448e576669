// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMemberships } from "../../libraries/LibMemberships.sol";

/// @notice Groups, see IAccountConfig.
abstract contract GroupWrites {
    function addGroup(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external returns (uint256 groupId) {
        LibLimits.labels(name, description);
        LibLimits.groupEntries(cidHashes, pkpIds);
        LibAccounts.Account memory account = LibAccounts.authorize(apiKeyHash, LibGrants.CREATE_GROUPS);
        if (account.usageKey != 0) {
            if (cidHashes.length != 0) LibAccounts.requireGrant(account, LibGrants.MANAGE_ACTIONS, 0);
            if (pkpIds.length != 0) LibAccounts.requireGrant(account, LibGrants.ADD_PKP, 0);
        }
        S.Layout storage $ = S.load();
        uint256 master = $.masters[account.ref];
        groupId = S.groupCount(master) + 1;
        if (groupId > S.MAX_GROUPS) revert IAccountConfig.InvalidRequest("too many groups");
        master += 1 << S.MASTER_GROUPS_SHIFT;
        if (groupId < S.INLINE_GROUPS) {
            master |= uint256(1) << groupId;
        } else {
            $.liveGroups[S.keyOf(account.ref, groupId >> 8)] |= uint256(1) << (groupId & 255);
        }
        $.masters[account.ref] = master;
        _fill(account, groupId, LibMemberships.GROUP_ALIVE, cidHashes, pkpIds);
        emit IAccountConfig.GroupAdded(account.masterHash, groupId, name, description, cidHashes, pkpIds);
    }

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
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(apiKeyHash);
        uint256 group = LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
        group = LibMemberships.clear(account.ref, groupId, group, account.header);
        _fill(account, groupId, group, cidHashes, pkpIds);
        emit IAccountConfig.GroupUpdated(account.masterHash, groupId, name, description, cidHashes, pkpIds);
    }

    function updateGroupMetadata(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(apiKeyHash);
        LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
        emit IAccountConfig.GroupMetadataUpdated(account.masterHash, groupId, name, description);
    }

    function removeGroup(uint256 apiKeyHash, uint256 groupId) external {
        LibAccounts.Account memory account = LibAccounts.authorize(apiKeyHash, LibGrants.DELETE_GROUPS);
        LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
        S.Layout storage $ = S.load();
        delete $.groups[S.keyOf(account.ref, groupId)];
        if (groupId < S.INLINE_GROUPS) {
            $.masters[account.ref] &= ~(uint256(1) << groupId);
        } else {
            $.liveGroups[S.keyOf(account.ref, groupId >> 8)] &= ~(uint256(1) << (groupId & 255));
        }
        emit IAccountConfig.GroupRemoved(account.masterHash, groupId);
    }

    /// @notice Links an empty group with its contents and saves its word.
    function _fill(
        LibAccounts.Account memory account,
        uint256 groupId,
        uint256 group,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) private {
        uint256 header = account.header;
        for (uint256 i; i < cidHashes.length; ++i) {
            (bool known, uint256 key, uint256 item) =
                LibMemberships.load(account.ref, LibMemberships.ACTION, cidHashes[i]);
            if (!known) {
                (header, item) =
                    LibMemberships.register(account.ref, header, LibMemberships.ACTION, cidHashes[i], 0);
                emit IAccountConfig.ActionAdded(account.masterHash, cidHashes[i], "", "");
            }
            (group,) = LibMemberships.link(account.ref, groupId, group, LibMemberships.ACTION, key, item);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            (bool known, uint256 key, uint256 item) =
                LibMemberships.load(account.ref, LibMemberships.WALLET, uint160(pkpIds[i]));
            if (!known) revert IAccountConfig.PkpDoesNotExist(account.hash, groupId, pkpIds[i]);
            (group,) = LibMemberships.link(account.ref, groupId, group, LibMemberships.WALLET, key, item);
        }
        S.load().groups[S.keyOf(account.ref, groupId)] = group;
        if (header != account.header) {
            account.header = header;
            LibAccounts.saveHeader(account);
        }
    }
}
