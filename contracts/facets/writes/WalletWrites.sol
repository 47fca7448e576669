// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../interfaces/IErrors.sol";
import { IWalletWrites } from "../../interfaces/IWalletWrites.sol";
import { LibAccountWrites } from "../../libraries/LibAccountWrites.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibGroups } from "../../libraries/LibGroups.sol";
import { LibItems } from "../../libraries/LibItems.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibMembers } from "../../libraries/LibMembers.sol";
import { AccountConfigStorage as S } from "../../storage/AccountConfigStorage.sol";
import { AccountWord } from "../../storage/AccountWord.sol";
import { GroupWord } from "../../storage/GroupWord.sol";
import { ItemWord, Paths } from "../../storage/ItemWord.sol";
import { KeyWords } from "../../storage/KeyWord.sol";
import { Kinds } from "../../storage/Kinds.sol";
import { Ref } from "../../storage/Ref.sol";

/// @notice Wallets (PKPs), see IWalletWrites.
abstract contract WalletWrites is IWalletWrites {
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
            LibAuthority.authorize(apiKeyHash, KeyWords.CREATE_PKPS);
        (bool known,,) = LibItems.load(ref, Kinds.WALLET, uint160(pkpId));
        if (known) revert IErrors.PkpAlreadyExists(apiKeyHash, pkpId);
        S.Layout storage $ = S.load();
        uint256 pathOwner = $.pathOwners[derivationPath];
        // A path makes one wallet, of which 127 bits fit.
        uint256 newOwner = Paths.ownerWord(ref, pkpId);
        address minter = header.minter();
        address mintedFor = Paths.minterOf(derivationPath);
        if (pathOwner == 0) {
            // A path contains the wallet that it was minted for, so another caller cannot register it, not even by
            // front-running.
            if (mintedFor != minter) {
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
            kind: Kinds.WALLET,
            id: uint160(pkpId),
            path: Paths.randomOf(derivationPath)
        });
        LibAccountWrites.save(masterHash, header);
        // A path of an earlier writer, registered again.
        if (mintedFor != minter) LibItems.setMintedFor(ref, pkpId, item, mintedFor);
        emit WalletDerivationRegistered(masterHash, pkpId, derivationPath, name, description);
    }

    /// @inheritdoc IWalletWrites
    function removeWalletDerivation(uint256 apiKeyHash, address pkpId) external {
        (uint256 masterHash, Ref ref,) = LibAuthority.authorizeMaster(apiKeyHash);
        (bool known, S.Word storage slot, ItemWord item) = LibItems.load(ref, Kinds.WALLET, uint160(pkpId));
        if (!known || pkpId == address(0)) revert IErrors.PkpDoesNotExist(apiKeyHash, 0, pkpId);
        LibItems.forget(ref, Kinds.WALLET, slot, item);
        emit WalletDerivationRemoved(masterHash, pkpId);
    }

    /// @inheritdoc IWalletWrites
    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        (uint256 masterHash, Ref ref,) = LibAuthority.authorizeInGroup(apiKeyHash, KeyWords.ADD_PKP, groupId);
        (S.Word storage slot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        group = LibMembers.addWallet(apiKeyHash, masterHash, ref, groupId, group, pkpId);
        slot.word = GroupWord.unwrap(group);
    }

    /// @inheritdoc IWalletWrites
    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        (uint256 masterHash, Ref ref,) =
            LibAuthority.authorizeInGroup(apiKeyHash, KeyWords.REMOVE_PKP, groupId);
        (S.Word storage slot, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        group = LibMembers.removeWallet(apiKeyHash, masterHash, ref, groupId, group, pkpId);
        slot.word = GroupWord.unwrap(group);
    }
}
