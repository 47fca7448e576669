// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../interfaces/IErrors.sol";
import { IWalletWrites } from "../../interfaces/IWalletWrites.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    GroupWord,
    ItemWord,
    Ref
} from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibGroups } from "../../libraries/LibGroups.sol";
import { LibItems } from "../../libraries/LibItems.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMemberships } from "../../libraries/LibMemberships.sol";

/// @notice Wallets (PKPs), see IWalletWrites.
abstract contract WalletWrites is IWalletWrites {
    /// Marks an owned path, even for a ref of 0.
    uint256 private constant PATH_OWNED = 1 << 128;
    uint256 private constant PATH_WALLET_SHIFT = 129;

    /// @inheritdoc IWalletWrites
    function registerWalletDerivation(
        uint256 apiKeyHash,
        address pkpId,
        uint256 derivationPath,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        if (pkpId == address(0)) revert IErrors.PkpIsZero();
        if (derivationPath == 0) revert IErrors.DerivationPathIsZero();
        (uint256 masterHash, Ref ref, AccountWord header,) =
            LibAuthority.authorize(apiKeyHash, LibGrants.CREATE_PKPS);
        (bool known,,) = LibItems.load(ref, LibItems.WALLET, uint160(pkpId));
        if (known) revert IErrors.PkpAlreadyExists(apiKeyHash, pkpId);
        S.Layout storage $ = S.load();
        uint256 pathOwner = $.pathOwners[derivationPath];
        // A path makes one wallet, of which 127 bits fit.
        uint256 newOwner = PATH_OWNED | Ref.unwrap(ref) | (uint256(uint160(pkpId)) << PATH_WALLET_SHIFT);
        address minter = LibAccounts.minterOf(header);
        if (pathOwner == 0) {
            // A path contains the wallet that it was minted for, so another caller cannot register it, not even by
            // front-running.
            if (derivationPath >> 96 != uint160(minter)) {
                revert IErrors.DerivationPathNotMintedFor(derivationPath, minter);
            }
            $.pathOwners[derivationPath] = newOwner;
            ++$.pkpCount;
        } else if (pathOwner != newOwner) {
            revert IErrors.DerivationPathAlreadyRegistered(derivationPath);
        }
        ItemWord item;
        (header, item) = LibItems.register({
            ref: ref,
            header: header,
            kind: LibItems.WALLET,
            id: uint160(pkpId),
            path: derivationPath & type(uint96).max
        });
        LibAccounts.saveHeader(masterHash, header);
        // The cast is safe: 160 bits are left.
        address mintedFor = address(uint160(derivationPath >> 96));
        // A path of an earlier writer, registered again.
        if (mintedFor != minter) LibItems.setMintedFor(ref, uint160(pkpId), item, mintedFor);
        emit WalletDerivationRegistered(masterHash, pkpId, derivationPath, name, description);
    }

    /// @inheritdoc IWalletWrites
    function removeWalletDerivation(uint256 apiKeyHash, address pkpId) external {
        (uint256 masterHash, Ref ref,) = LibAuthority.authorizeMaster(apiKeyHash);
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, LibItems.WALLET, uint160(pkpId));
        if (!known || pkpId == address(0)) revert IErrors.PkpDoesNotExist(apiKeyHash, 0, pkpId);
        LibItems.forget(ref, LibItems.WALLET, slot, item);
        emit WalletDerivationRemoved(masterHash, pkpId);
    }

    /// @inheritdoc IWalletWrites
    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        (uint256 masterHash, Ref ref,) = LibAuthority.authorizeInGroup(apiKeyHash, LibGrants.ADD_PKP, groupId);
        (S.Word storage groupSlot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, LibItems.WALLET, uint160(pkpId));
        if (!known) revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpId);
        (GroupWord newGroup, bool changed) =
            LibMemberships.link(ref, groupId, group, LibItems.WALLET, slot, item);
        if (!changed) return;
        groupSlot.word = GroupWord.unwrap(newGroup);
        emit PkpAddedToGroup(masterHash, groupId, pkpId);
    }

    /// @inheritdoc IWalletWrites
    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        (uint256 masterHash, Ref ref,) =
            LibAuthority.authorizeInGroup(apiKeyHash, LibGrants.REMOVE_PKP, groupId);
        (S.Word storage groupSlot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, LibItems.WALLET, uint160(pkpId));
        if (!known || !LibGroups.contains(ref, groupId, group, LibItems.WALLET, item)) {
            revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpId);
        }
        groupSlot.word =
            GroupWord.unwrap(LibMemberships.unlink(ref, groupId, group, LibItems.WALLET, slot, item));
        emit PkpRemovedFromGroup(masterHash, groupId, pkpId);
    }
}
