// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Rule 14: a transferred account waits for the first write of its new admin.
contract AcceptanceTest is AccountConfigTest {
    uint256 private immutable GIVEN = identity(stranger);
    uint256 private immutable OTHER = identity(looseWallet);
    uint256 private immutable CHOICE = identity(newAdmin);

    /// Two givers open accounts. The first one transfers its account to `newAdmin`.
    function setUp() public override {
        super.setUp();
        by(payer).newAccount(UNKNOWN, true, NAME, DESCRIPTION, accountKeyAddress);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        by(looseWallet).newChainSecuredAccount(NAME, DESCRIPTION);
        by(stranger).transferChainSecuredAccountOwnership(GIVEN, newAdmin);
    }

    function _addGroup(uint256 hash) private {
        by(newAdmin).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
    }

    function _assertNames(uint256 hash, uint256 master) private view {
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), master);
    }

    function _assertChosen() private {
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(payer).convertToChainSecuredAccount(UNKNOWN, newAdmin);
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
    }

    function test_IdentityNamesTheGivenAccountUntilTheChoice() external view {
        _assertNames(CHOICE, GIVEN);
        vm.assertEq(accountConfig.getAccountWalletAddress(CHOICE), newAdmin);
    }

    function test_FirstWriteByIdentityAccepts() external {
        expectEvent();
        emit IAccountWrites.AccountAccepted(GIVEN, newAdmin);
        _addGroup(CHOICE);
        assertEvents(2);
        _addGroup(CHOICE);
        assertEvents(1);
        _assertNames(CHOICE, GIVEN);
        _assertChosen();
    }

    function test_FirstWriteByMasterHashAccepts() external {
        expectEvent();
        emit IAccountWrites.AccountAccepted(GIVEN, newAdmin);
        _addGroup(GIVEN);
        _assertNames(CHOICE, GIVEN);
        _assertChosen();
    }

    function test_OpeningIsAChoice() external {
        expectEvent();
        emit IAccountWrites.AccountCreated(CHOICE, newAdmin, false, NAME, DESCRIPTION);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        _assertNames(CHOICE, CHOICE);
        _assertNames(GIVEN, GIVEN);
        vm.assertEq(accountConfig.getAccountWalletAddress(GIVEN), newAdmin);
        _assertChosen();
    }

    function test_ConversionIsAChoice() external {
        convert();
        _assertNames(CHOICE, MANAGED);
        _assertChosen();
    }

    /// The wallet stays admin of the account that it did not choose, and does not change its choice by writing it.
    function test_WriteOfTheOtherAccountAfterTheChoice() external {
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        _addGroup(GIVEN);
        assertEvents(1);
        _assertNames(CHOICE, CHOICE);
        vm.assertEq(accountConfig.listGroups(GIVEN, 0, 10), list(1));
        by(newAdmin).transferChainSecuredAccountOwnership(GIVEN, noWallet);
        assertEvents(1);
        _assertNames(identity(noWallet), GIVEN);
    }

    // ------------------------------------------------------------------------------------------- several transfers

    function test_IdentityNamesNoneOfSeveral() external {
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, newAdmin);
        _assertNames(CHOICE, 0);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        _assertNames(CHOICE, 0);
        expectRevert(IErrors.AccountDoesNotExist.selector, CHOICE);
        _addGroup(CHOICE);
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(payer).newAccount(CHOICE, true, NAME, DESCRIPTION, accountKeyAddress);
        enterManaged();
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        setKey(newKey(CHOICE));
        vm.assertEq(accountConfig.getAccountWalletAddress(GIVEN), newAdmin);
        vm.assertEq(accountConfig.getAccountWalletAddress(OTHER), newAdmin);
    }

    function test_WriteChoosesOneOfSeveral() external {
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, newAdmin);
        expectEvent();
        emit IAccountWrites.AccountAccepted(OTHER, newAdmin);
        _addGroup(OTHER);
        _assertNames(CHOICE, OTHER);
        _addGroup(GIVEN);
        assertEvents(1);
        _assertNames(CHOICE, OTHER);
    }

    function test_OpeningInsteadOfSeveral() external {
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, newAdmin);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        _assertNames(CHOICE, CHOICE);
        _assertChosen();
    }

    function test_ConversionInsteadOfSeveral() external {
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, newAdmin);
        convert();
        _assertNames(CHOICE, MANAGED);
        _assertChosen();
    }

    /// A retired account does not wait for a choice.
    function test_TransferAfterTheGivenAccountWasRetired() external {
        by(newAdmin).retireAccount(GIVEN);
        _assertNames(CHOICE, 0);
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, newAdmin);
        _assertNames(CHOICE, OTHER);
    }

    // ----------------------------------------------------------------------------------------------- own key hash

    /// An account whose key hash is the identity of the wallet that gets it.
    function test_KeyHashIsTheIdentity() external {
        uint256 hash = identity(noWallet);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).convertToChainSecuredAccount(hash, wallet);
        by(wallet).transferChainSecuredAccountOwnership(hash, noWallet);
        uint256 snapshot = vm.snapshotState();
        expectEvent();
        emit IAccountWrites.AccountEvicted(hash, noWallet);
        by(noWallet).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.revertToState(snapshot);
        expectEvent();
        emit IAccountWrites.AccountAccepted(hash, noWallet);
        by(noWallet).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(noWallet).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    // ---------------------------------------------------------------------------------------------------- wallets

    function test_RevertGiven_IdentityRegistersAWalletBeforeTheAcceptance() external {
        (account, mintedFor) = (GIVEN, newAdmin);
        expectRevert(IErrors.AccountNotAccepted.selector, CHOICE);
        by(newAdmin).registerWalletDerivation(CHOICE, noWallet, pathOf(9), NAME, DESCRIPTION);
        expectRevert(IErrors.AccountNotAccepted.selector, CHOICE);
        by(stranger).registerWalletDerivation(CHOICE, noWallet, pathOf(9), NAME, DESCRIPTION);
        expectNoAccess(GIVEN, stranger);
        by(stranger).registerWalletDerivation(GIVEN, noWallet, pathOf(9), NAME, DESCRIPTION);
        uint256 snapshot = vm.snapshotState();
        by(newAdmin).registerWalletDerivation(GIVEN, noWallet, pathOf(9), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(CHOICE, noWallet), pathOf(9));
        vm.revertToState(snapshot);
        _addGroup(CHOICE);
        by(newAdmin).registerWalletDerivation(CHOICE, noWallet, pathOf(9), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(CHOICE, noWallet), pathOf(9));
    }
}
