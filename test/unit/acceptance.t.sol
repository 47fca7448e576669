// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice Rules 14 and 21: a transferred account waits until its new admin accepts it.
contract AcceptanceTest is SignedWritesTest {
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

    function _assertWaiting(uint256 hash, uint256 master) private view {
        _assertNames(hash, 0);
        IViewsFacet.AccountState memory state = accountConfig.accountState(hash);
        vm.assertEq(uint256(state.state), uint256(IViewsFacet.HashState.Waiting));
        vm.assertEq(state.masterApiKeyHash, master);
        vm.assertFalse(state.accepted);
    }

    function _assertChosen() private {
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(payer).convertToChainSecuredAccount(UNKNOWN, newAdmin);
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
    }

    function test_IdentityNamesNothingBeforeTheAcceptance() external {
        _assertWaiting(CHOICE, GIVEN);
        vm.assertEq(accountConfig.getAccountWalletAddress(GIVEN), newAdmin);
        vm.prank(newAdmin);
        vm.assertFalse(accountConfig.accountExistsAndIsMutable(CHOICE));
        expectRevert(IErrors.AccountNotAccepted.selector, CHOICE);
        _addGroup(CHOICE);
        expectRevert(IErrors.AccountNotAccepted.selector, CHOICE);
        by(newAdmin).acceptAccount(CHOICE);
        expectRevert(IErrors.AccountNotAccepted.selector, CHOICE);
        by(newAdmin).cancelTransfer(CHOICE);
    }

    function test_Accept() external {
        expectEvent();
        emit IAccountWrites.AccountAccepted(GIVEN, newAdmin, true);
        by(newAdmin).acceptAccount(GIVEN);
        assertEvents(1);
        _assertNames(CHOICE, GIVEN);
        vm.assertTrue(accountConfig.accountState(CHOICE).accepted);
        _assertChosen();
        by(newAdmin).acceptAccount(CHOICE);
        assertEvents(0);
        _addGroup(CHOICE);
        assertEvents(1);
    }

    function test_AcceptBySignature() external {
        submit("new admin", GIVEN, one(abi.encodeCall(IAccountWrites.acceptAccount, (GIVEN))), 0);
        _assertNames(CHOICE, GIVEN);
        _assertChosen();
    }

    function test_WriteByMasterHashAccepts() external {
        expectEvent();
        emit IAccountWrites.AccountAccepted(GIVEN, newAdmin, true);
        _addGroup(GIVEN);
        assertEvents(2);
        _assertNames(CHOICE, GIVEN);
        _assertChosen();
    }

    /// The identity of a former admin names the account too. A usage key of the giver is not a name that the wallet chose.
    function test_OtherNames() external {
        (account, writer) = (OTHER, looseWallet);
        setKey(almightyKey(NO_ACTION));
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, wallet);
        by(wallet).acceptAccount(OTHER);
        by(wallet).transferChainSecuredAccountOwnership(OTHER, noWallet);
        expectRevert(IErrors.AccountNotAccepted.selector, NO_ACTION);
        by(noWallet).addGroup(NO_ACTION, NAME, DESCRIPTION, list(), wallets());
        by(noWallet).addGroup(identity(wallet), NAME, DESCRIPTION, list(), wallets());
        _assertNames(identity(noWallet), OTHER);
        by(noWallet).addGroup(NO_ACTION, NAME, DESCRIPTION, list(), wallets());
    }

    function test_RevertGiven_AcceptanceIsNotByTheAdmin() external {
        address[4] memory callers = [stranger, payer, owner, admin];
        for (uint256 i; i < callers.length; ++i) {
            expectNoAccess(GIVEN, callers[i]);
            by(callers[i]).acceptAccount(GIVEN);
            if (callers[i] == stranger) continue;
            expectNoAccess(GIVEN, callers[i]);
            by(callers[i]).cancelTransfer(GIVEN);
        }
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

    /// The wallet stays admin of the account that it did not choose, and does not change its choice by accepting it.
    function test_AcceptanceAfterAnotherChoice() external {
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertFalse(accountConfig.accountState(GIVEN).accepted);
        expectEvent();
        emit IAccountWrites.AccountAccepted(GIVEN, newAdmin, false);
        _addGroup(GIVEN);
        assertEvents(2);
        _assertNames(CHOICE, CHOICE);
        vm.assertTrue(accountConfig.accountState(GIVEN).accepted);
        vm.assertEq(accountConfig.listGroups(GIVEN, 0, 10), list(1));
        by(newAdmin).transferChainSecuredAccountOwnership(GIVEN, noWallet);
        assertEvents(1);
        _assertWaiting(identity(noWallet), GIVEN);
    }

    // ---------------------------------------------------------------------------------------------- cancellation

    function _assertGivenBack() private {
        vm.assertEq(accountConfig.getAccountWalletAddress(GIVEN), stranger);
        vm.assertTrue(accountConfig.accountState(GIVEN).accepted);
        _assertNames(CHOICE, 0);
        vm.assertEq(uint256(accountConfig.accountState(CHOICE).state), uint256(IViewsFacet.HashState.Unused));
        expectNoAccess(GIVEN, newAdmin);
        by(newAdmin).acceptAccount(GIVEN);
        by(stranger).addGroup(GIVEN, NAME, DESCRIPTION, list(), wallets());
        assertEvents(1);
        expectRevert(IErrors.NoPendingTransfer.selector, GIVEN);
        by(stranger).cancelTransfer(GIVEN);
    }

    function test_GiverCancels() external {
        expectEvent();
        emit IAccountWrites.AccountTransferCancelled(GIVEN, newAdmin, stranger);
        by(stranger).cancelTransfer(GIVEN);
        assertEvents(1);
        _assertGivenBack();
        by(stranger).transferChainSecuredAccountOwnership(GIVEN, noWallet);
        by(noWallet).acceptAccount(GIVEN);
    }

    function test_NewAdminRefuses() external {
        by(newAdmin).cancelTransfer(GIVEN);
        _assertGivenBack();
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    /// The giver signs the cancellation, and what follows it in the batch.
    function test_GiverCancelsBySignature() external {
        bytes memory cancel = abi.encodeCall(IAccountWrites.cancelTransfer, (GIVEN));
        bytes[] memory other = two(addActionCall(GIVEN), cancel);
        bytes memory noAccess = abi.encodeWithSelector(IErrors.NoAccountAccess.selector, GIVEN, stranger);
        refusedSigned(GIVEN, stranger, other, 0, sign("stranger", GIVEN, other, 0), noAccess);
        submit("stranger", GIVEN, two(cancel, addActionCall(GIVEN)), 0);
        _assertGivenBack();
    }

    function test_RevertGiven_AccountWasAccepted() external {
        by(newAdmin).acceptAccount(GIVEN);
        expectRevert(IErrors.NoPendingTransfer.selector, GIVEN);
        by(stranger).cancelTransfer(GIVEN);
        expectRevert(IErrors.NoPendingTransfer.selector, GIVEN);
        by(newAdmin).cancelTransfer(GIVEN);
        bytes[] memory cancel = one(abi.encodeCall(IAccountWrites.cancelTransfer, (GIVEN)));
        bytes memory noAccess = abi.encodeWithSelector(IErrors.NoAccountAccess.selector, GIVEN, stranger);
        refusedSigned(GIVEN, stranger, cancel, 0, sign("stranger", GIVEN, cancel, 0), noAccess);
    }

    /// A giver before the last one takes nothing back.
    function test_RevertGiven_FormerGiver() external {
        by(newAdmin).transferChainSecuredAccountOwnership(GIVEN, noWallet);
        expectNoAccess(GIVEN, stranger);
        by(stranger).cancelTransfer(GIVEN);
        by(newAdmin).cancelTransfer(GIVEN);
        vm.assertEq(accountConfig.getAccountWalletAddress(GIVEN), newAdmin);
        expectRevert(IErrors.NoPendingTransfer.selector, GIVEN);
        by(stranger).cancelTransfer(GIVEN);
    }

    function test_RevertGiven_NothingWaits() external {
        uint256[2] memory hashes = [MANAGED, SECURED];
        for (uint256 i; i < 2; ++i) {
            expectRevert(IErrors.NoPendingTransfer.selector, hashes[i]);
            by(i == 0 ? payer : admin).cancelTransfer(hashes[i]);
        }
        expectRevert(IErrors.AccountDoesNotExist.selector, NO_ACTION);
        by(admin).cancelTransfer(NO_ACTION);
    }

    // ------------------------------------------------------------------------------------------- several transfers

    /// No transfer takes anything from the wallet, whatever comes after it.
    function test_SecondTransfer() external {
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, newAdmin);
        _assertWaiting(CHOICE, OTHER);
        vm.assertEq(accountConfig.getAccountWalletAddress(GIVEN), newAdmin);
        vm.assertEq(accountConfig.getAccountWalletAddress(OTHER), newAdmin);
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        by(payer).newAccount(CHOICE, true, NAME, DESCRIPTION, accountKeyAddress);
        enterManaged();
        expectRevert(IErrors.AccountAlreadyExists.selector, CHOICE);
        setKey(newKey(CHOICE));
        by(newAdmin).acceptAccount(GIVEN);
        _assertNames(CHOICE, GIVEN);
        by(newAdmin).acceptAccount(OTHER);
        _assertNames(CHOICE, GIVEN);
        vm.assertTrue(accountConfig.accountState(OTHER).accepted);
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

    /// Two transferred accounts were retired: the wallet accepts a third one, and its identity names it.
    function test_TransferAfterRetirements() external {
        by(looseWallet).transferChainSecuredAccountOwnership(OTHER, newAdmin);
        by(newAdmin).retireAccount(GIVEN);
        by(newAdmin).retireAccount(OTHER);
        vm.assertEq(uint256(accountConfig.accountState(CHOICE).state), uint256(IViewsFacet.HashState.Unused));
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        _assertWaiting(CHOICE, SECURED);
        by(newAdmin).acceptAccount(SECURED);
        _assertNames(CHOICE, SECURED);
    }

    // ----------------------------------------------------------------------------------------------- own key hash

    /// An account whose key hash is the identity of the wallet that gets it.
    function test_KeyHashIsTheIdentity() external {
        uint256 hash = identity(noWallet);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).convertToChainSecuredAccount(hash, wallet);
        by(wallet).transferChainSecuredAccountOwnership(hash, noWallet);
        expectRevert(IErrors.AccountNotAccepted.selector, hash);
        by(noWallet).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
        uint256 snapshot = vm.snapshotState();
        expectEvent();
        emit IAccountWrites.AccountEvicted(hash, noWallet);
        by(noWallet).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.revertToState(snapshot);
        expectEvent();
        emit IAccountWrites.AccountAccepted(hash, noWallet, true);
        by(noWallet).acceptAccount(hash);
        by(noWallet).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(noWallet).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    // ---------------------------------------------------------------------------------------------------- wallets

    function test_WalletsOfBothAdmins() external {
        (account, mintedFor) = (GIVEN, newAdmin);
        expectRevert(IErrors.AccountNotAccepted.selector, CHOICE);
        by(newAdmin).registerWalletDerivation(CHOICE, noWallet, pathOf(9), NAME, DESCRIPTION);
        expectNoAccess(GIVEN, stranger);
        by(stranger).registerWalletDerivation(GIVEN, noWallet, pathOf(9), NAME, DESCRIPTION);
        by(newAdmin).registerWalletDerivation(GIVEN, noWallet, pathOf(9), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(CHOICE, noWallet), pathOf(9));
    }

    /// The wallets of the giver belong to the giver again when the account comes back.
    function test_PathsAfterTheCancellation() external {
        by(stranger).cancelTransfer(GIVEN);
        (account, mintedFor) = (GIVEN, stranger);
        by(stranger).registerWalletDerivation(GIVEN, noWallet, pathOf(9), NAME, DESCRIPTION);
        by(stranger).transferChainSecuredAccountOwnership(GIVEN, newAdmin);
        by(stranger).cancelTransfer(GIVEN);
        by(stranger).registerWalletDerivation(GIVEN, wallet, pathOf(10), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(GIVEN, noWallet), pathOf(9));
        vm.assertEq(accountConfig.getWalletDerivation(GIVEN, wallet), pathOf(10));
        by(stranger).transferChainSecuredAccountOwnership(GIVEN, newAdmin);
        vm.assertEq(accountConfig.getWalletDerivation(GIVEN, wallet), pathOf(10));
    }
}
