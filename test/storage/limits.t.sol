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

    function test_RevertGiven_TooManyUpdatesOfAUsageKey() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 2000);
        store(slotAt(ENTRIES, key), KEY_VERSION, (1 << 24) - 1);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(1, 1600, 1700);
        expectRevert(IErrors.TooManyUsageApiKeyUpdates.selector, (1 << 24) - 1);
        setKey(k);
        // Keys with one page or two, with pages below 24, or with no page need no version.
        k.executeInGroups = list(1, 63);
        setKey(k);
        assertKey(k);
        k.executeInGroups = list(1, 64, 1535);
        setKey(k);
        assertKey(k);
        k.executeInGroups = list(1, 1600);
        setKey(k);
        assertKey(k);
        setKey(newKey(key));
        assertKey(newKey(key));
        k.executeInGroups = list(1, 1600, 1700);
        expectRevert(IErrors.TooManyUsageApiKeyUpdates.selector, (1 << 24) - 1);
        setKey(k);
        by(payer).removeUsageApiKey(MANAGED, key);
        setKey(k);
        assertKey(k);
    }

    function test_RevertGiven_TooManyUpdatesOfAGroup() external {
        store(slotAt(GROUPS, below(GROUP)), GROUP_VERSION, (1 << 15) - 1);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
        for (uint256 i = 1; i <= 30; ++i) {
            by(payer).addActionToGroup(MANAGED, GROUP, i);
        }
        expectRevert(IErrors.TooManyGroupUpdates.selector, GROUP, (1 << 15) - 1);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
    }

    /// The replacement of a group of 20 members needs no new version, that of a larger group does.
    function test_TwentyMembersNeedNoVersion() external {
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(), list(wallet));
        for (uint256 i = 1; i <= 19; ++i) {
            by(payer).addActionToGroup(MANAGED, GROUP, i);
        }
        store(slotAt(GROUPS, below(GROUP)), GROUP_VERSION, (1 << 15) - 1);
        uint256 snapshot = vm.snapshotState();
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertGroup(GROUP, list(ACTION), list(wallet));
        vm.revertToState(snapshot);
        by(payer).addActionToGroup(MANAGED, GROUP, 20);
        expectRevert(IErrors.TooManyGroupUpdates.selector, GROUP, (1 << 15) - 1);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
    }

    /// The words of 8,192 indices are searched for members, further ones are not.
    function test_MembersAmongManyItemsNeedNoVersion() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 99);
        by(payer).addActionToGroup(MANAGED, GROUP, UNKNOWN + 1); // index 100, in the second window
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 8190);
        store(slotAt(GROUPS, below(GROUP)), GROUP_VERSION, (1 << 15) - 1);
        by(payer).addActionToGroup(MANAGED, GROUP, NO_ACTION); // index 8,191
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertGroup(GROUP, list(ACTION), list(wallet));
        by(payer).addActionToGroup(MANAGED, GROUP, UNKNOWN + 1);
        by(payer).addActionToGroup(MANAGED, GROUP, NO_ACTION);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, UNKNOWN); // index 8,192
        // A group whose members are neighbours has no members elsewhere.
        store(slotAt(GROUPS, below(EMPTY_GROUP)), GROUP_VERSION, (1 << 15) - 1);
        by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, list(NO_ACTION), list(wallet));
        by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, list(0, ACTION), list(address(0)));
        by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, list(), wallets());
        assertGroup(EMPTY_GROUP, list(), wallets());
        expectRevert(IErrors.TooManyGroupUpdates.selector, GROUP, (1 << 15) - 1);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
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

    /// A word of the directory covers 16,384 groups.
    function test_KeyWithSeveralWordsOfPages() external {
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 3 * 16_384 + 700);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(5, 16_384 + 64, 3 * 16_384 + 700);
        setKey(k);
        assertKey(k);
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

    /// Ids beyond the last possible group, whose grants would be at the key of a real group.
    function test_RevertGiven_GroupIdBeyondAll() external {
        addGroupAs(1536, list(), wallets());
        store(slotAt(ENTRIES, key), KEY_VERSION, 127);
        UsageKey memory k = newKey(key);
        k.manageIPFSIdsInGroups = list(1, 64, 1536);
        setKey(k);
        vm.assertEq(load(slotAt(ENTRIES, key)) & put(KEY_VERSION, 255), put(KEY_VERSION, 128));
        by(payer).addActionToGroup(key, 1536, LOOSE_ACTION);
        uint256 groupId = 1536 | 1 << 45; // the bit of DIRECTORY, and in the key of its page that of version 128
        expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, groupId);
        by(payer).addActionToGroup(key, groupId, LOOSE_ACTION);
    }

    /// A worn-out key that was removed with all others is set again as if it were new.
    function test_HashOfAWornOutKey() external {
        setKey(newKey(UNKNOWN));
        store(slotAt(ENTRIES, UNKNOWN), KEY_VERSION, (1 << 24) - 1);
        by(payer).removeAllUsageApiKeys(MANAGED);
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 2000);
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(1, 1600, 1700);
        setKey(k);
        assertKey(k);
    }
}
