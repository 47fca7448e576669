// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract ConvertToChainSecuredAccountTest is AccountConfigTest {
    function _assertConverted(uint256 hash, address newAdmin_) private view {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey,) = accountConfig.resolve(hash);
        vm.assertEq(master, MANAGED);
        vm.assertEq(adminWallet, newAdmin_);
        vm.assertFalse(managed);
        vm.assertFalse(isUsageKey);
    }

    function test_Convert() external {
        uint256 count = accountConfig.accountCount();
        expectEvent();
        emit IAccountWrites.AccountConvertedToChainSecured(MANAGED, accountKeyAddress, newAdmin);
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
        assertEvents(1);
        _assertConverted(MANAGED, newAdmin);
        _assertConverted(identity(newAdmin), newAdmin);
        vm.assertEq(accountConfig.accountCount(), count);
    }

    function test_ByOwner() external {
        by(owner).convertToChainSecuredAccount(MANAGED, newAdmin);
        _assertConverted(MANAGED, newAdmin);
    }

    function test_EverythingIsKept() external {
        convert();
        assertGroup(GROUP, list(ACTION), list(wallet));
        vm.assertEq(accountConfig.listGroups(MANAGED, 0, 10), list(GROUP, EMPTY_GROUP));
        vm.assertEq(accountConfig.listActions(identity(newAdmin), 0, 10), list(ACTION, LOOSE_ACTION));
        vm.assertEq(accountConfig.getWalletDerivation(identity(newAdmin), wallet), 1);
        assertCan(key, ACTION, wallet, true, true);
        vm.assertEq(usageKey(key).permissions.executeInGroups, list(GROUP));
    }

    function test_AccountKeyAddressMayBecomeAdmin() external {
        by(payer).convertToChainSecuredAccount(MANAGED, accountKeyAddress);
        _assertConverted(identity(accountKeyAddress), accountKeyAddress);
        by(accountKeyAddress).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    // ------------------------------------------------------------------------- rule 9: the wallet identity wins

    function test_UsageKeyOnTheIdentityGivesWay() external inBothModes {
        uint256 squatted = identity(newAdmin);
        setKey(almightyKey(squatted));
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyRemoved(account, squatted);
        expectEvent();
        emit IAccountWrites.AccountConvertedToChainSecured(MANAGED, accountKeyAddress, newAdmin);
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
        assertEvents(2);
        _assertConverted(squatted, newAdmin);
        vm.assertEq(accountConfig.listApiKeys(account, 0, 10).length, 1);
    }

    function test_ManagedAccountOnTheIdentityGivesWay() external {
        uint256 squatted = identity(newAdmin);
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        expectEvent();
        emit IAccountWrites.AccountEvicted(squatted, newAdmin);
        expectEvent();
        emit IAccountWrites.AccountConvertedToChainSecured(MANAGED, accountKeyAddress, newAdmin);
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
        assertEvents(2);
        _assertConverted(squatted, newAdmin);
    }

    /// A managed account whose key hash is the identity of its new admin wallet.
    function test_HashIsTheIdentityOfTheNewAdmin() external {
        uint256 hash = identity(newAdmin);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).addGroup(hash, NAME, DESCRIPTION, list(ACTION), wallets());
        expectEvent();
        emit IAccountWrites.AccountConvertedToChainSecured(hash, accountKeyAddress, newAdmin);
        by(payer).convertToChainSecuredAccount(hash, newAdmin);
        assertEvents(1);
        (uint256 master, address adminWallet, bool managed,,) = accountConfig.resolve(hash);
        vm.assertEq(master, hash);
        vm.assertEq(adminWallet, newAdmin);
        vm.assertFalse(managed);
        vm.assertEq(accountConfig.listGroups(hash, 0, 10), list(1));
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
    }

    // ------------------------------------------------------------------------------------------------ reverts

    function test_RevertGiven_CallerIsNeitherPayerNorOwner() external {
        address[4] memory callers = [stranger, admin, newAdmin, accountKeyAddress];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IErrors.OnlyApiPayerOrOwner.selector, callers[i]);
            by(callers[i]).convertToChainSecuredAccount(MANAGED, newAdmin);
        }
    }

    function test_RevertWhen_NewAdminIsZero() external {
        expectRevert(IErrors.AdminWalletIsZero.selector);
        by(payer).convertToChainSecuredAccount(MANAGED, address(0));
    }

    function test_RevertGiven_NoAccount() external {
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        by(payer).convertToChainSecuredAccount(UNKNOWN, newAdmin);
    }

    function test_RevertGiven_UsageKeyHash() external {
        setKey(almightyKey(key));
        expectRevert(IErrors.NotMasterAccount.selector, key);
        by(payer).convertToChainSecuredAccount(key, newAdmin);
    }

    /// Rule 1: neither an api payer nor the owner can take an account from its wallet.
    function test_RevertGiven_AccountIsChainSecured() external {
        address[2] memory callers = [payer, owner];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IErrors.AlreadyChainSecured.selector, SECURED);
            by(callers[i]).convertToChainSecuredAccount(SECURED, newAdmin);
        }
        convert();
        expectRevert(IErrors.AlreadyChainSecured.selector, MANAGED);
        by(payer).convertToChainSecuredAccount(MANAGED, stranger);
        expectRevert(IErrors.AlreadyChainSecured.selector, identity(newAdmin));
        by(payer).convertToChainSecuredAccount(identity(newAdmin), stranger);
    }

    function test_RevertGiven_NewAdminOwnsAnAccount() external {
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(payer).convertToChainSecuredAccount(MANAGED, admin);
    }

    function test_RevertGiven_NewAdminWasAdmin() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        by(newAdmin).transferChainSecuredAccountOwnership(SECURED, stranger);
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(payer).convertToChainSecuredAccount(MANAGED, admin);
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
    }
}
