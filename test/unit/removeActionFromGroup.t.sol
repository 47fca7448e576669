// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { PermissionGuards } from "../utils/WriteGuards.sol";

contract RemoveActionFromGroupTest is PermissionGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).removeActionFromGroup(apiKeyHash, GROUP, ACTION);
    }

    function grant(UsageKey memory k) internal pure override {
        k.manageIPFSIdsInGroups = list(GROUP);
    }

    function withhold(UsageKey memory k) internal pure override {
        k.manageIPFSIdsInGroups = list(EMPTY_GROUP);
    }

    function notAllowed() internal view override returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, GROUP);
    }

    function test_RemoveActionFromGroup() external inBothModes {
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
        expectEvent();
        emit IActionWrites.ActionRemovedFromGroup(account, GROUP, ACTION);
        by(writer).removeActionFromGroup(account, GROUP, ACTION);
        assertEvents(1);
        assertGroup(GROUP, list(), list(wallet));
        assertGroup(EMPTY_GROUP, list(ACTION), wallets());
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION));
        assertCan(key, ACTION, wallet, false, false);
    }

    function test_EveryAction() external inBothModes {
        by(writer).addActionToGroup(account, GROUP, 0);
        expectEvent();
        emit IActionWrites.ActionRemovedFromGroup(account, GROUP, 0);
        by(writer).removeActionFromGroup(account, GROUP, 0);
        assertEvents(1);
        assertGroup(GROUP, list(ACTION), list(wallet));
        assertCan(key, NO_ACTION, wallet, false, false);
        assertCan(key, ACTION, wallet, true, true);
    }

    function test_EventCarriesTheMasterHashWhenCalledByUsageKey() external inBothModes {
        setKey(almightyKey(key));
        expectEvent();
        emit IActionWrites.ActionRemovedFromGroup(account, GROUP, ACTION);
        by(writer).removeActionFromGroup(key, GROUP, ACTION);
    }

    function test_AddedAgain() external inBothModes {
        by(writer).removeActionFromGroup(account, GROUP, ACTION);
        by(writer).addActionToGroup(account, GROUP, ACTION);
        assertEvents(1);
        assertCan(key, ACTION, wallet, true, true);
    }

    function test_RevertGiven_NoMember() external inBothModes {
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, LOOSE_ACTION);
        by(writer).removeActionFromGroup(account, GROUP, LOOSE_ACTION);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, NO_ACTION);
        by(writer).removeActionFromGroup(account, GROUP, NO_ACTION);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, 0);
        by(writer).removeActionFromGroup(account, GROUP, 0);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, EMPTY_GROUP, ACTION);
        by(writer).removeActionFromGroup(account, EMPTY_GROUP, ACTION);
    }

    function test_RevertGiven_ActionRemovedFromAccount() external inBothModes {
        by(writer).removeAction(account, ACTION);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, ACTION);
        by(writer).removeActionFromGroup(account, GROUP, ACTION);
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).removeActionFromGroup(account, NO_GROUP, ACTION);
    }
}
