// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMemberships } from "../../libraries/LibMemberships.sol";

/// @notice Actions, see IAccountConfig.
abstract contract ActionWrites {
    function addAction(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256 actionHash
    ) external {
        LibLimits.labels(name, description);
        if (actionHash == 0) revert IAccountConfig.InvalidRequest("action hash is zero");
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(apiKeyHash);
        (bool known,,) = LibMemberships.load(account.ref, LibMemberships.ACTION, actionHash);
        if (known) revert IAccountConfig.ActionAlreadyExists(apiKeyHash, actionHash);
        _register(account, actionHash);
        emit IAccountConfig.ActionAdded(account.masterHash, actionHash, name, description);
    }

    function removeAction(uint256 apiKeyHash, uint256 actionHash) external {
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(apiKeyHash);
        (bool known,, uint256 item) = LibMemberships.load(account.ref, LibMemberships.ACTION, actionHash);
        if (!known || actionHash == 0) {
            revert IAccountConfig.ActionDoesNotExist(apiKeyHash, 0, actionHash);
        }
        LibMemberships.forget(account.ref, LibMemberships.ACTION, actionHash, item);
        emit IAccountConfig.ActionRemoved(account.masterHash, actionHash);
    }

    function updateActionMetadata(
        uint256 apiKeyHash,
        uint256 actionHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(apiKeyHash);
        (bool known,, uint256 item) = LibMemberships.load(account.ref, LibMemberships.ACTION, actionHash);
        if (groupId != 0) {
            uint256 group = LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
            known = known && LibMemberships.contains(account.ref, groupId, group, LibMemberships.ACTION, item);
        }
        if (!known || actionHash == 0) {
            revert IAccountConfig.ActionDoesNotExist(apiKeyHash, groupId, actionHash);
        }
        emit IAccountConfig.ActionMetadataUpdated(account.masterHash, actionHash, name, description);
    }

    function addActionToGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external {
        LibAccounts.Account memory account =
            LibAccounts.authorizeInGroup(apiKeyHash, LibGrants.MANAGE_ACTIONS, groupId);
        uint256 group = LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
        (bool known, uint256 key, uint256 item) =
            LibMemberships.load(account.ref, LibMemberships.ACTION, actionHash);
        if (!known) {
            item = _register(account, actionHash);
            emit IAccountConfig.ActionAdded(account.masterHash, actionHash, "", "");
        }
        bool changed;
        (group, changed) = LibMemberships.link(account.ref, groupId, group, LibMemberships.ACTION, key, item);
        if (!changed) return;
        S.load().groups[S.keyOf(account.ref, groupId)] = group;
        emit IAccountConfig.ActionAddedToGroup(account.masterHash, groupId, actionHash);
    }

    function removeActionFromGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external {
        LibAccounts.Account memory account =
            LibAccounts.authorizeInGroup(apiKeyHash, LibGrants.MANAGE_ACTIONS, groupId);
        uint256 group = LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
        (bool known, uint256 key, uint256 item) =
            LibMemberships.load(account.ref, LibMemberships.ACTION, actionHash);
        if (!known || !LibMemberships.contains(account.ref, groupId, group, LibMemberships.ACTION, item)) {
            revert IAccountConfig.ActionDoesNotExist(apiKeyHash, groupId, actionHash);
        }
        S.load().groups[S.keyOf(account.ref, groupId)] =
            LibMemberships.unlink(account.ref, groupId, group, LibMemberships.ACTION, key, item);
        emit IAccountConfig.ActionRemovedFromGroup(account.masterHash, groupId, actionHash);
    }

    function _register(LibAccounts.Account memory account, uint256 actionHash)
        private
        returns (uint256 item)
    {
        (account.header, item) = LibMemberships.register(
            account.ref, account.header, LibMemberships.ACTION, actionHash, 0
        );
        LibAccounts.saveHeader(account);
    }
}
