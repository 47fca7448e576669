// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Memberships that are not in the words of the group and the item, but in separate words of 256: the same calls
/// return the same answers.
contract OutsideTheWindowTest is AccountConfigTest {
    uint256 private constant FAR_GROUP = 300;
    uint256 private constant FAR_ACTION = uint256(keccak256("far action"));
    address private immutable farWallet = actor("far wallet");

    function setUp() public override {
        super.setUp();
        addGroupsUpTo(FAR_GROUP);
        for (uint256 i = 3; i < 100; ++i) {
            by(payer).addAction(MANAGED, "", "", i);
            by(payer).registerWalletDerivation(MANAGED, address(uint160(i)), pathOf(i), "", "");
        }
        by(payer).addAction(MANAGED, "", "", FAR_ACTION);
        by(payer).registerWalletDerivation(MANAGED, farWallet, pathOf(100), "", "");
        // GROUP already holds item 1 of each kind: these two are outside its window.
        by(payer).addActionToGroup(MANAGED, GROUP, FAR_ACTION);
        by(payer).addPkpToGroup(MANAGED, GROUP, farWallet);
    }

    function test_MembersOfAGroup() external {
        assertGroup(GROUP, list(ACTION, FAR_ACTION), list(wallet, farWallet));
        assertCan(key, FAR_ACTION, farWallet, true, true);
        by(payer).updateActionMetadata(MANAGED, FAR_ACTION, GROUP, NAME, DESCRIPTION);
        assertEvents(1);
        by(payer).removePkpFromGroup(MANAGED, GROUP, farWallet);
        assertCan(key, FAR_ACTION, farWallet, true, false);
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, GROUP, farWallet);
        by(payer).removePkpFromGroup(MANAGED, GROUP, farWallet);
        by(payer).removeActionFromGroup(MANAGED, GROUP, FAR_ACTION);
        assertCan(key, FAR_ACTION, farWallet, false, false);
        expectRevert(IErrors.ActionDoesNotExist.selector, MANAGED, GROUP, FAR_ACTION);
        by(payer).updateActionMetadata(MANAGED, FAR_ACTION, GROUP, NAME, DESCRIPTION);
        assertGroup(GROUP, list(ACTION), list(wallet));
        by(payer).addActionToGroup(MANAGED, GROUP, FAR_ACTION);
        by(payer).addPkpToGroup(MANAGED, GROUP, farWallet);
        assertGroup(GROUP, list(ACTION, FAR_ACTION), list(wallet, farWallet));
    }

    /// Both windows of the group are elsewhere.
    function test_NeighboursOfAMember() external {
        for (uint256 id = 70; id < 74; ++id) {
            by(payer).addActionToGroup(MANAGED, GROUP, id);
            assertEvents(1);
            by(payer).addActionToGroup(MANAGED, GROUP, id);
            assertEvents(0);
            for (uint256 other = 69; other < 75; ++other) {
                assertCan(key, other, wallet, other == id, other == id);
                if (other != id) {
                    expectRevert(IErrors.ActionDoesNotExist.selector, MANAGED, GROUP, other);
                }
                by(payer).updateActionMetadata(MANAGED, other, GROUP, NAME, DESCRIPTION);
            }
            by(payer).removeActionFromGroup(MANAGED, GROUP, id);
        }
    }

    function test_GroupsOfAnItem() external {
        by(payer).addActionToGroup(MANAGED, FAR_GROUP, ACTION);
        by(payer).addPkpToGroup(MANAGED, FAR_GROUP, wallet);
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(FAR_GROUP);
        setKey(k);
        assertCan(UNKNOWN, ACTION, wallet, true, true);
        by(payer).removePkpFromGroup(MANAGED, FAR_GROUP, wallet);
        assertCan(UNKNOWN, ACTION, wallet, true, false);
        by(payer).removeActionFromGroup(MANAGED, FAR_GROUP, ACTION);
        assertCan(UNKNOWN, ACTION, wallet, false, false);
    }

    /// "Every action" and "every wallet" are in sets of groups like any other member.
    function test_EveryActionAndEveryWallet() external {
        uint256[3] memory groups = [GROUP, EMPTY_GROUP, FAR_GROUP];
        for (uint256 i; i < 3; ++i) {
            by(payer).addActionToGroup(MANAGED, groups[i], 0);
            by(payer).addPkpToGroup(MANAGED, groups[i], address(0));
        }
        UsageKey memory k = newKey(UNKNOWN);
        for (uint256 i; i < 3; ++i) {
            k.executeInGroups = list(groups[i]);
            setKey(k);
            IViewsFacet.Explanation memory e =
                accountConfig.explainExecution(UNKNOWN, LOOSE_ACTION, looseWallet);
            vm.assertEq(e.actionGroupId, groups[i]);
            vm.assertEq(e.walletGroupId, groups[i]);
            by(payer).removePkpFromGroup(MANAGED, groups[i], address(0));
            assertCan(UNKNOWN, LOOSE_ACTION, looseWallet, true, false);
            by(payer).removeActionFromGroup(MANAGED, groups[i], 0);
            assertCan(UNKNOWN, LOOSE_ACTION, looseWallet, false, false);
        }
    }

    /// Removed groups, inside and outside the first window, grant nothing. Their neighbours do.
    function test_RemovedGroups() external {
        by(payer).removeGroup(MANAGED, 33);
        by(payer).removeGroup(MANAGED, 32); // the start of the window
        by(payer).removeGroup(MANAGED, 31); // before it
        by(payer).removeGroup(MANAGED, 107); // behind it
        uint256[4] memory removed = [uint256(31), 32, 33, 107];
        UsageKey memory k = newKey(UNKNOWN);
        for (uint256 i; i < 4; ++i) {
            k.executeInGroups = list(removed[i]);
            vm.expectRevert(abi.encodeWithSelector(IErrors.GroupDoesNotExist.selector, MANAGED, removed[i]));
            this.trySetKey(k);
        }
        k.executeInGroups = list(30, 34, 106);
        setKey(k);
        assertKey(k);
        vm.assertEq(accountConfig.listGroups(MANAGED, 0, 1000).length, FAR_GROUP - 4);
    }

    function trySetKey(UsageKey memory k) external {
        vm.prank(payer);
        (bool ok, bytes memory result) = address(accountConfig).call(encodeSetKey(k));
        // memory-safe: reads the bytes that the call returned.
        assembly ("memory-safe") {
            if iszero(ok) { revert(add(result, 32), mload(result)) }
        }
    }
}
