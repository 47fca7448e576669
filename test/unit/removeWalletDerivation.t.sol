// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract RemoveWalletDerivationTest is MasterGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).removeWalletDerivation(apiKeyHash, wallet);
    }

    function test_RemoveWalletDerivation() external inBothModes {
        uint256 pkpCount = accountConfig.pkpCount();
        by(writer).addPkpToGroup(account, EMPTY_GROUP, wallet);
        expectEvent();
        emit IWalletWrites.WalletDerivationRemoved(account, wallet);
        by(writer).removeWalletDerivation(account, wallet);
        assertEvents(1);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), 0);
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(1)), account);
        vm.assertEq(accountConfig.listPkps(account, 0, 10).length, 1);
        vm.assertEq(accountConfig.pkpCount(), pkpCount);
        assertGroup(GROUP, list(ACTION), wallets());
        assertGroup(EMPTY_GROUP, list(), wallets());
        assertCan(key, ACTION, wallet, true, false);
    }

    function test_RemovedWalletIsNotEveryWallet() external inBothModes {
        by(writer).addPkpToGroup(account, GROUP, address(0));
        by(writer).removeWalletDerivation(account, wallet);
        assertCan(key, ACTION, wallet, true, false);
        assertCan(key, ACTION, looseWallet, true, true);
    }

    function test_OtherAccountKeepsTheWallet() external {
        by(payer).removeWalletDerivation(MANAGED, wallet);
        enterSecured();
        assertCan(key, ACTION, wallet, true, true);
    }

    function test_RevertGiven_NoWallet() external inBothModes {
        expectRevert(IErrors.PkpDoesNotExist.selector, account, 0, noWallet);
        by(writer).removeWalletDerivation(account, noWallet);
        by(writer).removeWalletDerivation(account, wallet);
        expectRevert(IErrors.PkpDoesNotExist.selector, account, 0, wallet);
        by(writer).removeWalletDerivation(account, wallet);
    }

    /// Wallet 0 in a group is not a wallet and cannot be removed.
    function test_RevertGiven_EveryWallet() external inBothModes {
        by(writer).addPkpToGroup(account, GROUP, address(0));
        expectRevert(IErrors.PkpDoesNotExist.selector, account, 0, address(0));
        by(writer).removeWalletDerivation(account, address(0));
    }

    function test_RevertGiven_WalletOfAnotherAccount() external {
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
        expectRevert(IErrors.PkpDoesNotExist.selector, SECURED, 0, noWallet);
        by(admin).removeWalletDerivation(SECURED, noWallet);
    }
}
