// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract TransferChainSecuredAccountOwnershipTest is AccountConfigTest {
    function setUp() public override {
        super.setUp();
        enterSecured();
    }

    function _assertAdmin(uint256 hash, address expected) private view {
        (uint256 master, address adminWallet, bool managed,,) = accountConfig.resolve(hash);
        vm.assertEq(master, SECURED);
        vm.assertEq(adminWallet, expected);
        vm.assertFalse(managed);
    }

    function test_Transfer() external {
        expectEvent();
        emit IAccountWrites.ChainSecuredAccountOwnershipTransferred(SECURED, admin, newAdmin);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        assertEvents(1);
        _assertAdmin(SECURED, newAdmin);
        assertGroup(GROUP, list(ACTION), list(wallet));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), 0);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// The event carries the master hash when the call was made with an alias.
    function test_ByAlias() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        expectRevert(IErrors.AccountNotAccepted.selector, identity(newAdmin));
        by(newAdmin).transferChainSecuredAccountOwnership(identity(newAdmin), stranger);
        by(newAdmin).acceptAccount(SECURED);
        expectEvent();
        emit IAccountWrites.ChainSecuredAccountOwnershipTransferred(SECURED, newAdmin, stranger);
        by(newAdmin).transferChainSecuredAccountOwnership(identity(newAdmin), stranger);
        assertEvents(1);
        _assertAdmin(SECURED, stranger);
        _assertAdmin(identity(newAdmin), stranger);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(stranger)), 0);
    }

    function test_ConvertedAccount() external {
        enterManaged();
        convert();
        expectEvent();
        emit IAccountWrites.ChainSecuredAccountOwnershipTransferred(MANAGED, newAdmin, stranger);
        by(newAdmin).transferChainSecuredAccountOwnership(identity(newAdmin), stranger);
        vm.assertEq(accountConfig.getAccountWalletAddress(MANAGED), stranger);
    }

    /// Rule 9: a transfer leaves what others put under the identity, and the acceptance clears it.
    function test_UsageKeyOnTheIdentityGivesWayToTheAcceptance() external {
        uint256 squatted = identity(newAdmin);
        setKey(almightyKey(squatted));
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        assertEvents(1);
        vm.assertEq(accountConfig.listApiKeys(SECURED, 0, 10).length, 2);
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyRemoved(SECURED, squatted);
        expectEvent();
        emit IAccountWrites.AccountAccepted(SECURED, newAdmin, true);
        by(newAdmin).acceptAccount(SECURED);
        assertEvents(2);
        _assertAdmin(squatted, newAdmin);
        vm.assertEq(accountConfig.listApiKeys(SECURED, 0, 10).length, 1);
        vm.assertEq(accountConfig.listApiKeys(SECURED, 0, 10)[0].usageApiKeyHash, key);
    }

    function test_ManagedAccountOnTheIdentityGivesWayToTheAcceptance() external {
        uint256 squatted = identity(newAdmin);
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(squatted), squatted);
        expectEvent();
        emit IAccountWrites.AccountEvicted(squatted, newAdmin);
        expectEvent();
        emit IAccountWrites.AccountAccepted(SECURED, newAdmin, true);
        by(newAdmin).acceptAccount(SECURED);
        assertEvents(2);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(squatted), SECURED);
    }

    function test_AccountKeyOnTheIdentityGivesWayToTheAcceptance() external {
        rotate(MANAGED, identity(newAdmin));
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
        by(newAdmin).acceptAccount(SECURED);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), SECURED);
    }

    // ------------------------------------------- reverts, in their order: each call has all later mistakes too

    function test_RevertWhen_NewAdminIsZero() external {
        expectRevert(IErrors.AdminWalletIsZero.selector);
        by(stranger).transferChainSecuredAccountOwnership(UNKNOWN, address(0));
        expectRevert(IErrors.AdminWalletIsZero.selector);
        by(admin).transferChainSecuredAccountOwnership(SECURED, address(0));
    }

    function test_RevertGiven_NoAccount() external {
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        by(stranger).transferChainSecuredAccountOwnership(UNKNOWN, admin);
    }

    function test_RevertGiven_UsageKeyHash() external {
        expectRevert(IErrors.NotMasterAccount.selector, key);
        by(stranger).transferChainSecuredAccountOwnership(key, admin);
        enterManaged();
        expectRevert(IErrors.NotMasterAccount.selector, key);
        by(payer).transferChainSecuredAccountOwnership(key, admin);
    }

    function test_RevertGiven_AccountIsManaged() external {
        expectInvalidRequest("the account is managed: convert it instead");
        by(payer).transferChainSecuredAccountOwnership(MANAGED, newAdmin);
        expectInvalidRequest("the account is managed: convert it instead");
        by(stranger).transferChainSecuredAccountOwnership(MANAGED, accountKeyAddress);
    }

    function test_RevertGiven_CallerIsNotTheAdmin() external {
        address[4] memory callers = [stranger, payer, owner, newAdmin];
        for (uint256 i; i < callers.length; ++i) {
            expectNoAccess(SECURED, callers[i]);
            by(callers[i]).transferChainSecuredAccountOwnership(SECURED, admin);
        }
    }

    function test_RevertGiven_CallerWasAdmin() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        expectNoAccess(SECURED, admin);
        by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
    }

    function test_RevertGiven_NewAdminIsTheAdmin() external {
        expectRevert(IErrors.AlreadyAdminWallet.selector, SECURED, admin);
        by(admin).transferChainSecuredAccountOwnership(SECURED, admin);
    }

    function test_RevertGiven_NewAdminOwnsAnAccount() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(stranger));
        by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
        convert();
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
    }

    function test_RevertGiven_NewAdminWasAdmin() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(newAdmin).transferChainSecuredAccountOwnership(SECURED, admin);
        by(newAdmin).transferChainSecuredAccountOwnership(SECURED, stranger);
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        by(stranger).transferChainSecuredAccountOwnership(SECURED, newAdmin);
    }

    /// A wallet whose account was opened under its identity as a key hash cannot become admin again either.
    function test_RevertGiven_NewAdminWasAdminByItsOwnHash() external {
        uint256 hash = identity(newAdmin);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).convertToChainSecuredAccount(hash, newAdmin);
        by(newAdmin).transferChainSecuredAccountOwnership(hash, stranger);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(stranger).transferChainSecuredAccountOwnership(hash, newAdmin);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
    }
}
