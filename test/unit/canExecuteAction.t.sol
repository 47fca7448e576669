// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract CanExecuteActionTest is AccountConfigTest {
    function test_ActionOfAnExecutableGroup() external inBothModes {
        vm.assertTrue(accountConfig.canExecuteAction(key, ACTION));
        vm.assertFalse(accountConfig.canExecuteAction(key, LOOSE_ACTION));
        vm.assertFalse(accountConfig.canExecuteAction(key, NO_ACTION));
        vm.assertFalse(accountConfig.canExecuteAction(key, 0));
    }

    function test_ActionOfAGroupThatIsNotExecutable() external inBothModes {
        by(writer).addActionToGroup(account, EMPTY_GROUP, LOOSE_ACTION);
        vm.assertFalse(accountConfig.canExecuteAction(key, LOOSE_ACTION));
    }

    function test_EveryAction() external inBothModes {
        by(writer).addActionToGroup(account, GROUP, 0);
        vm.assertTrue(accountConfig.canExecuteAction(key, NO_ACTION));
    }

    function test_Wildcard() external inBothModes {
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(0);
        setKey(k);
        vm.assertTrue(accountConfig.canExecuteAction(key, NO_ACTION));
        vm.assertTrue(accountConfig.canExecuteAction(key, ACTION));
    }

    /// No other permission lets a key run anything.
    function test_EveryOtherPermission() external inBothModes {
        UsageKey memory k = almightyKey(key);
        k.executeInGroups = list();
        setKey(k);
        vm.assertFalse(accountConfig.canExecuteAction(key, ACTION));
    }

    /// Rule 5.
    function test_Expiration() external inBothModes {
        UsageKey memory k = almightyKey(key);
        k.expiration = NOW + 10;
        setKey(k);
        vm.warp(NOW + 9);
        vm.assertTrue(accountConfig.canExecuteAction(key, ACTION));
        vm.warp(NOW + 10);
        vm.assertFalse(accountConfig.canExecuteAction(key, ACTION));
        vm.warp(NOW + 11);
        vm.assertFalse(accountConfig.canExecuteAction(key, ACTION));
        vm.warp(NOW);
    }

    function test_RemovedKey() external inBothModes {
        by(writer).removeUsageApiKey(account, key);
        vm.assertFalse(accountConfig.canExecuteAction(key, ACTION));
    }

    /// An account never runs an action, and neither does a hash that names nothing.
    function test_NoUsageKey() external {
        by(payer).addActionToGroup(MANAGED, GROUP, 0);
        vm.assertFalse(accountConfig.canExecuteAction(MANAGED, ACTION));
        vm.assertFalse(accountConfig.canExecuteAction(SECURED, ACTION));
        vm.assertFalse(accountConfig.canExecuteAction(UNKNOWN, ACTION));
        vm.assertFalse(accountConfig.canExecuteAction(0, ACTION));
        convert();
        vm.assertFalse(accountConfig.canExecuteAction(identity(newAdmin), ACTION));
        vm.assertTrue(accountConfig.canExecuteAction(key, ACTION));
    }

    /// Groups of one account grant nothing to the keys of another.
    function test_GroupsOfAnotherAccount() external {
        uint256 managedKey = key;
        by(admin).addActionToGroup(SECURED, GROUP, NO_ACTION);
        vm.assertFalse(accountConfig.canExecuteAction(managedKey, NO_ACTION));
        enterSecured();
        vm.assertTrue(accountConfig.canExecuteAction(key, NO_ACTION));
    }

    /// All bits of a hash count, not only those that key the storage.
    function testFuzz_NeighbouringHashes(uint256 difference) external view {
        vm.assume(difference != 0);
        vm.assertFalse(accountConfig.canExecuteAction(key, ACTION ^ difference));
        vm.assume(difference << 127 != 0);
        vm.assertFalse(accountConfig.canExecuteAction(key, ACTION ^ (difference << 127)));
    }
}
