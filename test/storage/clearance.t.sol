// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { StorageAccess } from "./StorageAccess.sol";

/// @notice The removal of a member, and the replacement of a group of up to 20 members, leave no member in storage on either
/// side. Two larger groups may leave their id in the sets of their members, where a check reads it once more (rule 19).
contract ClearanceTest is StorageAccess {
    uint256 private constant G = 300;
    /// In the block of G.
    uint256 private constant NEIGHBOUR = 299;
    /// Items of index 3 and up have the ids 1,003 and up.
    uint256 private constant LAST = 1150;

    function setUp() public override {
        super.setUp();
        addGroupsUpTo(G);
        for (uint256 id = 1003; id <= LAST; ++id) {
            by(payer).addAction(MANAGED, "", "", id);
            by(payer).registerWalletDerivation(MANAGED, address(uint160(id)), pathOf(id), "", "");
        }
    }

    function _link(uint256 kind, uint256 groupId, uint256 id) private {
        if (kind == OF_ACTION) by(payer).addActionToGroup(MANAGED, groupId, id);
        else by(payer).addPkpToGroup(MANAGED, groupId, address(uint160(id)));
    }

    function _leave(uint256 kind, uint256 groupId, uint256 id) private {
        if (kind == OF_ACTION) by(payer).removeActionFromGroup(MANAGED, groupId, id);
        else by(payer).removePkpFromGroup(MANAGED, groupId, address(uint160(id)));
    }

    function _empty(uint256 groupId) private {
        by(payer).updateGroup(MANAGED, groupId, NAME, DESCRIPTION, list(), wallets());
        assertGroup(groupId, list(), wallets());
    }

    /// @notice True when a set has a number in one of its windows.
    function _inWindows(uint256 set, uint256 number) private pure returns (bool) {
        for (uint256 i; i < 2; ++i) {
            uint256 window = set >> (49 * i);
            bool covers = (window >> 32) % (1 << 17) == number / 32;
            if (covers && (window >> (number % 32)) % 2 == 1) return true;
        }
        return false;
    }

    /// @notice True when the set of an item has a group, in its windows or outside.
    function _has(uint256 kind, uint256 id, uint256 groupId) private view returns (bool) {
        uint256 index = id == 0 ? 0 : id - 1000;
        uint256 outside = load(slotAt(ITEM_GROUPS, below(itemGroupsKey(kind, index, groupId >> 8))));
        return _inWindows(load(slotAt(ITEMS, below(itemKey(kind, id)))), groupId)
            || (outside >> (groupId & 255)) & 1 != 0;
    }

    /// @notice Returns the members of a group in a word outside its windows.
    function _membersIn(uint256 kind, uint256 groupId, uint256 word) private view returns (uint256) {
        return load(slotAt(GROUP_ITEMS, below(groupItemsKey(kind, 0, groupId, word)))) % (1 << 128);
    }

    /// @notice The word of a group has no member of either kind, and no word outside has one.
    function _assertNoMembers(uint256 groupId) private view {
        uint256 word = load(slotAt(GROUPS, below(groupId)));
        uint256 members = put(SET_WINDOW, type(uint32).max) | put(SET_SECOND, type(uint32).max)
            | put(SET_OUTSIDE, 15) | put(GROUP_EVERY, 1);
        vm.assertEq(word & (members | members << WALLETS), 0);
        for (uint256 kind; kind < 2; ++kind) {
            vm.assertEq(_membersIn(kind, groupId, 0), 0);
        }
    }

    /// Neighbours in one window of the group, a single item in the other, items outside, and "every". Items whose windows
    /// hold other groups have the group outside.
    function _replaceMembers(uint256 kind, uint256 groupId, uint256 neighbour, uint256[3] memory others)
        private
    {
        uint256[10] memory ids = [uint256(0), 1003, 1004, 1005, 1008, 1010, 1011, 1075, 1110, 1111];
        _link(kind, neighbour, 1004);
        for (uint256 i; i < 3; ++i) {
            _link(kind, others[i], 1005);
            _link(kind, others[i], 1110);
            _link(kind, others[i], 0);
        }
        for (uint256 i; i < ids.length; ++i) {
            _link(kind, groupId, ids[i]);
            vm.assertTrue(_has(kind, ids[i], groupId));
        }
        vm.assertEq(_membersIn(kind, groupId, 0), 1 << 110 | 1 << 111);
        if (kind == OF_ACTION) by(payer).removeAction(MANAGED, 1011);
        else by(payer).removeWalletDerivation(MANAGED, address(1011));
        _empty(groupId);
        for (uint256 i; i < ids.length; ++i) {
            vm.assertFalse(_has(kind, ids[i], groupId), vm.toString(ids[i]));
        }
        vm.assertTrue(_has(kind, 1004, neighbour));
        for (uint256 i; i < 3; ++i) {
            vm.assertTrue(_has(kind, 1005, others[i]));
            vm.assertTrue(_has(kind, 1110, others[i]));
            vm.assertTrue(_has(kind, 0, others[i]));
        }
        _assertNoMembers(groupId);
        vm.assertEq(load(slotAt(STALE_GROUPS, refOf(MANAGED))), 0);
    }

    /// A group that is stale already takes no other group's place.
    function test_StaleTwice() external {
        uint256[3] memory groups = [G, G, NEIGHBOUR];
        for (uint256 i; i < groups.length; ++i) {
            for (uint256 id = 1003; id < 1024; ++id) {
                _link(OF_ACTION, groups[i], id);
            }
            _empty(groups[i]);
            vm.assertTrue(_has(OF_ACTION, 1003, groups[i]));
            vm.assertFalse(accountConfig.canExecuteAction(key, 1003));
        }
    }

    /// The first number of a window, and of a word outside the windows.
    function test_FirstOfAWindowAndOfAWord() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 255);
        by(payer).addAction(MANAGED, "", "", 1256);
        uint256[3] memory ids = [uint256(1032), 1064, 1256];
        for (uint256 i; i < ids.length; ++i) {
            _link(OF_ACTION, G, ids[i]);
        }
        _empty(G);
        for (uint256 i; i < ids.length; ++i) {
            vm.assertFalse(_has(OF_ACTION, ids[i], G));
        }
        _assertNoMembers(G);
    }

    function test_ReplacedMembers() external {
        uint256 snapshot = vm.snapshotState();
        for (uint256 kind; kind < 2; ++kind) {
            _replaceMembers(kind, G, NEIGHBOUR, [uint256(1), 100, 200]);
            vm.revertToState(snapshot);
            _replaceMembers(kind, 5, 6, [uint256(100), 200, 290]);
            vm.revertToState(snapshot);
            _replaceMembers(kind, 64, 65, [uint256(63), 31, 200]);
            vm.revertToState(snapshot);
        }
    }

    /// Members after a gap, in the window and outside.
    function test_MembersAfterAGap() external {
        for (uint256 kind; kind < 2; ++kind) {
            for (uint256 id = 1003; id < 1020; ++id) {
                if (id != 1004 && id != 1010) _link(kind, G, id);
            }
            _empty(G);
            for (uint256 id = 1003; id < 1020; ++id) {
                vm.assertFalse(_has(kind, id, G));
            }
            _assertNoMembers(G);
        }
    }

    /// Members in the windows and outside them, in two other words.
    function test_MembersInTwoWordsOutside() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 299);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, 299);
        by(payer).addAction(MANAGED, "", "", 1300);
        by(payer).registerWalletDerivation(MANAGED, address(1300), pathOf(1300), "", "");
        for (uint256 kind; kind < 2; ++kind) {
            uint256[6] memory ids = [uint256(1100), 1140, 1003, 1005, 0, 1300];
            for (uint256 i; i < ids.length; ++i) {
                _link(kind, G, ids[i]);
            }
            vm.assertEq(_membersIn(kind, G, 0), 1 << 3 | 1 << 5);
            vm.assertEq(_membersIn(kind, G, 2), 1 << (300 - 256));
            _empty(G);
            vm.assertEq(_membersIn(kind, G, 0), 0);
            vm.assertEq(_membersIn(kind, G, 2), 0);
            for (uint256 i; i < ids.length; ++i) {
                vm.assertFalse(_has(kind, ids[i], G));
            }
            _assertNoMembers(G);
        }
    }

    /// A member that is removed alone.
    function test_MemberThatLeaves() external {
        for (uint256 kind; kind < 2; ++kind) {
            uint256[4] memory ids = [uint256(1100), 0, 1003, 1150];
            uint256[4] memory groups = [G, NEIGHBOUR, 1, 150];
            for (uint256 i; i < 4; ++i) {
                for (uint256 j; j < 4; ++j) {
                    _link(kind, groups[j], ids[i]);
                }
            }
            for (uint256 i; i < 4; ++i) {
                _leave(kind, G, ids[i]);
                _leave(kind, 150, ids[i]);
                vm.assertFalse(_has(kind, ids[i], G));
                vm.assertFalse(_has(kind, ids[i], 150));
                vm.assertTrue(_has(kind, ids[i], NEIGHBOUR));
                vm.assertTrue(_has(kind, ids[i], 1));
            }
            vm.assertEq(_membersIn(kind, G, 0), 0);
        }
    }

    /// Twenty actions and wallets in total.
    function test_TwentyMembers() external {
        for (uint256 i; i < 10; ++i) {
            _link(OF_ACTION, G, 1003 + 13 * i);
            _link(OF_WALLET, G, 1003 + 13 * i);
        }
        _empty(G);
        for (uint256 i; i < 10; ++i) {
            vm.assertFalse(_has(OF_ACTION, 1003 + 13 * i, G));
            vm.assertFalse(_has(OF_WALLET, 1003 + 13 * i, G));
        }
        _assertNoMembers(G);
    }

    // -------------------------------------------------------------------------------------------- large groups

    /// @notice Gives a group 21 members.
    function _grow(uint256 groupId) private {
        for (uint256 i; i < 21; ++i) {
            _link(i % 2, groupId, 1003 + i);
        }
    }

    function _staleCount(uint256 groupId) private view returns (uint256 count) {
        for (uint256 i; i < 21; ++i) {
            if (_has(i % 2, 1003 + i, groupId)) ++count;
        }
    }

    /// Members in words that are not searched are out of reach under another version.
    function test_LargeGroupGetsAVersion() external {
        _grow(G);
        _empty(G);
        vm.assertEq(_staleCount(G), 21);
        vm.assertEq(load(slotAt(GROUPS, below(G))) >> 240, 1 << 15 | 1);
        vm.assertEq(load(slotAt(STALE_GROUPS, refOf(MANAGED))), put(FIRST_STALE, G));
        _link(OF_ACTION, G, 1004);
        assertGroup(G, list(1004), wallets());
    }

    /// The third large group is cleared at the cost of its size.
    function test_AtMostTwoGroupsAreStale() external {
        for (uint256 groupId = 10; groupId < 13; ++groupId) {
            _grow(groupId);
            _empty(groupId);
            vm.assertEq(_staleCount(groupId), groupId < 12 ? 21 : 0);
        }
        uint256 stale = put(FIRST_STALE, 10) | put(SECOND_STALE, 11);
        vm.assertEq(load(slotAt(STALE_GROUPS, refOf(MANAGED))), stale);
        // A stale group stays one, without another place.
        _grow(11);
        _empty(11);
        vm.assertEq(load(slotAt(STALE_GROUPS, refOf(MANAGED))), stale);
        // A removed group makes room: checks mask it.
        by(payer).removeGroup(MANAGED, 10);
        _grow(13);
        _empty(13);
        vm.assertEq(load(slotAt(STALE_GROUPS, refOf(MANAGED))), put(FIRST_STALE, 13) | put(SECOND_STALE, 11));
        by(payer).removeGroup(MANAGED, 11);
        _grow(14);
        _empty(14);
        vm.assertEq(load(slotAt(STALE_GROUPS, refOf(MANAGED))), put(FIRST_STALE, 13) | put(SECOND_STALE, 14));
    }

    /// 1,000 members are cleared, 1,001 are not.
    function test_MostMembers() external {
        store(slotAt(STALE_GROUPS, refOf(MANAGED)), put(FIRST_STALE, 10) | put(SECOND_STALE, 11));
        for (uint256 id = LAST + 1; id <= 2000; ++id) {
            by(payer).addAction(MANAGED, "", "", id);
        }
        for (uint256 id = 1003; id <= 2000; ++id) {
            _link(OF_ACTION, 12, id);
        }
        _link(OF_WALLET, 12, 1003);
        _link(OF_WALLET, 12, 1004);
        uint256 snapshot = vm.snapshotState();
        _empty(12);
        vm.assertFalse(_has(OF_ACTION, 2000, 12));
        vm.revertToState(snapshot);
        _link(OF_WALLET, 12, 1005);
        expectRevert(IErrors.TooManyGroupMembers.selector, 12, 1000);
        by(payer).updateGroup(MANAGED, 12, NAME, DESCRIPTION, list(), wallets());
        // A removed member does not count.
        by(payer).removeAction(MANAGED, 1003);
        _empty(12);
        vm.assertFalse(_has(OF_ACTION, 2000, 12));
    }
}
