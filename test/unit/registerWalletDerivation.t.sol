// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { PermissionGuards } from "../utils/WriteGuards.sol";

contract RegisterWalletDerivationTest is PermissionGuards, LabelGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).registerWalletDerivation(apiKeyHash, noWallet, pathOf(3), NAME, DESCRIPTION);
    }

    function label(string memory name, string memory description) internal override {
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), name, description);
    }

    function grant(UsageKey memory k) internal pure override {
        k.createPKPs = true;
    }

    function withhold(UsageKey memory k) internal pure override {
        k.createPKPs = false;
    }

    function notAllowed() internal view override returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotAllowedToCreatePkp.selector, key);
    }

    function test_RegisterWalletDerivation() external inBothModes {
        uint256 pkpCount = accountConfig.pkpCount();
        expectEvent();
        emit IWalletWrites.WalletDerivationRegistered(account, noWallet, pathOf(3), NAME, DESCRIPTION);
        by(writer).registerWalletDerivation(account, noWallet, pathOf(3), NAME, DESCRIPTION);
        assertEvents(1);
        vm.assertEq(accountConfig.getWalletDerivation(account, noWallet), pathOf(3));
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(3)), account);
        vm.assertEq(accountConfig.pkpCount(), pkpCount + 1);
        IViewsFacet.Pkp[] memory pkps = accountConfig.listPkps(account, 0, 10);
        vm.assertEq(pkps.length, 3);
        vm.assertEq(pkps[2].pkpId, noWallet);
        vm.assertEq(pkps[2].derivationPath, pathOf(3));
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    function test_LongestPathAndAddress() external inBothModes {
        address pkpId = address(type(uint160).max);
        by(writer).registerWalletDerivation(account, pkpId, pathOf(type(uint96).max), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(account, pkpId), pathOf(type(uint96).max));
        IViewsFacet.Pkp[] memory pkps = accountConfig.listPkps(account, 0, 10);
        vm.assertEq(pkps[2].pkpId, pkpId);
        vm.assertEq(pkps[2].derivationPath, pathOf(type(uint96).max));
    }

    function test_PathMintedForTheLowestAddress() external {
        address lowest = address(1);
        account = identity(lowest);
        by(lowest).newChainSecuredAccount(NAME, DESCRIPTION);
        uint256 path = uint256(1) << 96 | 3;
        by(lowest).registerWalletDerivation(account, noWallet, path, NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(account, noWallet), path);
    }

    function test_EventCarriesTheMasterHashWhenCalledByUsageKey() external inBothModes {
        setKey(almightyKey(key));
        expectEvent();
        emit IWalletWrites.WalletDerivationRegistered(account, noWallet, pathOf(3), NAME, DESCRIPTION);
        by(writer).registerWalletDerivation(key, noWallet, pathOf(3), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(3)), account);
    }

    /// An account that registers another account's address cannot use it: the path belongs to the other account, which
    /// can still register the address.
    function test_SameWalletInTwoAccounts() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        mintedFor = stranger;
        by(stranger).registerWalletDerivation(identity(stranger), noWallet, pathOf(3), NAME, DESCRIPTION);
        enterManaged();
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, noWallet), pathOf(3));
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(3)), MANAGED);
    }

    /// Rule 7: a wallet that is registered again is in no group.
    function test_RegisteredAgain() external inBothModes {
        by(writer).removeWalletDerivation(account, wallet);
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(1));
        assertGroup(GROUP, list(ACTION), wallets());
        assertCan(key, ACTION, wallet, true, false);
    }

    function test_RegisteredAgainWithAnotherPath() external inBothModes {
        by(writer).removeWalletDerivation(account, wallet);
        by(writer).registerWalletDerivation(account, wallet, pathOf(9), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(9));
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(1)), account);
    }

    /// A path stays with its account when the account changes hands, and the account may register it again.
    function test_RegisteredAgainAfterConversion() external {
        uint256 path = pathOf(1);
        convert();
        by(newAdmin).removeWalletDerivation(MANAGED, wallet);
        by(newAdmin).registerWalletDerivation(MANAGED, wallet, path, NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, wallet), path);
    }

    function test_RegisteredAgainAfterTransfer() external {
        enterSecured();
        uint256 path = pathOf(1);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        by(newAdmin).removeWalletDerivation(SECURED, wallet);
        by(newAdmin).registerWalletDerivation(SECURED, wallet, path, NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(SECURED, wallet), path);
    }

    function test_PathsOfBothOwnersAfterConversion() external {
        uint256 path = pathOf(1);
        convert();
        by(newAdmin).registerWalletDerivation(MANAGED, noWallet, pathOf(1), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, wallet), path);
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, noWallet), pathOf(1));
    }

    /// A path makes one wallet. The account's own path is refused for another one, also after the first was removed.
    function test_RevertGiven_PathOfAnotherWalletOfTheAccount() external inBothModes {
        for (uint256 i; i < 2; ++i) {
            expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, pathOf(1));
            by(writer).registerWalletDerivation(account, noWallet, pathOf(1), NAME, DESCRIPTION);
            if (i == 0) by(writer).removeWalletDerivation(account, wallet);
        }
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(1));
    }

    function test_RegisteredAgainCountsOnce() external inBothModes {
        uint256 count = accountConfig.pkpCount();
        by(writer).removeWalletDerivation(account, wallet);
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.pkpCount(), count);
        by(writer).registerWalletDerivation(account, noWallet, pathOf(3), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.pkpCount(), count + 1);
    }

    function test_ThreeHundredWallets() external inBothModes {
        for (uint256 i = 1; i <= 300; ++i) {
            by(writer).registerWalletDerivation(account, address(uint160(i)), pathOf(1000 + i), "", "");
            by(writer).addPkpToGroup(account, EMPTY_GROUP, address(uint160(i)));
        }
        IViewsFacet.Pkp[] memory pkps = accountConfig.listWalletsInGroup(account, EMPTY_GROUP, 0, 1000);
        vm.assertEq(pkps.length, 300);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(EMPTY_GROUP);
        setKey(k);
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
        for (uint256 i = 1; i <= 300; ++i) {
            vm.assertEq(pkps[i - 1].pkpId, address(uint160(i)));
            vm.assertEq(pkps[i - 1].derivationPath, pathOf(1000 + i));
            vm.assertTrue(accountConfig.canUseWalletInAction(key, ACTION, address(uint160(i))));
        }
        vm.assertFalse(accountConfig.canUseWalletInAction(key, ACTION, wallet));
    }

    function test_RevertWhen_WalletIsZero() external {
        expectRevert(IErrors.PkpIsZero.selector);
        by(payer).registerWalletDerivation(MANAGED, address(0), pathOf(3), NAME, DESCRIPTION);
    }

    function test_RevertWhen_PathIsZero() external {
        expectRevert(IErrors.DerivationPathIsZero.selector);
        by(payer).registerWalletDerivation(MANAGED, noWallet, 0, NAME, DESCRIPTION);
    }

    function test_RevertGiven_AddressSharesTheLowerBits() external inBothModes {
        expectRevert(IErrors.IdCollision.selector, 1 << 127);
        by(writer).registerWalletDerivation(account, address(uint160(1 << 127)), pathOf(3), "", "");
        expectRevert(IErrors.IdCollision.selector, uint160(wallet) ^ (1 << 130));
        by(writer).registerWalletDerivation(account, address(uint160(wallet) ^ (1 << 130)), pathOf(3), "", "");
    }

    function test_RevertGiven_WalletExists() external inBothModes {
        expectRevert2(IErrors.PkpAlreadyExists.selector, account, wallet);
        by(writer).registerWalletDerivation(account, wallet, pathOf(3), NAME, DESCRIPTION);
        expectRevert2(IErrors.PkpAlreadyExists.selector, account, wallet);
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
    }

    function test_RevertGiven_PathOfAnotherAccount() external {
        by(payer).newAccount(NO_ACTION, true, NAME, DESCRIPTION, accountKeyAddress);
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, pathOf(1));
        by(payer).registerWalletDerivation(NO_ACTION, wallet, pathOf(1), NAME, DESCRIPTION);
    }

    /// The wallet that a path was minted for registered it in its account before, so another account of it cannot.
    function test_RevertGiven_PathMintedForTheCallerIsAnotherAccounts() external {
        enterSecured();
        uint256 path = pathOf(1);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, path);
        by(payer).registerWalletDerivation(MANAGED, noWallet, path, NAME, DESCRIPTION);
    }

    function test_RevertGiven_PathOfRemovedWalletOfAnotherAccount() external {
        by(payer).removeWalletDerivation(MANAGED, wallet);
        by(payer).newAccount(NO_ACTION, true, NAME, DESCRIPTION, accountKeyAddress);
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, pathOf(1));
        by(payer).registerWalletDerivation(NO_ACTION, wallet, pathOf(1), NAME, DESCRIPTION);
    }

    /// Rule 8: a path that was minted for a wallet cannot be front-run.
    function test_RevertWhen_PathWasMintedForAnotherWallet() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        mintedFor = admin;
        expectNotMintedFor(pathOf(3), stranger);
        by(stranger).registerWalletDerivation(identity(stranger), noWallet, pathOf(3), NAME, DESCRIPTION);
        mintedFor = address(0);
        expectNotMintedFor(pathOf(3), stranger);
        by(stranger).registerWalletDerivation(identity(stranger), noWallet, pathOf(3), NAME, DESCRIPTION);
        mintedFor = stranger;
        expectNotMintedFor(pathOf(3), address(0));
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
    }

    function test_RevertWhen_NewPathOfConvertedAccountWasMintedByTheServer() external {
        uint256 path = pathOf(3);
        convert();
        expectNotMintedFor(path, newAdmin);
        by(newAdmin).registerWalletDerivation(MANAGED, noWallet, path, NAME, DESCRIPTION);
    }

    function expectRevert2(bytes4 selector, uint256 hash, address pkpId) private {
        vm.expectRevert(abi.encodeWithSelector(selector, hash, pkpId));
    }

    function expectNotMintedFor(uint256 path, address expected) private {
        vm.expectRevert(abi.encodeWithSelector(IErrors.DerivationPathNotMintedFor.selector, path, expected));
    }
}
