// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { StorageAccess } from "./StorageAccess.sol";

/// @notice At the end of a counter a call reverts, and the counter never wraps. The counters are set in storage.
contract LimitsTest is StorageAccess {
    function test_RevertGiven_TooManyUsageKeys() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_KEYS, (1 << 22) - 1);
        expectRevert(IErrors.TooManyUsageApiKeys.selector, MANAGED, (1 << 22) - 1);
        setKey(newKey(UNKNOWN));
        setKey(almightyKey(key));
    }

    function test_RevertGiven_TooManyActions() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, (1 << 22) - 1);
        expectRevert(IErrors.TooManyItems.selector, (1 << 22) - 1);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, NO_ACTION);
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
    }

    function test_RevertGiven_TooManyWallets() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, (1 << 22) - 1);
        expectRevert(IErrors.TooManyItems.selector, (1 << 22) - 1);
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, NO_ACTION);
    }

    function test_LastItemsAndKey() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_KEYS, (1 << 22) - 2);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, (1 << 22) - 2);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, (1 << 22) - 2);
        by(payer).addActionToGroup(MANAGED, GROUP, NO_ACTION);
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
        by(payer).addPkpToGroup(MANAGED, GROUP, noWallet);
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(GROUP);
        setKey(k);
        assertCan(UNKNOWN, NO_ACTION, noWallet, true, true);
        (uint256 keys,, uint256 pkps, uint256 actions) = accountConfig.listSizes(MANAGED);
        vm.assertEq(keys, (1 << 22) - 1);
        vm.assertEq(pkps, (1 << 22) - 1);
        vm.assertEq(actions, (1 << 22) - 1);
    }

    /// A window at the end of all indices does not hold an item with a lower index.
    function test_LastItemIsReplacedByAnEarlierOne() external {
        uint256[] memory early = list(5, 6 | 1 << 127);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, early[0]);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, early[1]);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, (1 << 22) - 2);
        by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, NO_ACTION);
        uint256 snapshot = vm.snapshotState();
        for (uint256 i; i < 2; ++i) {
            by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, list(early[i]), wallets());
            assertGroup(EMPTY_GROUP, list(early[i]), wallets());
            vm.revertToState(snapshot);
        }
    }

    function test_RevertGiven_TooManyGroups() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, MAX_GROUPS);
        expectRevert(IErrors.TooManyGroups.selector, MANAGED, MAX_GROUPS);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    function test_LastGroup() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, MAX_GROUPS - 1);
        uint256 groupId = by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(ACTION), list(wallet));
        vm.assertEq(groupId, MAX_GROUPS);
        UsageKey memory k = newKey(key);
        k.manageIPFSIdsInGroups = list(groupId);
        setKey(k);
        by(payer).addActionToGroup(key, groupId, LOOSE_ACTION);
        assertGroup(groupId, list(ACTION, LOOSE_ACTION), list(wallet));
        k.executeInGroups = list(GROUP, groupId);
        setKey(k);
        assertKey(k);
    }

    /// A large group that cannot get another version is cleared instead, as often as its account likes.
    function test_LastVersionOfAGroup() external {
        store(slotAt(GROUPS, below(GROUP)), GROUP_VERSION, (1 << 15) - 1);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(EMPTY_GROUP, GROUP);
        setKey(k);
        for (uint256 round; round < 2; ++round) {
            for (uint256 i = 1; i <= 30; ++i) {
                by(payer).addActionToGroup(MANAGED, GROUP, i);
            }
            by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
            assertGroup(GROUP, list(ACTION), list(wallet));
            assertCan(key, 30, wallet, false, false);
            assertCan(key, ACTION, wallet, true, true);
        }
        vm.assertEq(load(slotAt(STALE_GROUPS, refOf(MANAGED))), 0);
    }

    /// A group in the last version and with more words outside its windows than a clearance keeps.
    function test_LastVersionOfASpreadGroup() external {
        store(slotAt(GROUPS, below(GROUP)), GROUP_VERSION, (1 << 15) - 1);
        uint256[] memory ids = range(5000, 70);
        for (uint256 i; i < ids.length; ++i) {
            store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 1000 * i + 999);
            by(payer).addActionToGroup(MANAGED, GROUP, ids[i]);
        }
        for (uint256 round; round < 2; ++round) {
            by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
            assertGroup(GROUP, list(ACTION), list(wallet));
            by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(5001, 5069), wallets());
            assertGroup(GROUP, list(5001, 5069), wallets());
        }
    }

    /// The four lists of 50 groups, of which no two are in one page.
    function test_KeyWithTheMostPages() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 64 * 201);
        UsageKey memory k = newKey(key);
        k.manageIPFSIdsInGroups = _pages(1);
        k.addPkpToGroups = _pages(51);
        k.removePkpFromGroups = _pages(101);
        k.executeInGroups = _pages(151);
        setKey(k);
        assertKey(k);
    }

    /// @return groupIds The first group of each of 50 pages.
    function _pages(uint256 first) private pure returns (uint256[] memory groupIds) {
        groupIds = range(first, 50);
        for (uint256 i; i < 50; ++i) {
            groupIds[i] *= 64;
        }
    }

    /// A directory has 16 pages per word. Its pages keep the order of the call.
    function test_KeyWithSeveralWordsOfPages() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 3 * 16_384 + 700);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(5, 16_384 + 64, 3 * 16_384 + 700);
        setKey(k);
        assertKey(k);
        for (uint256 count = 15; count <= 50; count += count == 15 ? 2 : 33) {
            uint256[] memory ascending = range(1, count);
            k.executeInGroups = range(1, count);
            for (uint256 i; i < count; ++i) {
                ascending[i] = 2816 + 64 * i;
                k.executeInGroups[count - 1 - i] = ascending[i];
            }
            setKey(k);
            k.executeInGroups = ascending;
            assertKey(k);
        }
    }

    /// A group is not mistaken for a group whose id is its page.
    function test_GroupAfterOneOfThePageOfItsId() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 5000);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(64 * 64 + 1, 1);
        setKey(k);
        k.executeInGroups = list(1, 64 * 64 + 1);
        assertKey(k);
    }

    /// Ids beyond the last possible group.
    function test_RevertGiven_GroupIdBeyondAll() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 4000);
        UsageKey memory k = newKey(key);
        k.manageIPFSIdsInGroups = list(1, 64, 3000);
        setKey(k);
        uint256[3] memory ids = [uint256(3000) | 1 << 22, 3000 | 1 << 32, 1 | 1 << 45];
        for (uint256 i; i < ids.length; ++i) {
            expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, ids[i]);
            by(payer).addActionToGroup(key, ids[i], LOOSE_ACTION);
        }
    }
}
