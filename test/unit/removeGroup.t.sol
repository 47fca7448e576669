// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { PermissionGuards } from "../utils/WriteGuards.sol";

contract RemoveGroupTest is PermissionGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).removeGroup(apiKeyHash, EMPTY_GROUP);
    }

    function grant(UsageKey memory k) internal pure override {
        k.deleteGroups = true;
    }

    function withhold(UsageKey memory k) internal pure override {
        k.deleteGroups = false;
    }

    function notAllowed() internal view override returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotAllowedToDeleteGroup.selector, key);
    }

    function test_RemoveGroup() external inBothModes {
        expectEvent();
        emit IGroupWrites.GroupRemoved(account, GROUP);
        by(writer).removeGroup(account, GROUP);
        assertEvents(1);
        vm.assertEq(accountConfig.listGroups(account, 0, 10), list(EMPTY_GROUP));
        (, uint256 groups,,) = accountConfig.listSizes(account);
        vm.assertEq(groups, 2);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION));
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(1));
    }

    function test_RemovedGroupGrantsNothing() external inBothModes {
        uint256 wild = uint256(keccak256("wild"));
        setKey(almightyKey(wild));
        assertCan(wild, ACTION, wallet, true, true);
        by(writer).removeGroup(account, GROUP);
        assertCan(key, ACTION, wallet, false, false);
        assertCan(wild, ACTION, wallet, true, false);
        vm.assertEq(usageKey(key).permissions.executeInGroups, list());
    }

    function test_EventCarriesTheMasterHashWhenCalledByUsageKey() external inBothModes {
        setKey(almightyKey(key));
        expectEvent();
        emit IGroupWrites.GroupRemoved(account, GROUP);
        by(writer).removeGroup(key, GROUP);
    }

    function test_OtherAccountKeepsItsGroup() external {
        by(payer).removeGroup(MANAGED, GROUP);
        enterSecured();
        assertCan(key, ACTION, wallet, true, true);
    }

    function test_GroupsOfEveryPage() external {
        addGroupsUpTo(300);
        uint256[] memory ids = new uint256[](9);
        (ids[0], ids[1], ids[2], ids[3], ids[4]) = (63, 64, 94, 95, 96);
        (ids[5], ids[6], ids[7], ids[8]) = (255, 256, 257, 300);
        for (uint256 i; i < ids.length; ++i) {
            by(payer).addActionToGroup(MANAGED, ids[i], LOOSE_ACTION);
            UsageKey memory k = newKey(key);
            k.executeInGroups = list(ids[i]);
            setKey(k);
            vm.assertTrue(accountConfig.canExecuteAction(key, LOOSE_ACTION));
            by(payer).removeGroup(MANAGED, ids[i]);
            vm.assertFalse(accountConfig.canExecuteAction(key, LOOSE_ACTION));
            vm.assertEq(usageKey(key).permissions.executeInGroups, list());
            expectRevert(IErrors.GroupDoesNotExist.selector, MANAGED, ids[i]);
            by(payer).removeGroup(MANAGED, ids[i]);
        }
        vm.assertEq(accountConfig.listGroups(MANAGED, 0, 1000).length, 300 - ids.length);
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).removeGroup(account, NO_GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, 0);
        by(writer).removeGroup(account, 0);
        by(writer).removeGroup(account, GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, GROUP);
        by(writer).removeGroup(account, GROUP);
    }
}
