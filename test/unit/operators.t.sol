// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice setAdminApiPayerAccount, setConfigOperator, setPricingOperator, setPricing and their getters.
contract OperatorsTest is AccountConfigTest {
    address private immutable configOperator = actor("config operator");
    address private immutable pricingOperator = actor("pricing operator");

    function setUp() public override {
        super.setUp();
        by(owner).setConfigOperator(configOperator);
        by(owner).setPricingOperator(pricingOperator);
    }

    function test_NobodyAtFirst() external {
        IAccountConfig fresh = deploy(address(this), wallets(), address(0));
        vm.assertEq(fresh.configOperator(), address(0));
        vm.assertEq(fresh.pricingOperator(), address(0));
        vm.assertEq(fresh.adminApiPayerAccount(), address(0));
        vm.assertEq(fresh.api_payers(), wallets());
        vm.assertEq(fresh.accountCount(), 0);
        vm.assertEq(fresh.pkpCount(), 0);
    }

    function test_setAdminApiPayerAccount() external {
        vm.assertEq(accountConfig.adminApiPayerAccount(), payer);
        address[2] memory callers = [owner, configOperator];
        for (uint256 i; i < callers.length; ++i) {
            address value = address(uint160(1000 + i));
            expectEvent();
            emit IConfigFacet.AdminApiPayerAccountSet(value);
            by(callers[i]).setAdminApiPayerAccount(value);
            assertEvents(1);
            vm.assertEq(accountConfig.adminApiPayerAccount(), value);
        }
    }

    function test_setConfigOperator() external {
        expectEvent();
        emit IConfigFacet.ConfigOperatorSet(stranger);
        by(configOperator).setConfigOperator(stranger);
        assertEvents(1);
        vm.assertEq(accountConfig.configOperator(), stranger);
        by(stranger).setConfigOperator(newAdmin);
        by(owner).setConfigOperator(address(0));
        vm.assertEq(accountConfig.configOperator(), address(0));
    }

    function test_setPricingOperator() external {
        expectEvent();
        emit IConfigFacet.PricingOperatorSet(stranger);
        by(pricingOperator).setPricingOperator(stranger);
        assertEvents(1);
        vm.assertEq(accountConfig.pricingOperator(), stranger);
        by(owner).setPricingOperator(address(0));
        vm.assertEq(accountConfig.pricingOperator(), address(0));
    }

    function test_setPricing() external {
        vm.assertEq(accountConfig.getPricing(7), 0);
        address[2] memory callers = [owner, pricingOperator];
        for (uint256 i; i < callers.length; ++i) {
            expectEvent();
            emit IConfigFacet.PricingSet(7, 100 + i);
            by(callers[i]).setPricing(7, 100 + i);
            assertEvents(1);
            vm.assertEq(accountConfig.getPricing(7), 100 + i);
            vm.assertEq(accountConfig.getPricing(8), 0);
        }
    }

    function test_RevertGiven_CallerIsNoConfigOperator() external {
        address[5] memory callers = [stranger, payer, admin, pricingOperator, accountKeyAddress];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IErrors.OnlyConfigOperatorOrOwner.selector, callers[i]);
            by(callers[i]).setAdminApiPayerAccount(callers[i]);
            expectRevert(IErrors.OnlyConfigOperatorOrOwner.selector, callers[i]);
            by(callers[i]).setConfigOperator(callers[i]);
        }
        by(configOperator).setConfigOperator(stranger);
        expectRevert(IErrors.OnlyConfigOperatorOrOwner.selector, configOperator);
        by(configOperator).setConfigOperator(configOperator);
    }

    function test_RevertGiven_CallerIsNoPricingOperator() external {
        address[5] memory callers = [stranger, payer, admin, configOperator, accountKeyAddress];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IErrors.OnlyPricingOperatorOrOwner.selector, callers[i]);
            by(callers[i]).setPricing(1, 1);
            expectRevert(IErrors.OnlyPricingOperatorOrOwner.selector, callers[i]);
            by(callers[i]).setPricingOperator(callers[i]);
        }
    }

    /// While no operator is set, the zero address is none.
    function test_RevertGiven_NoOperatorIsSet() external {
        by(owner).setConfigOperator(address(0));
        by(owner).setPricingOperator(address(0));
        expectRevert(IErrors.OnlyConfigOperatorOrOwner.selector, configOperator);
        by(configOperator).setConfigOperator(configOperator);
        expectRevert(IErrors.OnlyPricingOperatorOrOwner.selector, pricingOperator);
        by(pricingOperator).setPricing(1, 1);
    }
}
