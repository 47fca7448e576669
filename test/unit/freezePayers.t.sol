// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice Rule 18, and the limit of conversions.
contract FreezePayersTest is SignedWritesTest {
    address private immutable guardian = actor("guardian");

    function setUp() public override {
        super.setUp();
        by(owner).setGuardian(guardian);
        enterManaged();
    }

    function _frozen(address payer_) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.ApiPayersAreFrozen.selector, payer_);
    }

    function _newAccount(address caller) private {
        by(caller).newAccount(UNKNOWN, true, NAME, DESCRIPTION, accountKeyAddress);
    }

    function test_SetGuardian() external {
        expectEvent();
        emit IConfigFacet.GuardianSet(stranger);
        by(owner).setGuardian(stranger);
        assertEvents(1);
        vm.assertEq(accountConfig.guardian(), stranger);
        expectRevert(IErrors.OnlyGuardianOrOwner.selector, guardian);
        by(guardian).freezePayers();
        by(owner).setGuardian(address(0));
        expectRevert(IErrors.OnlyGuardianOrOwner.selector, stranger);
        by(stranger).freezePayers();
    }

    function test_FrozenPayersWriteNothing() external {
        expectEvent();
        emit IConfigFacet.PayersFrozen(guardian);
        by(guardian).freezePayers();
        assertEvents(1);
        vm.assertTrue(accountConfig.payersFrozen());
        address[2] memory payers = [payer, otherPayer];
        for (uint256 i; i < payers.length; ++i) {
            vm.expectRevert(_frozen(payers[i]));
            by(payers[i]).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
            vm.expectRevert(_frozen(payers[i]));
            by(payers[i]).convertToChainSecuredAccount(MANAGED, newAdmin);
            vm.expectRevert(_frozen(payers[i]));
            by(payers[i]).convertWithConsent(MANAGED, newAdmin, DEADLINE, "");
            vm.expectRevert(_frozen(payers[i]));
            by(payers[i]).rotateAccountKey(MANAGED, UNKNOWN, newAdmin, DEADLINE, "");
            vm.expectRevert(_frozen(payers[i]));
            by(payers[i]).retireManagedAccount(MANAGED, DEADLINE, "");
            vm.expectRevert(_frozen(payers[i]));
            _newAccount(payers[i]);
            vm.prank(payers[i]);
            vm.assertFalse(accountConfig.accountExistsAndIsMutable(MANAGED));
        }
        expectNoAccess(MANAGED, stranger);
        by(stranger).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.OnlyApiPayer.selector, stranger);
        _newAccount(stranger);
    }

    function test_EverythingElseGoesOn() external {
        by(guardian).freezePayers();
        assertCan(key, ACTION, wallet, true, true);
        vm.assertEq(accountConfig.api_payers(), list(payer, otherPayer));
        enterSecured();
        assertUnharmed();
        // A frozen payer may submit, and write an account of its own.
        bytes[] memory calls = one(addActionCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 0);
        by(payer).executeSigned(SECURED, admin, calls, 0, DEADLINE, signed);
        by(payer).newChainSecuredAccount(NAME, DESCRIPTION);
        by(payer).addGroup(identity(payer), NAME, DESCRIPTION, list(), wallets());
        by(owner).convertToChainSecuredAccount(MANAGED, newAdmin);
    }

    function test_Unfreeze() external {
        by(owner).freezePayers();
        expectEvent();
        emit IConfigFacet.PayersUnfrozen();
        by(owner).unfreezePayers();
        assertEvents(1);
        vm.assertFalse(accountConfig.payersFrozen());
        _newAccount(payer);
        by(otherPayer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    function test_RepetitionChangesNothing() external {
        by(owner).unfreezePayers();
        assertEvents(0);
        by(guardian).freezePayers();
        by(owner).freezePayers();
        assertEvents(0);
        vm.assertTrue(accountConfig.payersFrozen());
    }

    /// The owner replaces a stolen key while all are frozen.
    function test_PayersSetWhileFrozenAreFrozen() external {
        by(guardian).freezePayers();
        by(owner).setApiPayers(list(otherPayer, newAdmin));
        vm.expectRevert(_frozen(newAdmin));
        _newAccount(newAdmin);
        expectRevert(IErrors.OnlyApiPayer.selector, payer);
        _newAccount(payer);
        by(owner).unfreezePayers();
        expectRevert(IErrors.OnlyApiPayer.selector, payer);
        _newAccount(payer);
        _newAccount(newAdmin);
        by(otherPayer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    function test_RevertGiven_Callers() external {
        address[5] memory callers = [stranger, payer, admin, guardian, address(0)];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IDiamond.OnlyOwner.selector, callers[i]);
            by(callers[i]).setGuardian(callers[i]);
            expectRevert(IDiamond.OnlyOwner.selector, callers[i]);
            by(callers[i]).unfreezePayers();
            expectRevert(IDiamond.OnlyOwner.selector, callers[i]);
            by(callers[i]).setConversionLimit(1);
            expectRevert(IDiamond.OnlyOwner.selector, callers[i]);
            by(callers[i]).setConsentRequired(false);
            if (callers[i] == guardian) continue;
            expectRevert(IErrors.OnlyGuardianOrOwner.selector, callers[i]);
            by(callers[i]).freezePayers();
        }
    }

    // ----------------------------------------------------------------------------------- limit of conversions

    function _convert(uint256 hash, string memory to) private {
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).convertToChainSecuredAccount(hash, actor(to));
    }

    function _assertLimited(uint256 perDay) private {
        expectRevert(IErrors.ConversionLimitReached.selector, perDay);
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
    }

    function test_NoLimitAtFirst() external {
        vm.assertEq(accountConfig.conversionLimit(), type(uint256).max);
        _convert(1, "one");
        vm.assertEq(accountConfig.conversionsToday(payer), 0);
    }

    function test_LimitPerDay() external {
        expectEvent();
        emit IConfigFacet.ConversionLimitSet(2);
        by(owner).setConversionLimit(2);
        assertEvents(1);
        vm.assertEq(accountConfig.conversionLimit(), 2);
        vm.warp(NOW - NOW % 1 days + 1 days - 1);
        _convert(1, "one");
        vm.assertEq(accountConfig.conversionsToday(payer), 1);
        _convert(2, "two");
        _assertLimited(2);
        vm.warp(NOW - NOW % 1 days + 1 days);
        vm.assertEq(accountConfig.conversionsToday(payer), 0);
        _convert(3, "three");
        _convert(4, "four");
        _assertLimited(2);
        by(owner).setConversionLimit(3);
        _convert(5, "five");
        _assertLimited(3);
        expectEvent();
        emit IConfigFacet.ConversionLimitSet(type(uint256).max);
        by(owner).setConversionLimit(1 << 64);
        convert();
    }

    function test_ZeroStopsConversions() external {
        by(owner).setConversionLimit(0);
        vm.assertEq(accountConfig.conversionLimit(), 0);
        _assertLimited(0);
        expectRevert(IErrors.ConversionLimitReached.selector, 0);
        by(owner).convertToChainSecuredAccount(MANAGED, newAdmin);
    }

    /// A stranger who converts an own account through one payer leaves the others their number.
    function test_LimitOfEachCaller() external {
        by(owner).setConversionLimit(1);
        _convert(1, "one");
        _assertLimited(1);
        vm.assertEq(accountConfig.conversionsToday(otherPayer), 0);
        by(payer).newAccount(2, true, NAME, DESCRIPTION, accountKeyAddress);
        by(otherPayer).convertToChainSecuredAccount(2, actor("two"));
        by(owner).convertToChainSecuredAccount(MANAGED, newAdmin);
    }

    /// With the consent of the account key a conversion does not count.
    function test_ConsentIsNotLimited() external {
        by(owner).setConversionLimit(0);
        bytes memory consent = consentOf(MANAGED, conversion(MANAGED, newAdmin));
        by(payer).convertWithConsent(MANAGED, newAdmin, DEADLINE, consent);
        vm.assertEq(accountConfig.conversionsToday(payer), 0);
    }

    function test_LargestLimit() external {
        by(owner).setConversionLimit(type(uint64).max);
        vm.assertEq(accountConfig.conversionLimit(), type(uint64).max);
        convert();
        vm.assertEq(accountConfig.conversionsToday(payer), 1);
    }
}
