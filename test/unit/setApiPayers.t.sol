// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice setApiPayers and api_payers.
contract SetApiPayersTest is AccountConfigTest {
    function test_SetApiPayers() external {
        vm.assertEq(accountConfig.api_payers(), list(payer, otherPayer));
        expectEvent();
        emit IConfigFacet.ApiPayersSet(list(stranger, otherPayer));
        by(owner).setApiPayers(list(stranger, otherPayer));
        assertEvents(1);
        vm.assertEq(accountConfig.api_payers(), list(stranger, otherPayer));
        by(stranger).newAccount(UNKNOWN, true, NAME, DESCRIPTION, accountKeyAddress);
        expectRevert(IErrors.OnlyApiPayer.selector, payer);
        by(payer).newAccount(NO_ACTION, true, NAME, DESCRIPTION, accountKeyAddress);
    }

    function test_Nobody() external {
        by(owner).setApiPayers(wallets());
        vm.assertEq(accountConfig.api_payers(), wallets());
        expectNoAccess(MANAGED, payer);
        by(payer).removeGroup(MANAGED, GROUP);
    }

    function _payers(uint256 count) private pure returns (address[] memory payers) {
        payers = new address[](count);
        for (uint256 i; i < count; ++i) {
            payers[i] = address(uint160(1000 + i));
        }
    }

    function test_FiftyPayers() external {
        by(owner).setApiPayers(_payers(50));
        vm.assertEq(accountConfig.api_payers(), _payers(50));
        by(owner).setApiPayers(_payers(1));
        vm.assertEq(accountConfig.api_payers(), _payers(1));
    }

    function test_RevertWhen_TooManyPayers() external {
        expectRevert(IErrors.TooManyApiPayers.selector, 51, 50);
        by(owner).setApiPayers(_payers(51));
    }

    function test_RevertWhen_PayerIsZero() external {
        expectRevert(IErrors.ApiPayerIsZero.selector, 1);
        by(owner).setApiPayers(list(payer, address(0)));
    }

    function test_RevertWhen_PayerIsGivenTwice() external {
        expectRevert(IErrors.DuplicateApiPayer.selector, payer);
        by(owner).setApiPayers(list(payer, payer));
        vm.assertEq(accountConfig.api_payers(), list(payer, otherPayer));
    }

    /// Rule 11: a stolen payer key cannot add payers.
    function test_RevertGiven_CallerIsNotTheOwner() external {
        by(owner).setAdminApiPayerAccount(newAdmin);
        by(owner).setConfigOperator(noWallet);
        by(owner).setPricingOperator(wallet);
        address[6] memory callers = [payer, newAdmin, noWallet, wallet, stranger, admin];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IDiamond.OnlyOwner.selector, callers[i]);
            by(callers[i]).setApiPayers(list(callers[i]));
        }
    }
}
