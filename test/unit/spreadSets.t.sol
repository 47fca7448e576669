// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Groups and items that are far apart. A set keeps two windows of 32 neighbours in its word and the others elsewhere,
/// see SparseSet.
contract SpreadSetsTest is AccountConfigTest {
    /// Index 150 of the account's actions and of its wallets.
    uint256 private constant FAR_ACTION = 1150;
    address private constant FAR_WALLET = address(1150);

    /// Actions and wallets up to index 150.
    function _addItems() private {
        for (uint256 i = 1003; i <= FAR_ACTION; ++i) {
            by(payer).addAction(MANAGED, "", "", i);
            by(payer).registerWalletDerivation(MANAGED, address(uint160(i)), pathOf(i), "", "");
        }
    }

    function _executeIn(uint256[] memory groupIds) private {
        UsageKey memory k = newKey(key);
        k.executeInGroups = groupIds;
        setKey(k);
    }

    // ------------------------------------------------------------------------------------ items of a group

    function test_EveryBesideFarMembers() external {
        _addItems();
        by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, FAR_ACTION);
        by(payer).addPkpToGroup(MANAGED, EMPTY_GROUP, FAR_WALLET);
        _executeIn(list(EMPTY_GROUP));
        assertCan(key, FAR_ACTION, FAR_WALLET, true, true);
        assertCan(key, FAR_ACTION, looseWallet, true, false);
        assertCan(key, NO_ACTION, FAR_WALLET, false, false);
        by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 0);
        assertCan(key, NO_ACTION, FAR_WALLET, true, true);
        assertCan(key, NO_ACTION, looseWallet, true, false);
        by(payer).addPkpToGroup(MANAGED, EMPTY_GROUP, address(0));
        assertCan(key, NO_ACTION, looseWallet, true, true);
        assertGroup(EMPTY_GROUP, list(0, FAR_ACTION), list(address(0), FAR_WALLET));
    }

    function test_FarMembersAreMembers() external {
        _addItems();
        by(payer).addActionToGroup(MANAGED, GROUP, FAR_ACTION);
        by(payer).addPkpToGroup(MANAGED, GROUP, FAR_WALLET);
        assertGroup(GROUP, list(ACTION, FAR_ACTION), list(wallet, FAR_WALLET));
        by(payer).updateActionMetadata(MANAGED, FAR_ACTION, GROUP, NAME, DESCRIPTION);
        assertEvents(1);
        // A second time changes nothing.
        by(payer).addActionToGroup(MANAGED, GROUP, FAR_ACTION);
        assertEvents(0);

        by(payer).removeActionFromGroup(MANAGED, GROUP, FAR_ACTION);
        by(payer).removePkpFromGroup(MANAGED, GROUP, FAR_WALLET);
        assertGroup(GROUP, list(ACTION), list(wallet));
        expectRevert(IErrors.ActionDoesNotExist.selector, MANAGED, GROUP, FAR_ACTION);
        by(payer).updateActionMetadata(MANAGED, FAR_ACTION, GROUP, NAME, DESCRIPTION);
        expectRevert(IErrors.ActionDoesNotExist.selector, MANAGED, GROUP, FAR_ACTION);
        by(payer).removeActionFromGroup(MANAGED, GROUP, FAR_ACTION);
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, GROUP, FAR_WALLET);
        by(payer).removePkpFromGroup(MANAGED, GROUP, FAR_WALLET);
    }

    /// The window of a group keeps its place when the members are removed. The next members are before it.
    function test_MembersBeforeTheWindow() external {
        _addItems();
        for (uint256 first = 1040; first <= 1100; first += 20) {
            by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, FAR_ACTION);
            by(payer).addPkpToGroup(MANAGED, EMPTY_GROUP, FAR_WALLET);
            by(payer).updateGroup(MANAGED, EMPTY_GROUP, "", "", list(first), list(address(uint160(first))));
            by(payer).updateGroup(MANAGED, EMPTY_GROUP, "", "", list(1005), list(address(1005)));
            assertGroup(EMPTY_GROUP, list(1005), list(address(1005)));
            by(payer).updateGroup(MANAGED, EMPTY_GROUP, "", "", list(), wallets());
            assertGroup(EMPTY_GROUP, list(), wallets());
        }
    }

    // ------------------------------------------------------------------------------------ groups of an item

    /// A group before the window of its removed item removes itself and no other group.
    function test_ReplacedMembersStayInTheirOtherGroups() external {
        // The window starts at 64, and the position of the last of these is the sum of 64 and the group below.
        uint256[] memory groups = list(80, 133);
        uint256 before = 5;
        addGroupsUpTo(133);
        uint256 id = 1003;
        by(payer).registerWalletDerivation(MANAGED, address(uint160(id)), pathOf(id), "", "");
        for (uint256 i; i < groups.length; ++i) {
            by(payer).updateGroup(MANAGED, groups[i], "", "", list(id), list(address(uint160(id))));
        }
        by(payer).updateGroup(MANAGED, before, "", "", list(id), list(address(uint160(id))));
        by(payer).updateGroup(MANAGED, before, "", "", list(), wallets());
        for (uint256 i; i < groups.length; ++i) {
            _executeIn(list(groups[i]));
            assertCan(key, id, address(uint160(id)), true, true);
        }
        _executeIn(list(before));
        assertCan(key, id, address(uint160(id)), false, false);
    }

    /// An item in a group before the window of its groups.
    function test_GroupBeforeTheWindow() external {
        addGroupsUpTo(200);
        for (uint256 first = 40; first <= 180; first += 20) {
            uint256 id = 1000 + first;
            by(payer).registerWalletDerivation(MANAGED, address(uint160(id)), pathOf(id), "", "");
            by(payer).updateGroup(MANAGED, first, "", "", list(id), list(address(uint160(id))));
            by(payer).updateGroup(MANAGED, 5, "", "", list(id), list(address(uint160(id))));
            _executeIn(list(5));
            assertCan(key, id, address(uint160(id)), true, true);
            by(payer).updateGroup(MANAGED, 5, "", "", list(), wallets());
            _executeIn(range(1, 50));
            assertCan(key, id, address(uint160(id)), first <= 50, first <= 50);
            _executeIn(list(first));
            assertCan(key, id, address(uint160(id)), true, true);
        }
    }

    /// The first group of an item's window, of which the item is a far member.
    function test_FarMemberOfTheFirstGroupOfItsWindow() external {
        addGroupsUpTo(33);
        _addItems();
        by(payer).updateGroup(MANAGED, 32, "", "", list(ACTION), list(wallet));
        for (uint256 groupId = 33; groupId >= 32; --groupId) {
            by(payer).addActionToGroup(MANAGED, groupId, FAR_ACTION);
            by(payer).addPkpToGroup(MANAGED, groupId, FAR_WALLET);
        }
        _executeIn(list(32));
        assertCan(key, FAR_ACTION, FAR_WALLET, true, true);
    }

    function test_EveryInFarGroups() external {
        addGroupsUpTo(200);
        for (uint256 i; i < 2; ++i) {
            uint256 groupId = i == 0 ? 1 : 200;
            by(payer).addActionToGroup(MANAGED, groupId, 0);
            by(payer).addPkpToGroup(MANAGED, groupId, address(0));
        }
        _executeIn(list(200));
        assertCan(key, NO_ACTION, looseWallet, true, true);
        by(payer).removePkpFromGroup(MANAGED, 200, address(0));
        assertCan(key, NO_ACTION, looseWallet, true, false);
        by(payer).removeActionFromGroup(MANAGED, 200, 0);
        assertCan(key, NO_ACTION, looseWallet, false, false);
        _executeIn(list(1));
        assertCan(key, NO_ACTION, looseWallet, true, true);
    }

    /// The first group of a word of 256, alone in it.
    function test_Group256() external {
        addGroupsUpTo(256);
        by(payer).addActionToGroup(MANAGED, 256, LOOSE_ACTION);
        by(payer).addPkpToGroup(MANAGED, 256, looseWallet);
        _executeIn(list(256));
        assertCan(key, LOOSE_ACTION, looseWallet, true, true);
        vm.assertEq(accountConfig.explainExecution(key, LOOSE_ACTION, looseWallet).walletGroupId, 256);
    }

    /// The items of a large group keep its id when it is replaced. The check reads the group, and then the next one.
    function test_NextGroupAfterOneThatWasReplaced() external {
        addGroupsUpTo(257);
        for (uint256 groupId = 256; groupId <= 257; ++groupId) {
            for (uint256 i; i < 30; ++i) {
                by(payer).addActionToGroup(MANAGED, groupId, 2000 + i);
            }
        }
        by(payer).updateGroup(MANAGED, 256, NAME, DESCRIPTION, list(), wallets());
        _executeIn(list(256, 257));
        for (uint256 i; i < 30; ++i) {
            IViewsFacet.Explanation memory e = accountConfig.explainExecution(key, 2000 + i, wallet);
            vm.assertTrue(e.canExecute);
            vm.assertEq(e.actionGroupId, 257);
        }
        by(payer).updateGroup(MANAGED, 257, NAME, DESCRIPTION, list(), wallets());
        for (uint256 i; i < 30; ++i) {
            vm.assertFalse(accountConfig.canExecuteAction(key, 2000 + i));
        }
    }

    /// A removed group that granted the action, beside a live group that permits it, in which the key may not execute.
    function test_RemovedGroupDoesNotStandInForAnother() external inBothModes {
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
        by(writer).addPkpToGroup(account, EMPTY_GROUP, wallet);
        assertCan(key, ACTION, wallet, true, true);
        by(writer).removeGroup(account, GROUP);
        assertCan(key, ACTION, wallet, false, false);
    }

    // ------------------------------------------------------------------------------------ removed groups, last groups

    function test_NeighboursAreRemoved() external {
        addGroupsUpTo(40);
        for (uint256 groupId = 40; groupId > 28; --groupId) {
            by(payer).removeGroup(MANAGED, groupId);
            vm.assertEq(accountConfig.listGroups(MANAGED, 0, 100), range(1, groupId - 1));
            expectRevert(IErrors.GroupDoesNotExist.selector, MANAGED, groupId);
            _executeIn(list(1, groupId));
        }
    }

    /// The window of removed groups starts with one that is removed later.
    function test_FirstGroupOfTheWindowIsRemoved() external {
        addGroupsUpTo(107);
        by(payer).removeGroup(MANAGED, 107);
        by(payer).removeGroup(MANAGED, 96);
        uint256[] memory left = accountConfig.listGroups(MANAGED, 0, 200);
        vm.assertEq(left.length, 105);
        vm.assertEq(left[94], 95);
        vm.assertEq(left[95], 97);
        expectRevert(IErrors.GroupDoesNotExist.selector, MANAGED, 96);
        _executeIn(list(96));
    }

    /// A free window moves to no word of 256 that holds members outside: such a member would be in the set twice, and a removal
    /// would leave one of them.
    function test_FreeWindowKeepsAwayFromMembersOutside() external {
        for (uint256 i = 1003; i <= 1310; ++i) {
            by(payer).addAction(MANAGED, "", "", i);
        }
        // Two windows, and index 300 outside.
        by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1003);
        by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1040);
        by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1300);
        by(payer).removeActionFromGroup(MANAGED, EMPTY_GROUP, 1003);
        by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1310);
        assertGroup(EMPTY_GROUP, list(1040, 1300, 1310), wallets());
        by(payer).removeActionFromGroup(MANAGED, EMPTY_GROUP, 1300);
        assertGroup(EMPTY_GROUP, list(1040, 1310), wallets());
        expectRevert(IErrors.ActionDoesNotExist.selector, MANAGED, EMPTY_GROUP, 1300);
        by(payer).removeActionFromGroup(MANAGED, EMPTY_GROUP, 1300);
    }

    /// For any number of groups, the last one is granted and the next one is not.
    function test_RevertGiven_GroupBeyondTheLast() external {
        uint256[] memory counts = list(100, 150, 300);
        for (uint256 i; i < counts.length; ++i) {
            addGroupsUpTo(counts[i]);
            _executeIn(list(counts[i]));
            for (uint256 beyond = counts[i] + 1; beyond < 1100; beyond += 49) {
                expectRevert(IErrors.GroupDoesNotExist.selector, MANAGED, beyond);
                _executeIn(list(beyond));
            }
        }
    }

    /// The bits of a hash that key the storage and the bits of the account's own word are not mistaken for each other.
    function test_HashThatLooksLikeRemovedGroups() external {
        // As a word, its ref has a window at 0 with all members, and a large count.
        account = uint256(keccak256("upper bits")) << 128 | uint256(0xabcdef) << 101 | ((1 << 74) - 1);
        by(payer).newAccount(account, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).addGroup(account, NAME, DESCRIPTION, list(ACTION), wallets());
        key = UNKNOWN;
        _executeIn(list(1));
        assertCan(key, ACTION, wallet, true, false);
        vm.assertEq(accountConfig.listGroups(account, 0, 100), list(1));
    }
}
