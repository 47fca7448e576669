// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice getAccountWalletAddress, allApiKeyHashesToMaster, getWalletDerivation, getPathOwnerMaster, accountCount,
/// pkpCount.
contract LookupsTest is AccountConfigTest {
    function test_getAccountWalletAddress() external {
        vm.assertEq(accountConfig.getAccountWalletAddress(MANAGED), accountKeyAddress);
        vm.assertEq(accountConfig.getAccountWalletAddress(key), accountKeyAddress);
        vm.assertEq(accountConfig.getAccountWalletAddress(SECURED), admin);
        convert();
        vm.assertEq(accountConfig.getAccountWalletAddress(MANAGED), newAdmin);
        vm.assertEq(accountConfig.getAccountWalletAddress(identity(newAdmin)), newAdmin);
    }

    function test_getAccountWalletAddress_RevertGiven_NoAccount() external {
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        accountConfig.getAccountWalletAddress(UNKNOWN);
    }

    function test_allApiKeyHashesToMaster() external {
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(MANAGED), MANAGED);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), MANAGED);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(SECURED), SECURED);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(0), 0);
        convert();
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
    }

    function test_getWalletDerivation() external inBothModes {
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(1));
        vm.assertEq(accountConfig.getWalletDerivation(account, looseWallet), pathOf(2));
        vm.assertEq(accountConfig.getWalletDerivation(key, wallet), pathOf(1));
        vm.assertEq(accountConfig.getWalletDerivation(account, noWallet), 0);
        vm.assertEq(accountConfig.getWalletDerivation(UNKNOWN, wallet), 0);
        by(writer).addPkpToGroup(account, GROUP, address(0));
        vm.assertEq(accountConfig.getWalletDerivation(account, address(0)), 0);
    }

    function test_getPathOwnerMaster() external {
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(1)), MANAGED);
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(3)), 0);
        vm.assertEq(accountConfig.getPathOwnerMaster(0), 0);
        enterSecured();
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(1)), SECURED);
        enterManaged();
        convert();
        vm.assertEq(accountConfig.getPathOwnerMaster(1), MANAGED);
    }

    function test_isPathRegistered() external {
        vm.assertFalse(accountConfig.isPathRegistered(pathOf(3)));
        by(writer).registerWalletDerivation(account, noWallet, pathOf(3), "", "");
        vm.assertTrue(accountConfig.isPathRegistered(pathOf(3)));
        by(writer).removeWalletDerivation(account, noWallet);
        vm.assertTrue(accountConfig.isPathRegistered(pathOf(3)));
        retire(account);
        vm.assertTrue(accountConfig.isPathRegistered(pathOf(3)));
        vm.assertFalse(accountConfig.isPathRegistered(0));
    }

    function test_accountCount() external {
        vm.assertEq(accountConfig.accountCount(), 2);
        convert();
        vm.assertEq(accountConfig.accountCount(), 2);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertEq(accountConfig.accountCount(), 3);
    }

    function test_pkpCount() external {
        vm.assertEq(accountConfig.pkpCount(), 4);
        by(payer).removeWalletDerivation(MANAGED, wallet);
        vm.assertEq(accountConfig.pkpCount(), 4);
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.pkpCount(), 5);
    }
}
