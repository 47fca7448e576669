// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { StorageAccess } from "./StorageAccess.sol";

/// @notice The removal of a member, and the replacement of a group of up to 20 members, leave nothing in storage on either
/// side. (The check reads the group's side, so a rest on the other side would only cost gas.)
contract ClearanceTest is StorageAccess {
    uint256 private constant G = 300;
    /// In the window of G's items.
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

    function _remove(uint256 kind, uint256 id) private {
        if (kind == OF_ACTION) by(payer).removeAction(MANAGED, id);
        else by(payer).removeWalletDerivation(MANAGED, address(uint160(id)));
    }

    /// @notice Returns the set of groups of an item.
    function _set(uint256 kind, uint256 id) private view returns (uint256) {
        uint256 mask = put(SET_WINDOW, (1 << 75) - 1) | put(SET_START, (1 << 19) - 1) | put(SET_OUTSIDE, 255);
        return load(slotAt(ITEMS, below(itemKey(kind, id)))) & mask;
    }

    /// Neighbours in the window of the group, a single item, an item just after the window, and "every".
    /// @param neighbour A group in the window of the items.
    /// @param other A group of one item, whose window does not cover the group.
    function _replaceMembersInTheWindow(uint256 kind, uint256 groupId, uint256 neighbour, uint256 other)
        private
    {
        uint256[] memory ids = new uint256[](9);
        address[] memory pkpIds = new address[](9);
        (ids[1], ids[2], ids[3], ids[4]) = (1003, 1004, 1005, 1008);
        (ids[5], ids[6], ids[7], ids[8]) = (1010, 1011, 1012, 1075);
        for (uint256 i; i < ids.length; ++i) {
            pkpIds[i] = address(uint160(ids[i]));
        }
        _link(kind, neighbour, 1004);
        _link(kind, neighbour, 1010);
        _link(kind, other, 1005);
        uint256 outside = slotAt(ITEM_GROUPS, below(itemGroupsKey(kind, 5, groupId >> 8)));
        uint256 members = slotAt(GROUP_ITEMS, below(groupItemsKey(kind, 0, groupId, 0)));
        if (kind == OF_ACTION) by(payer).updateGroup(MANAGED, groupId, NAME, DESCRIPTION, ids, wallets());
        else by(payer).updateGroup(MANAGED, groupId, NAME, DESCRIPTION, list(), pkpIds);
        assertGroup(groupId, kind == OF_ACTION ? ids : list(), kind == OF_ACTION ? wallets() : pkpIds);
        _remove(kind, 1011);
        vm.assertEq(load(outside), 1 << (groupId & 255));
        vm.assertEq(load(members), 1 << 75);
        by(payer).updateGroup(MANAGED, groupId, NAME, DESCRIPTION, list(), wallets());

        uint256 start = put(SET_START, groupId < 75 ? 0 : groupId / 32);
        for (uint256 i; i < ids.length; ++i) {
            if (ids[i] == 1004 || ids[i] == 1010) {
                vm.assertEq(_set(kind, ids[i]), start | put(SET_WINDOW, 1 << (neighbour % 32)));
            } else if (ids[i] == 1005) {
                vm.assertEq(
                    _set(kind, ids[i]),
                    put(SET_START, other / 32) | put(SET_WINDOW, 1 << (other % 32))
                        | put(SET_OUTSIDE, 1 << (groupId >> 8))
                );
            } else if (ids[i] != 1011) {
                vm.assertEq(_set(kind, ids[i]), start);
            }
        }
        vm.assertEq(load(slotAt(ITEMS, below(itemKey(kind, 1011)))), 0);
        vm.assertEq(load(outside), 0);
        vm.assertEq(load(members), 0);
        vm.assertEq(load(slotAt(GROUPS, below(groupId))), put(GROUP_ALIVE, 1));
    }

    function test_MembersInTheWindow() external {
        uint256 snapshot = vm.snapshotState();
        for (uint256 kind; kind < 2; ++kind) {
            _replaceMembersInTheWindow(kind, G, NEIGHBOUR, 1);
            vm.revertToState(snapshot);
            _replaceMembersInTheWindow(kind, 5, 6, 200);
            vm.revertToState(snapshot);
            // Just after the window that starts at 0.
            _replaceMembersInTheWindow(kind, 75, 76, 5);
            vm.revertToState(snapshot);
        }
    }

    function test_OneMemberOfALowGroup() external {
        for (uint256 id = 1003; id < 1010; ++id) {
            address pkpId = address(uint160(id));
            by(payer).updateGroup(MANAGED, 5, NAME, DESCRIPTION, list(id), list(pkpId));
            assertGroup(5, list(id), list(pkpId));
            by(payer).updateGroup(MANAGED, 5, NAME, DESCRIPTION, list(), wallets());
            vm.assertEq(_set(OF_ACTION, id), 0);
            vm.assertEq(_set(OF_WALLET, id), 0);
        }
    }

    /// A member after a gap, and an item whose window does not cover the group.
    function test_MembersAfterAGap() external {
        for (uint256 kind; kind < 2; ++kind) {
            _link(kind, 1, 1005);
            for (uint256 id = 1003; id < 1020; ++id) {
                if (id != 1004 && id != 1010) _link(kind, G, id);
            }
            by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(), wallets());
            for (uint256 id = 1006; id < 1020; ++id) {
                vm.assertEq(_set(kind, id), id == 1010 ? 0 : put(SET_START, 9));
            }
        }
    }

    /// Members in the window and outside it, in two other words.
    function _replaceMembersOutside(uint256 kind) private {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 299);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, 299);
        by(payer).addAction(MANAGED, "", "", 1300);
        by(payer).registerWalletDerivation(MANAGED, address(1300), pathOf(1300), "", "");
        uint256[6] memory ids = [uint256(1100), 1003, 1005, 1006, 0, 1300];
        for (uint256 i; i < ids.length; ++i) {
            _link(kind, G, ids[i]);
        }
        uint256 members = slotAt(GROUP_ITEMS, below(groupItemsKey(kind, 0, G, 0)));
        uint256 second = slotAt(GROUP_ITEMS, below(groupItemsKey(kind, 0, G, 1)));
        vm.assertEq(load(members), 1 << 3 | 1 << 5 | 1 << 6 | 1);
        vm.assertEq(load(second), 1 << (300 - 256));
        by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(), wallets());
        vm.assertEq(load(members), 0);
        vm.assertEq(load(second), 0);
        for (uint256 i; i < ids.length; ++i) {
            vm.assertEq(_set(kind, ids[i]), put(SET_START, 9));
        }
        uint256 start = put(SET_START, 3) << (kind == OF_WALLET ? WALLETS : 0);
        vm.assertEq(load(slotAt(GROUPS, below(G))), put(GROUP_ALIVE, 1) | start);
    }

    function test_ActionsOutside() external {
        _replaceMembersOutside(OF_ACTION);
    }

    function test_WalletsOutside() external {
        _replaceMembersOutside(OF_WALLET);
    }

    /// The first item of a word, alone in it.
    function test_EveryAloneOutside() external {
        for (uint256 kind; kind < 2; ++kind) {
            _link(kind, G, 1100);
            _link(kind, G, 0);
            uint256 members = slotAt(GROUP_ITEMS, below(groupItemsKey(kind, 0, G, 0)));
            vm.assertEq(load(members), 1);
            by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(), wallets());
            vm.assertEq(load(members), 0);
            vm.assertEq(_set(kind, 0), put(SET_START, 9));
        }
    }

    function _leave(uint256 kind, uint256 groupId, uint256 id) private {
        if (kind == OF_ACTION) by(payer).removeActionFromGroup(MANAGED, groupId, id);
        else by(payer).removePkpFromGroup(MANAGED, groupId, address(uint160(id)));
    }

    /// A member that is removed.
    function test_MemberThatLeaves() external {
        for (uint256 kind; kind < 2; ++kind) {
            uint256[4] memory ids = [uint256(1100), 0, 1003, 1150];
            for (uint256 i; i < ids.length; ++i) {
                _link(kind, G, ids[i]);
                _link(kind, NEIGHBOUR, ids[i]);
                _link(kind, 1, ids[i]);
            }
            uint256 index = 100;
            vm.assertEq(load(slotAt(ITEM_GROUPS, below(itemGroupsKey(kind, index, 0)))), 1 << 1);
            for (uint256 i; i < ids.length; ++i) {
                _leave(kind, G, ids[i]);
                _leave(kind, 1, ids[i]);
                vm.assertEq(
                    _set(kind, ids[i]),
                    put(SET_START, 9) | put(SET_WINDOW, 1 << (NEIGHBOUR - 288)) | put(SET_OUTSIDE, 1)
                );
            }
            vm.assertEq(load(slotAt(ITEM_GROUPS, below(itemGroupsKey(kind, index, 0)))), 0);
            vm.assertEq(load(slotAt(GROUP_ITEMS, below(groupItemsKey(kind, 0, G, 0)))), 0);
        }
        uint256 set = put(SET_START, 3) | put(SET_OUTSIDE, 1);
        vm.assertEq(load(slotAt(GROUPS, below(G))), set | set << WALLETS | put(GROUP_ALIVE, 1));
    }

    /// Members in words that are not searched are out of reach under another version, also after a neighbour is added.
    function test_MembersOfHighIndex() external {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 8191);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, 8191);
        for (uint256 kind; kind < 2; ++kind) {
            uint256 id = 5000;
            for (uint256 i; i < 2; ++i) {
                by(payer).addAction(MANAGED, "", "", id + i);
                address pkpId = address(uint160(id + i));
                by(payer).registerWalletDerivation(MANAGED, pkpId, pathOf(id + i), "", "");
            }
            _link(kind, G, 1003);
            _link(kind, G, 5000); // index 8,192
            by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(1003), list(address(1003)));
            assertGroup(G, list(1003), list(address(1003)));
            _link(kind, G, 5001);
            if (kind == OF_ACTION) assertGroup(G, list(1003, 5001), list(address(1003)));
            else assertGroup(G, list(1003), list(address(1003), address(5001)));
            for (uint256 i; i < 2; ++i) {
                _remove(OF_ACTION, id + i);
                _remove(OF_WALLET, id + i);
            }
        }
        // One version for each replacement.
        uint256 set = put(SET_WINDOW, 1 << 3) | put(SET_OUTSIDE, 1);
        uint256 word = load(slotAt(GROUPS, below(G)));
        vm.assertEq(
            word, set << WALLETS | put(SET_WINDOW, 1 << 3) | put(GROUP_VERSION, 2) | put(GROUP_ALIVE, 1)
        );
    }

    /// Twenty actions and wallets in total.
    function test_TwentyMembers() external {
        for (uint256 i; i < 10; ++i) {
            _link(OF_ACTION, G, 1003 + i);
            _link(OF_WALLET, G, 1003 + i);
        }
        by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(), wallets());
        for (uint256 i; i < 10; ++i) {
            vm.assertEq(_set(OF_ACTION, 1003 + i), put(SET_START, 9));
            vm.assertEq(_set(OF_WALLET, 1003 + i), put(SET_START, 9));
        }
        vm.assertEq(load(slotAt(GROUPS, below(G))), put(GROUP_ALIVE, 1));
    }
}
