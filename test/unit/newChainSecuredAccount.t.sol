// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";

contract NewChainSecuredAccountTest is LabelGuards {
    function label(string memory name, string memory description) internal override {
        by(stranger).newChainSecuredAccount(name, description);
    }

    function _assertOpened(address wallet_) private view {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey,) =
            accountConfig.resolve(identity(wallet_));
        vm.assertEq(master, identity(wallet_));
        vm.assertEq(adminWallet, wallet_);
        vm.assertFalse(managed);
        vm.assertFalse(isUsageKey);
        (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) =
            accountConfig.listSizes(identity(wallet_));
        vm.assertEq(keys + groups + pkps + actions, 0);
    }

    function test_NewChainSecuredAccount() external {
        uint256 count = accountConfig.accountCount();
        expectEvent();
        emit IAccountWrites.AccountCreated(identity(stranger), stranger, false, NAME, DESCRIPTION);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        _assertOpened(stranger);
        vm.assertEq(accountConfig.accountCount(), count + 1);
    }

    function test_IdentityVector() external {
        address wallet_ = 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266;
        by(wallet_).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertEq(
            accountConfig.allApiKeyHashesToMaster(
                0xe9707d0e6171f728f7473c24cc0432a9b07eaaf1efed6a137a4a8c12c79552d9
            ),
            0xe9707d0e6171f728f7473c24cc0432a9b07eaaf1efed6a137a4a8c12c79552d9
        );
    }

    function test_PayersAndOwnerMayOpenTheirOwn() external {
        by(payer).newChainSecuredAccount(NAME, DESCRIPTION);
        by(owner).newChainSecuredAccount(NAME, DESCRIPTION);
        _assertOpened(payer);
        _assertOpened(owner);
    }

    // ------------------------------------------------------------------------- rule 9: the wallet identity wins

    function test_UsageKeyOnTheIdentityGivesWay() external inBothModes {
        uint256 squatted = identity(stranger);
        setKey(almightyKey(squatted));
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyRemoved(account, squatted);
        expectEvent();
        emit IAccountWrites.AccountCreated(squatted, stranger, false, NAME, DESCRIPTION);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(2);
        _assertOpened(stranger);
        vm.assertEq(accountConfig.listApiKeys(account, 0, 10).length, 1);
        assertCan(squatted, ACTION, wallet, false, false);
        expectRevert(IErrors.AccountAlreadyExists.selector, squatted);
        setKey(almightyKey(squatted));
    }

    function test_ManagedAccountOnTheIdentityGivesWay() external {
        uint256 squatted = identity(stranger);
        uint256 squattersKey = uint256(keccak256("squatter's key"));
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        account = squatted;
        by(payer).registerWalletDerivation(squatted, wallet, pathOf(7), NAME, DESCRIPTION);
        by(payer).addGroup(squatted, NAME, DESCRIPTION, list(ACTION), list(wallet));
        setKey(almightyKey(squattersKey));
        assertCan(squattersKey, ACTION, wallet, true, true);

        expectEvent();
        emit IAccountWrites.AccountEvicted(squatted, stranger);
        expectEvent();
        emit IAccountWrites.AccountCreated(squatted, stranger, false, NAME, DESCRIPTION);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(2);

        _assertOpened(stranger);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(squattersKey), 0);
        assertCan(squattersKey, ACTION, wallet, false, false);
        vm.assertEq(accountConfig.getWalletDerivation(squatted, wallet), 0);
        expectNoAccess(squatted, payer);
        by(payer).addGroup(squatted, NAME, DESCRIPTION, list(), wallets());
        vm.assertEq(by(stranger).addGroup(squatted, NAME, DESCRIPTION, list(), wallets()), 1);
        (uint256[] memory actions,) = accountConfig.listGroupContents(squatted, 1);
        vm.assertEq(actions.length, 0);
        expectRevert(IErrors.AccountDoesNotExist.selector, squattersKey);
        by(payer).addGroup(squattersKey, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.AccountDoesNotExist.selector, squattersKey);
        by(stranger).addGroup(squattersKey, NAME, DESCRIPTION, list(), wallets());
    }

    /// The contents of an evicted squatter do not work in the wallet's account.
    function test_PermissionsOfAnEvictedAccountAreGone() external {
        uint256 squatted = identity(stranger);
        uint256 squattersKey = uint256(keccak256("squatter's key"));
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        account = squatted;
        by(payer).addGroup(squatted, NAME, DESCRIPTION, list(), wallets());
        UsageKey memory k = newKey(squattersKey);
        k.executeInGroups = list(1);
        setKey(k);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        (writer, mintedFor) = (stranger, stranger);
        by(stranger).registerWalletDerivation(squatted, wallet, pathOf(7), NAME, DESCRIPTION);
        by(stranger).addGroup(squatted, NAME, DESCRIPTION, list(0), list(address(0)));
        uint256 ownKey = uint256(keccak256("own key"));
        setKey(newKey(ownKey));
        assertCan(squattersKey, ACTION, wallet, false, false);
        assertCan(ownKey, ACTION, wallet, false, false);
        assertKey(newKey(ownKey));
    }

    function test_PathOfAnEvictedAccountStaysTaken() external {
        uint256 squatted = identity(stranger);
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).registerWalletDerivation(squatted, noWallet, pathOf(7), NAME, DESCRIPTION);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(7)), 0);
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, pathOf(7));
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(7), NAME, DESCRIPTION);
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, pathOf(7));
        by(stranger).registerWalletDerivation(squatted, noWallet, pathOf(7), NAME, DESCRIPTION);
    }

    function test_RevertGiven_CallerOwnsAnAccount() external {
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(admin).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    function test_RevertGiven_CallerOwnsAConvertedAccount() external {
        convert();
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    function test_RevertGiven_CallerWasAdmin() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        by(newAdmin).transferChainSecuredAccountOwnership(SECURED, stranger);
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(admin).newChainSecuredAccount(NAME, DESCRIPTION);
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
    }
}
