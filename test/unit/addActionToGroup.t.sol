// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { PermissionGuards } from "../utils/WriteGuards.sol";

contract AddActionToGroupTest is PermissionGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).addActionToGroup(apiKeyHash, EMPTY_GROUP, ACTION);
    }

    function grant(UsageKey memory k) internal pure override {
        k.manageIPFSIdsInGroups = list(EMPTY_GROUP);
    }

    function withhold(UsageKey memory k) internal pure override {
        k.manageIPFSIdsInGroups = list(GROUP);
    }

    function notAllowed() internal view override returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, EMPTY_GROUP);
    }

    function test_AddActionToGroup() external inBothModes {
        expectEvent();
        emit IActionWrites.ActionAddedToGroup(account, GROUP, LOOSE_ACTION);
        by(writer).addActionToGroup(account, GROUP, LOOSE_ACTION);
        assertEvents(1);
        assertGroup(GROUP, list(ACTION, LOOSE_ACTION), list(wallet));
        assertGroup(EMPTY_GROUP, list(), wallets());
        assertCan(key, LOOSE_ACTION, wallet, true, true);
    }

    function test_UnknownActionIsRegistered() external inBothModes {
        expectEvent();
        emit IActionWrites.ActionAdded(account, NO_ACTION, "", "");
        expectEvent();
        emit IActionWrites.ActionAddedToGroup(account, GROUP, NO_ACTION);
        by(writer).addActionToGroup(account, GROUP, NO_ACTION);
        assertEvents(2);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION, NO_ACTION));
        assertGroup(GROUP, list(ACTION, NO_ACTION), list(wallet));
    }

    function test_EventCarriesTheMasterHashWhenCalledByUsageKey() external inBothModes {
        setKey(almightyKey(key));
        expectEvent();
        emit IActionWrites.ActionAdded(account, NO_ACTION, "", "");
        expectEvent();
        emit IActionWrites.ActionAddedToGroup(account, GROUP, NO_ACTION);
        by(writer).addActionToGroup(key, GROUP, NO_ACTION);
    }

    function test_HashZeroPermitsEveryAction() external inBothModes {
        assertCan(key, NO_ACTION, wallet, false, false);
        expectEvent();
        emit IActionWrites.ActionAddedToGroup(account, GROUP, 0);
        by(writer).addActionToGroup(account, GROUP, 0);
        assertEvents(1);
        assertGroup(GROUP, list(0, ACTION), list(wallet));
        assertCan(key, NO_ACTION, wallet, true, true);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION));
    }

    function test_MemberAgainChangesNothing() external inBothModes {
        by(writer).addActionToGroup(account, GROUP, ACTION);
        assertEvents(0);
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    /// Items outside the group's own word.
    function test_ThreeHundredActions() external {
        for (uint256 i; i < 300; ++i) {
            by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1000 + i);
        }
        vm.assertEq(accountConfig.listActionsInGroup(MANAGED, EMPTY_GROUP, 0, 1000), range(1000, 300));
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(EMPTY_GROUP);
        setKey(k);
        for (uint256 i; i < 300; ++i) {
            vm.assertTrue(accountConfig.canExecuteAction(key, 1000 + i));
        }
        vm.assertFalse(accountConfig.canExecuteAction(key, 1300));
        for (uint256 i; i < 300; i += 2) {
            by(payer).removeActionFromGroup(MANAGED, EMPTY_GROUP, 1000 + i);
        }
        for (uint256 i; i < 300; ++i) {
            vm.assertEq(accountConfig.canExecuteAction(key, 1000 + i), i % 2 == 1);
        }
        for (uint256 i = 250; i < 300; i += 2) {
            by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1000 + i);
            assertEvents(1);
        }
        vm.assertEq(accountConfig.listActionsInGroup(MANAGED, EMPTY_GROUP, 0, 1000).length, 175);
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    function test_GroupsBeyondTheFirstPages() external {
        addGroupsUpTo(600);
        for (uint256 id = 60; id <= 600; id += 20) {
            by(payer).addActionToGroup(MANAGED, id, ACTION);
            UsageKey memory k = newKey(key);
            k.executeInGroups = list(id);
            setKey(k);
            vm.assertTrue(accountConfig.canExecuteAction(key, ACTION));
            k.executeInGroups = list(id - 1);
            setKey(k);
            vm.assertFalse(accountConfig.canExecuteAction(key, ACTION));
        }
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).addActionToGroup(account, NO_GROUP, ACTION);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, 0);
        by(writer).addActionToGroup(account, 0, ACTION);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, type(uint256).max);
        by(writer).addActionToGroup(account, type(uint256).max, ACTION);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, (1 << 128) + GROUP);
        by(writer).addActionToGroup(account, (1 << 128) + GROUP, ACTION);
    }

    function test_RevertGiven_NoGroupAndWildcardKey() external inBothModes {
        setKey(almightyKey(key));
        expectRevert(IErrors.GroupDoesNotExist.selector, key, NO_GROUP);
        by(writer).addActionToGroup(key, NO_GROUP, ACTION);
    }

    function test_RevertGiven_GroupRemoved() external inBothModes {
        by(writer).removeGroup(account, EMPTY_GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, EMPTY_GROUP);
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
    }

    function test_RevertGiven_GrantedGroupRemoved() external inBothModes {
        UsageKey memory k = newKey(key);
        grant(k);
        setKey(k);
        by(writer).removeGroup(account, EMPTY_GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, key, EMPTY_GROUP);
        by(writer).addActionToGroup(key, EMPTY_GROUP, ACTION);
    }
}
