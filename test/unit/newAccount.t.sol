// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";

contract NewAccountTest is LabelGuards {
    function label(string memory name, string memory description) internal override {
        by(payer).newAccount(UNKNOWN, true, name, description, accountKeyAddress);
    }

    function test_NewAccount() external {
        uint256 count = accountConfig.accountCount();
        expectEvent();
        emit IAccountWrites.AccountCreated(UNKNOWN, accountKeyAddress, true, NAME, DESCRIPTION);
        by(otherPayer).newAccount(UNKNOWN, true, NAME, DESCRIPTION, accountKeyAddress);
        assertEvents(1);
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(UNKNOWN);
        vm.assertEq(master, UNKNOWN);
        vm.assertEq(adminWallet, accountKeyAddress);
        vm.assertTrue(managed);
        vm.assertFalse(isUsageKey);
        vm.assertEq(expiration, 0);
        vm.assertEq(accountConfig.accountCount(), count + 1);
        (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) = accountConfig.listSizes(UNKNOWN);
        vm.assertEq(keys + groups + pkps + actions, 0);
    }

    /// The address of an account key is not an owner, and its identity stays free.
    function test_IdentityOfTheAccountKeyAddressStaysFree() external {
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(accountKeyAddress)), 0);
        by(accountKeyAddress).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getAccountWalletAddress(MANAGED), accountKeyAddress);
        vm.assertEq(
            accountConfig.allApiKeyHashesToMaster(identity(accountKeyAddress)), identity(accountKeyAddress)
        );
    }

    function test_RevertGiven_CallerIsNoPayer() external {
        address[4] memory callers = [stranger, owner, admin, accountKeyAddress];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IErrors.OnlyApiPayer.selector, callers[i]);
            by(callers[i]).newAccount(UNKNOWN, true, NAME, DESCRIPTION, accountKeyAddress);
        }
    }

    function test_RevertGiven_CallerIsAdminApiPayerOnly() external {
        by(owner).setAdminApiPayerAccount(stranger);
        expectRevert(IErrors.OnlyApiPayer.selector, stranger);
        by(stranger).newAccount(UNKNOWN, true, NAME, DESCRIPTION, accountKeyAddress);
    }

    function test_RevertWhen_NotManaged() external {
        expectRevert(IErrors.NewAccountNotManaged.selector, UNKNOWN);
        by(payer).newAccount(UNKNOWN, false, NAME, DESCRIPTION, accountKeyAddress);
    }

    function test_RevertWhen_HashIsZero() external {
        expectRevert(IErrors.AccountHashIsZero.selector);
        by(payer).newAccount(0, true, NAME, DESCRIPTION, accountKeyAddress);
    }

    function test_RevertWhen_AdminWalletIsZero() external {
        expectRevert(IErrors.AdminWalletIsZero.selector);
        by(payer).newAccount(UNKNOWN, true, NAME, DESCRIPTION, address(0));
    }

    function test_RevertGiven_HashIsTaken() external {
        uint256 managedKey = key;
        convert();
        uint256[4] memory hashes = [MANAGED, SECURED, managedKey, identity(newAdmin)];
        for (uint256 i; i < hashes.length; ++i) {
            expectRevert(IErrors.AccountAlreadyExists.selector, hashes[i]);
            by(payer).newAccount(hashes[i], true, NAME, DESCRIPTION, accountKeyAddress);
        }
    }
}
