// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMemberships } from "../../libraries/LibMemberships.sol";

/// @notice Wallets (PKPs), see IAccountConfig.
abstract contract WalletWrites {
    /// The path owner word says "owned" even for a ref of zero.
    uint256 private constant PATH_OWNED = 1 << 128;

    function registerWalletDerivation(
        uint256 apiKeyHash,
        address pkpId,
        uint256 derivationPath,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        if (pkpId == address(0)) revert IAccountConfig.InvalidRequest("wallet is zero");
        if (derivationPath == 0) revert IAccountConfig.InvalidRequest("derivation path is zero");
        LibAccounts.Account memory account = LibAccounts.authorize(apiKeyHash, LibGrants.CREATE_PKPS);
        (bool known,,) = LibMemberships.load(account.ref, LibMemberships.WALLET, uint160(pkpId));
        if (known) revert IAccountConfig.PkpAlreadyExists(apiKeyHash, pkpId);
        S.Layout storage $ = S.load();
        uint256 pathOwner = $.pathOwners[derivationPath];
        if (pathOwner == 0) {
            // A path names the wallet that it was minted for, so that nobody can register the path of somebody else,
            // not even by overtaking him.
            address caller = LibAccounts.isManaged(account.header) ? address(0) : msg.sender;
            if (derivationPath >> 96 != uint160(caller)) {
                revert IAccountConfig.DerivationPathNotMintedFor(derivationPath, caller);
            }
            $.pathOwners[derivationPath] = PATH_OWNED | account.ref;
        } else if (pathOwner != PATH_OWNED | account.ref) {
            revert IAccountConfig.DerivationPathAlreadyRegistered(derivationPath);
        }
        uint256 item;
        (account.header, item) = LibMemberships.register({
            ref: account.ref,
            header: account.header,
            kind: LibMemberships.WALLET,
            id: uint160(pkpId),
            path: derivationPath & type(uint96).max
        });
        LibAccounts.saveHeader(account);
        // The upper 160 bits are an address.
        address mintedFor = address(uint160(derivationPath >> 96));
        if (mintedFor != address(0)) {
            $.mintedFor[S.keyOf(account.ref, LibMemberships.indexOf(item))] = mintedFor;
        }
        ++$.pkpCount;
        emit IAccountConfig.WalletDerivationRegistered(
            account.masterHash, pkpId, derivationPath, name, description
        );
    }

    function removeWalletDerivation(uint256 apiKeyHash, address pkpId) external {
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(apiKeyHash);
        (bool known,, uint256 item) = LibMemberships.load(account.ref, LibMemberships.WALLET, uint160(pkpId));
        if (!known || pkpId == address(0)) revert IAccountConfig.PkpDoesNotExist(apiKeyHash, 0, pkpId);
        LibMemberships.forget(account.ref, LibMemberships.WALLET, uint160(pkpId), item);
        emit IAccountConfig.WalletDerivationRemoved(account.masterHash, pkpId);
    }

    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        LibAccounts.Account memory account =
            LibAccounts.authorizeInGroup(apiKeyHash, LibGrants.ADD_PKP, groupId);
        uint256 group = LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
        (bool known, uint256 key, uint256 item) =
            LibMemberships.load(account.ref, LibMemberships.WALLET, uint160(pkpId));
        if (!known) revert IAccountConfig.PkpDoesNotExist(apiKeyHash, groupId, pkpId);
        bool changed;
        (group, changed) = LibMemberships.link(account.ref, groupId, group, LibMemberships.WALLET, key, item);
        if (!changed) return;
        S.load().groups[S.keyOf(account.ref, groupId)] = group;
        emit IAccountConfig.PkpAddedToGroup(account.masterHash, groupId, pkpId);
    }

    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        LibAccounts.Account memory account =
            LibAccounts.authorizeInGroup(apiKeyHash, LibGrants.REMOVE_PKP, groupId);
        uint256 group = LibMemberships.loadGroup(apiKeyHash, account.ref, groupId);
        (bool known, uint256 key, uint256 item) =
            LibMemberships.load(account.ref, LibMemberships.WALLET, uint160(pkpId));
        if (!known || !LibMemberships.contains(account.ref, groupId, group, LibMemberships.WALLET, item)) {
            revert IAccountConfig.PkpDoesNotExist(apiKeyHash, groupId, pkpId);
        }
        S.load().groups[S.keyOf(account.ref, groupId)] =
            LibMemberships.unlink(account.ref, groupId, group, LibMemberships.WALLET, key, item);
        emit IAccountConfig.PkpRemovedFromGroup(account.masterHash, groupId, pkpId);
    }
}
