// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract MulticallTest is AccountConfigTest {
    function _calls(bytes memory a, bytes memory b) private pure returns (bytes[] memory calls) {
        calls = new bytes[](2);
        (calls[0], calls[1]) = (a, b);
    }

    function _addGroup(uint256 hash) private pure returns (bytes memory) {
        return abi.encodeCall(IGroupWrites.addGroup, (hash, NAME, DESCRIPTION, list(), wallets()));
    }

    function _addAction(uint256 hash) private pure returns (bytes memory) {
        return abi.encodeCall(IActionWrites.addAction, (hash, NAME, DESCRIPTION, NO_ACTION));
    }

    function test_CallsAreMadeInOrderAsTheCaller() external inBothModes {
        expectEvent();
        emit IGroupWrites.GroupAdded(account, 3, NAME, DESCRIPTION, list(), wallets());
        expectEvent();
        emit IActionWrites.ActionAdded(account, NO_ACTION, NAME, DESCRIPTION);
        bytes[] memory results = by(writer).multicall(_calls(_addGroup(account), _addAction(account)));
        assertEvents(2);
        vm.assertEq(results.length, 2);
        vm.assertEq(results[0], abi.encode(3));
        vm.assertEq(results[1], "");
        vm.assertEq(accountConfig.listGroups(account, 0, 10), list(1, 2, 3));
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION, NO_ACTION));
    }

    function test_SecondCallSeesTheFirst() external inBothModes {
        by(writer)
            .multicall(
                _calls(
                    _addGroup(account), abi.encodeCall(IActionWrites.addActionToGroup, (account, 3, ACTION))
                )
            );
        assertGroup(3, list(ACTION), wallets());
    }

    function test_UsageKeyAndViews() external inBothModes {
        bytes[] memory results = by(writer)
            .multicall(
                _calls(
                    encodeSetKey(almightyKey(UNKNOWN)),
                    abi.encodeCall(IViewsFacet.canExecuteAction, (UNKNOWN, NO_ACTION))
                )
            );
        vm.assertEq(results[1], abi.encode(true));
        assertKey(almightyKey(UNKNOWN));
    }

    function test_Nested() external inBothModes {
        bytes[] memory inner = _calls(_addGroup(account), _addAction(account));
        bytes[] memory outer = new bytes[](1);
        outer[0] = abi.encodeCall(IWritesFacet.multicall, (inner));
        by(writer).multicall(outer);
        vm.assertEq(accountConfig.listGroups(account, 0, 10), list(1, 2, 3));
    }

    function test_NoCalls() external {
        vm.assertEq(by(stranger).multicall(new bytes[](0)).length, 0);
    }

    /// A wallet opens its account and fills it in one transaction.
    function test_NewChainSecuredAccount() external {
        by(stranger)
            .multicall(
                _calls(
                    abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)),
                    _addGroup(identity(stranger))
                )
            );
        vm.assertEq(accountConfig.getAccountWalletAddress(identity(stranger)), stranger);
        vm.assertEq(accountConfig.listGroups(identity(stranger), 0, 10), list(1));
    }

    function test_RevertGiven_OneCallReverts() external inBothModes {
        bytes[] memory calls =
            _calls(_addGroup(account), abi.encodeCall(IActionWrites.removeAction, (account, NO_ACTION)));
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, NO_ACTION);
        by(writer).multicall(calls);
        vm.assertEq(accountConfig.listGroups(account, 0, 10), list(1, 2));
    }

    function test_RevertGiven_CallerMayNotMakeOneCall() external {
        bytes[] memory calls = _calls(_addGroup(MANAGED), _addGroup(SECURED));
        expectNoAccess(SECURED, payer);
        by(payer).multicall(calls);
        expectNoAccess(MANAGED, admin);
        by(admin).multicall(calls);
        expectNoAccess(MANAGED, stranger);
        by(stranger).multicall(calls);
    }

    function test_RevertGiven_CallerIsNotTheOwner() external {
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(IConfigFacet.setApiPayers, (list(stranger)));
        expectRevert(IDiamond.OnlyOwner.selector, stranger);
        by(stranger).multicall(calls);
        expectRevert(IDiamond.OnlyOwner.selector, payer);
        by(payer).multicall(calls);
    }

    function test_RevertWhen_SelectorIsUnknown() external {
        bytes[] memory calls = new bytes[](1);
        calls[0] = hex"12345678";
        vm.expectRevert(abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, bytes4(0x12345678)));
        by(payer).multicall(calls);
        calls[0] = "";
        vm.expectRevert(abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, bytes4(0)));
        by(payer).multicall(calls);
    }
}
