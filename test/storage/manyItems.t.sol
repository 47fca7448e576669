// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { GasTest } from "../gas/GasTest.sol";
import { StorageAccess } from "./StorageAccess.sol";

/// @notice Rule 12: the replacement of a group depends on its members, not on the number of indices that the account has given
/// out. Each account here has two stale groups already, so that the group is cleared.
/// forge-config: default.isolate = true
contract ManyItemsTest is GasTest, StorageAccess {
    uint256 private constant G = 12;
    uint256 private constant FIRST_ID = 5000;

    function setUp() public override {
        super.setUp();
        addGroupsUpTo(G);
        store(slotAt(STALE_GROUPS, refOf(MANAGED)), put(FIRST_STALE, 10) | put(SECOND_STALE, 11));
    }

    /// @notice Adds an action and a wallet of a given index.
    function _addItemAt(uint256 index) private {
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, index - 1);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, index - 1);
        uint256 id = FIRST_ID + index;
        by(payer).addActionToGroup(MANAGED, G, id);
        by(payer).registerWalletDerivation(MANAGED, address(uint160(id)), pathOf(id), "", "");
        by(payer).addPkpToGroup(MANAGED, G, address(uint160(id)));
    }

    /// @notice A group of four members of each kind, two of them outside its windows.
    function _addFourItems(uint256 last) private {
        _addItemAt(100);
        _addItemAt(300);
        _addItemAt(600);
        _addItemAt(last);
    }

    function test_FourMembersOfAnyIndices() external {
        uint256 snapshot = vm.snapshotState();
        uint256[4] memory last = [uint256(800), 65_535, 65_536, (1 << 22) - 1];
        bytes memory data =
            abi.encodeCall(IGroupWrites.updateGroup, (MANAGED, G, LABEL, TEXT, list(ACTION), list(wallet)));
        uint256 gas;
        for (uint256 i; i < last.length; ++i) {
            _addFourItems(last[i]);
            uint256 used_ = send(payer, data);
            if (i == 0) gas = used_;
            vm.assertApproxEqRel(used_, gas, 0.1e18, vm.toString(last[i]));
            assertCan(key, FIRST_ID + last[i], wallet, false, false);
            vm.assertEq(accountConfig.listActionsInGroup(MANAGED, G, 0, 10), list(ACTION));
            vm.revertToState(snapshot);
        }
    }

    /// More members than a clearance removes, of which every view shows none.
    function test_RemovedMembersAreNoHindrance() external {
        for (uint256 i = 1; i <= 1001; ++i) {
            by(payer).addActionToGroup(MANAGED, G, FIRST_ID + i);
            by(payer).removeAction(MANAGED, FIRST_ID + i);
        }
        assertGroup(G, list(), wallets());
        by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertGroup(G, list(ACTION), list(wallet));
    }

    /// Members that are removed one by one leave words behind, which a later replacement neither reads twice nor keeps.
    function test_FormerMembersAreForgotten() external {
        for (uint256 i = 1; i <= 60; ++i) {
            _addItemAt(1000 * i);
            by(payer).removeActionFromGroup(MANAGED, G, FIRST_ID + 1000 * i);
        }
        for (uint256 round; round < 2; ++round) {
            by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(FIRST_ID + 3000), list(wallet));
            assertGroup(G, list(FIRST_ID + 3000), list(wallet));
        }
        by(payer).addActionToGroup(MANAGED, G, FIRST_ID + 9000);
        by(payer).addActionToGroup(MANAGED, G, FIRST_ID + 31_000);
        assertGroup(G, list(FIRST_ID + 3000, FIRST_ID + 9000, FIRST_ID + 31_000), list(wallet));
    }

    /// A member that is outside the windows again, in a word that the group has already.
    function test_MembersOutsideComeBack() external {
        _addFourItems(800);
        uint256[] memory members = new uint256[](4);
        (members[0], members[1]) = (FIRST_ID + 100, FIRST_ID + 300);
        (members[2], members[3]) = (FIRST_ID + 600, FIRST_ID + 800);
        for (uint256 round; round < 3; ++round) {
            assertGroup(G, members, round == 0 ? _walletsOf(members) : wallets());
            by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, list(ACTION), list(wallet));
            assertGroup(G, list(ACTION), list(wallet));
            by(payer).updateGroup(MANAGED, G, NAME, DESCRIPTION, members, wallets());
        }
    }

    function _walletsOf(uint256[] memory ids) private pure returns (address[] memory pkpIds) {
        pkpIds = new address[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            pkpIds[i] = address(uint160(ids[i]));
        }
    }
}
