// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { Fingerprint } from "../utils/Fingerprint.sol";

/// @notice registerWalletDerivation, removeWalletDerivation, getWalletDerivation, getPathOwnerMaster, listPkps, pkpCount.
contract WalletsFuzzTest is Fingerprint {
    uint256 private constant LOW_127 = (1 << 127) - 1;

    modifier usable(address pkpId, uint256 path) {
        uint256 low = uint160(pkpId) & LOW_127;
        vm.assume(low != 0 && low != uint160(wallet) & LOW_127 && low != uint160(looseWallet) & LOW_127);
        vm.assume(path != 0 && accountConfig.getPathOwnerMaster(path) == 0);
        _;
    }

    function _register(address caller, uint256 hash, address pkpId, uint256 path) private {
        by(caller).registerWalletDerivation(hash, pkpId, path, NAME, DESCRIPTION);
    }

    /// Rule 8: a path is registered once, by the account whose writer it was minted for, and returned with all of its bits.
    function testFuzz_registerWalletDerivation(address pkpId, uint96 random, bool secured)
        external
        usable(pkpId, random)
    {
        secured ? enterSecured() : enterManaged();
        uint256 path = pathOf(random);
        vm.assume(!accountConfig.isPathRegistered(path));
        uint256 count = accountConfig.pkpCount();
        expectEvent();
        emit IWalletWrites.WalletDerivationRegistered(account, pkpId, path, NAME, DESCRIPTION);
        _register(writer, account, pkpId, path);
        assertEvents(1);
        vm.assertEq(accountConfig.pkpCount(), count + 1);
        vm.assertEq(accountConfig.getWalletDerivation(account, pkpId), path);
        vm.assertEq(accountConfig.getWalletDerivation(key, pkpId), path);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), account);
        IViewsFacet.Pkp[] memory pkps = accountConfig.listPkps(account, 0, 1000);
        vm.assertEq(pkps.length, 3);
        vm.assertEq(pkps[2].pkpId, pkpId);
        vm.assertEq(pkps[2].derivationPath, path);
        // The other account does not have it.
        uint256 other = secured ? MANAGED : SECURED;
        vm.assertEq(accountConfig.getWalletDerivation(other, pkpId), 0);
        vm.assertEq(accountConfig.listPkps(other, 0, 1000).length, 2);
        // No group holds it until it is added.
        assertCan(key, ACTION, pkpId, true, false);
        by(writer).addPkpToGroup(account, GROUP, pkpId);
        assertCan(key, ACTION, pkpId, true, true);
        by(writer).removePkpFromGroup(account, GROUP, pkpId);
        assertCan(key, ACTION, pkpId, true, false);
    }

    /// A new path is refused unless its upper bits are the caller's (0 for a managed account).
    function testFuzz_PathMintedForAnother(address pkpId, uint256 path)
        external
        usable(pkpId, path)
        inBothModes
    {
        bool mine = path >> 96 == uint160(mintedFor);
        if (!mine) {
            vm.expectRevert(
                abi.encodeWithSelector(IErrors.DerivationPathNotMintedFor.selector, path, mintedFor)
            );
        }
        _register(writer, account, pkpId, path);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), mine ? account : 0);
        vm.assertEq(accountConfig.getWalletDerivation(account, pkpId), mine ? path : 0);
    }

    /// Rule 8: forever, through removal, conversion and transfer, for any caller with any account.
    function testFuzz_PathIsTheAccountsForEver(address pkpId, uint96 random, uint256 otherHash)
        external
        usable(pkpId, random)
    {
        vm.assume(otherHash != 0 && accountConfig.allApiKeyHashesToMaster(otherHash) == 0);
        vm.assume(otherHash & LOW_127 != MANAGED & LOW_127);
        vm.assume(otherHash != identity(newAdmin) && otherHash != identity(stranger));
        _register(payer, MANAGED, pkpId, random);
        by(payer).newAccount(otherHash, true, NAME, DESCRIPTION, stranger);
        for (uint256 i; i < 4; ++i) {
            if (i == 1) by(payer).removeWalletDerivation(MANAGED, pkpId);
            if (i == 2) convert();
            if (i == 3) by(newAdmin).transferChainSecuredAccountOwnership(MANAGED, stranger);
            expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, random);
            _register(payer, otherHash, pkpId, random);
            expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, random);
            _register(admin, SECURED, pkpId, random);
            vm.assertEq(accountConfig.getPathOwnerMaster(random), MANAGED);
        }
        _register(stranger, MANAGED, pkpId, random);
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, pkpId), random);
    }

    function testFuzz_removeWalletDerivation(address pkpId, uint96 random)
        external
        usable(pkpId, random)
        inBothModes
    {
        uint256 path = pathOf(random);
        vm.assume(accountConfig.getPathOwnerMaster(path) == 0);
        bytes32 empty = keccak256(abi.encode(accountConfig.listPkps(account, 0, 1000)));
        expectRevert(IErrors.PkpDoesNotExist.selector, account, 0, pkpId);
        by(writer).removeWalletDerivation(account, pkpId);
        _register(writer, account, pkpId, path);
        by(writer).addPkpToGroup(account, GROUP, pkpId);
        expectEvent();
        emit IWalletWrites.WalletDerivationRemoved(account, pkpId);
        by(writer).removeWalletDerivation(account, pkpId);
        assertEvents(1);
        vm.assertEq(keccak256(abi.encode(accountConfig.listPkps(account, 0, 1000))), empty);
        vm.assertEq(accountConfig.getWalletDerivation(account, pkpId), 0);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), account);
        assertGroup(GROUP, list(ACTION), list(wallet));
        assertCan(key, ACTION, pkpId, true, false);
    }

    /// An address that shares its stored bits with a registered one is another address.
    function testFuzz_AddressThatSharesTheStoredBits(uint256 upper) external inBothModes {
        address pkpId = address(uint160((upper << 127) | (uint160(wallet) & LOW_127)));
        vm.assume(pkpId != wallet);
        vm.assertEq(accountConfig.getWalletDerivation(account, pkpId), 0);
        assertCan(key, ACTION, pkpId, true, false);
        expectRevert(IErrors.IdCollision.selector, uint160(pkpId));
        _register(writer, account, pkpId, pathOf(9));
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, pkpId);
        by(writer).addPkpToGroup(account, GROUP, pkpId);
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(9)), 0);
    }

    function testFuzz_UnknownWalletsAndPaths(uint256 hash, address pkpId, uint256 path) external view {
        if (accountConfig.allApiKeyHashesToMaster(hash) == 0) {
            vm.assertEq(accountConfig.getWalletDerivation(hash, pkpId), 0);
        }
        if (pkpId != wallet && pkpId != looseWallet) {
            vm.assertEq(accountConfig.getWalletDerivation(MANAGED, pkpId), 0);
        }
        if (path != 1 && path != 2 && path >> 96 != uint160(admin)) {
            vm.assertEq(accountConfig.getPathOwnerMaster(path), 0);
        }
    }
}
