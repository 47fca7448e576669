// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract RemoveActionTest is MasterGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).removeAction(apiKeyHash, ACTION);
    }

    function test_RemoveAction() external inBothModes {
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
        expectEvent();
        emit IActionWrites.ActionRemoved(account, ACTION);
        by(writer).removeAction(account, ACTION);
        assertEvents(1);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(LOOSE_ACTION));
        assertGroup(GROUP, list(), list(wallet));
        assertGroup(EMPTY_GROUP, list(), wallets());
        assertCan(key, ACTION, wallet, false, false);
    }

    function test_IndexIsNotReused() external inBothModes {
        by(writer).removeAction(account, ACTION);
        by(writer).addAction(account, NAME, DESCRIPTION, ACTION);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(LOOSE_ACTION, ACTION));
        vm.assertEq(accountConfig.listActions(account, 0, 1), list());
        (,,, uint256 actions) = accountConfig.listSizes(account);
        vm.assertEq(actions, 3);
    }

    function test_OtherAccountKeepsTheAction() external {
        by(payer).removeAction(MANAGED, ACTION);
        enterSecured();
        assertCan(key, ACTION, wallet, true, true);
    }

    /// Every group that held the action loses it, for any group id.
    function test_ActionLeavesGroupsOfEveryPage() external {
        addGroupsUpTo(300);
        uint256[] memory ids = new uint256[](6);
        (ids[0], ids[1], ids[2], ids[3], ids[4], ids[5]) = (64, 94, 95, 128, 256, 300);
        for (uint256 i; i < ids.length; ++i) {
            by(payer).addActionToGroup(MANAGED, ids[i], ACTION);
            by(payer).addPkpToGroup(MANAGED, ids[i], wallet);
        }
        UsageKey memory k = newKey(key);
        k.executeInGroups = ids;
        setKey(k);
        assertCan(key, ACTION, wallet, true, true);
        by(payer).removeAction(MANAGED, ACTION);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, ACTION);
        assertCan(key, ACTION, wallet, false, false);
        for (uint256 i; i < ids.length; ++i) {
            assertGroup(ids[i], list(), list(wallet));
        }
    }

    function test_RevertGiven_NoAction() external inBothModes {
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, NO_ACTION);
        by(writer).removeAction(account, NO_ACTION);
        by(writer).removeAction(account, ACTION);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, ACTION);
        by(writer).removeAction(account, ACTION);
    }

    /// Hash 0 in a group is not an action and cannot be removed.
    function test_RevertGiven_EveryAction() external inBothModes {
        by(writer).addActionToGroup(account, GROUP, 0);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, 0);
        by(writer).removeAction(account, 0);
    }
}
