// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract UpdateGroupTest is MasterGuards, LabelGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).updateGroup(apiKeyHash, GROUP, NAME, DESCRIPTION, list(LOOSE_ACTION), list(looseWallet));
    }

    function label(string memory name, string memory description) internal override {
        by(payer).updateGroup(MANAGED, GROUP, name, description, list(), wallets());
    }

    function test_UpdateGroup() external inBothModes {
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
        expectEvent();
        emit IActionWrites.ActionAdded(account, NO_ACTION, "", "");
        expectEvent();
        emit IGroupWrites.GroupUpdated(
            account, GROUP, "new", "newer", list(NO_ACTION, LOOSE_ACTION), list(looseWallet)
        );
        by(writer)
            .updateGroup(account, GROUP, "new", "newer", list(NO_ACTION, LOOSE_ACTION), list(looseWallet));
        assertEvents(2);
        assertGroup(GROUP, list(LOOSE_ACTION, NO_ACTION), list(looseWallet));
        assertGroup(EMPTY_GROUP, list(ACTION), wallets());
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION, NO_ACTION));
        assertCan(key, ACTION, wallet, false, false);
        assertCan(key, LOOSE_ACTION, wallet, true, false);
        assertCan(key, NO_ACTION, looseWallet, true, true);
    }

    /// Events carry the master hash, errors the hash that was given.
    function test_ByAlias() external {
        convert();
        uint256 alias_ = identity(newAdmin);
        expectEvent();
        emit IActionWrites.ActionAdded(MANAGED, NO_ACTION, "", "");
        expectEvent();
        emit IGroupWrites.GroupUpdated(MANAGED, GROUP, NAME, DESCRIPTION, list(NO_ACTION), wallets());
        by(newAdmin).updateGroup(alias_, GROUP, NAME, DESCRIPTION, list(NO_ACTION), wallets());
        expectRevert(IErrors.PkpDoesNotExist.selector, alias_, GROUP, noWallet);
        by(newAdmin).updateGroup(alias_, GROUP, NAME, DESCRIPTION, list(), list(noWallet));
        expectRevert(IErrors.PkpDoesNotExist.selector, alias_, NO_GROUP, noWallet);
        by(newAdmin).addGroup(alias_, NAME, DESCRIPTION, list(), list(noWallet));
    }

    /// Rule 4: "every" is removed when it is not given again.
    function test_EveryIsReplaced() external inBothModes {
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(0), list(address(0)));
        assertGroup(GROUP, list(0), list(address(0)));
        assertCan(key, NO_ACTION, looseWallet, true, true);
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertGroup(GROUP, list(ACTION), list(wallet));
        assertCan(key, NO_ACTION, looseWallet, false, false);
        assertCan(key, ACTION, looseWallet, true, false);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// A number that is a wallet's address is an action of its own.
    function test_ActionNamedLikeAWallet() external inBothModes {
        uint256 action = uint160(looseWallet);
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(action), wallets());
        assertGroup(GROUP, list(action), wallets());
    }

    function test_SameContents() external inBothModes {
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertEvents(1);
        assertGroup(GROUP, list(ACTION), list(wallet));
        assertCan(key, ACTION, wallet, true, true);
    }

    function test_ToNothing() external inBothModes {
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(), wallets());
        assertGroup(GROUP, list(), wallets());
        assertCan(key, ACTION, wallet, false, false);
    }

    function test_ErrorCarriesTheHashAsGiven() external {
        convert();
        uint256 hash = identity(newAdmin);
        expectRevert(IErrors.PkpDoesNotExist.selector, hash, GROUP, noWallet);
        by(newAdmin).updateGroup(hash, GROUP, NAME, DESCRIPTION, list(), list(noWallet));
    }

    /// Members outside the group's own word, in groups outside an item's own word.
    function test_ManyMembersOfHighGroup() external {
        addGroupsUpTo(260);
        for (uint256 i; i < 300; ++i) {
            by(payer).addActionToGroup(MANAGED, 260, 1000 + i);
        }
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(260);
        setKey(k);
        vm.assertTrue(accountConfig.canExecuteAction(key, 1000));
        vm.assertTrue(accountConfig.canExecuteAction(key, 1299));
        by(payer).updateGroup(MANAGED, 260, NAME, DESCRIPTION, range(1295, 10), list(wallet));
        assertGroup(260, range(1295, 10), list(wallet));
        for (uint256 i; i < 305; ++i) {
            vm.assertEq(accountConfig.canExecuteAction(key, 1000 + i), i >= 295);
        }
        by(payer).updateGroup(MANAGED, 260, NAME, DESCRIPTION, list(ACTION, 1000), wallets());
        assertGroup(260, list(ACTION, 1000), wallets());
        for (uint256 i; i < 305; ++i) {
            vm.assertEq(accountConfig.canExecuteAction(key, 1000 + i), i == 0);
        }
    }

    /// More members than a replacement clears: the rest grants nothing, is not listed and does not block later members.
    function test_WhatIsLeftBehindGrantsNothing() external inBothModes {
        for (uint256 i = 1; i <= 300; ++i) {
            by(writer).registerWalletDerivation(account, address(uint160(i)), pathOf(1000 + i), "", "");
            by(writer).addActionToGroup(account, GROUP, i);
            by(writer).addPkpToGroup(account, GROUP, address(uint160(i)));
        }
        by(writer).addGroup(account, NAME, DESCRIPTION, list(300), list(address(300)));
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP, 3);
        setKey(k);
        for (uint256 round; round < 3; ++round) {
            assertCan(key, 299, address(299), true, true);
            by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
            assertGroup(GROUP, list(ACTION), list(wallet));
            for (uint256 i = 1; i < 300; ++i) {
                assertCan(key, i, address(uint160(i)), false, false);
                assertCan(key, ACTION, address(uint160(i)), true, false);
            }
            IViewsFacet.Explanation memory e = accountConfig.explainExecution(key, 300, address(300));
            vm.assertEq(e.actionGroupId, 3);
            vm.assertEq(e.walletGroupId, 3);
            expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, 299);
            by(writer).removeActionFromGroup(account, GROUP, 299);
            expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, address(299));
            by(writer).removePkpFromGroup(account, GROUP, address(299));

            for (uint256 i = 280; i < 300; ++i) {
                by(writer).addActionToGroup(account, GROUP, i);
                assertEvents(1);
                by(writer).addPkpToGroup(account, GROUP, address(uint160(i)));
                assertEvents(1);
            }
            by(writer).removeActionFromGroup(account, GROUP, 298);
            assertCan(key, 298, address(299), false, false);
            assertCan(key, 297, address(299), true, true);
            by(writer).addActionToGroup(account, GROUP, 298);
        }
    }

    /// "Every action" and "every wallet" are removed too when they are among the rest.
    function test_EveryIsReplacedInALargeGroup() external {
        for (uint256 i = 1; i <= 40; ++i) {
            by(payer).addActionToGroup(MANAGED, GROUP, i);
        }
        by(payer).addActionToGroup(MANAGED, GROUP, 0);
        by(payer).addPkpToGroup(MANAGED, GROUP, address(0));
        assertCan(key, NO_ACTION, looseWallet, true, true);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertCan(key, NO_ACTION, looseWallet, false, false);
        assertCan(key, ACTION, looseWallet, true, false);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// Rule 12: the gas of replacing a group depends only on the arguments.
    function test_CostDoesNotGrowWithTheMembers() external {
        uint256[] memory cids = range(5000, 10);
        by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, range(4000, 10), wallets());
        by(payer);
        uint256 few = gasleft();
        accountConfig.updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, cids, wallets());
        few -= gasleft();
        for (uint256 i; i < 400; ++i) {
            by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1000 + i);
        }
        cids = range(6000, 10);
        by(payer);
        uint256 many = gasleft();
        accountConfig.updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, cids, wallets());
        many -= gasleft();
        vm.assertLt(many, 2 * few);
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).updateGroup(account, NO_GROUP, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.GroupDoesNotExist.selector, account, 0);
        by(writer).updateGroup(account, 0, NAME, DESCRIPTION, list(), wallets());
        by(writer).removeGroup(account, GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, GROUP);
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(), wallets());
    }

    /// Rule 7: a group holds wallets of its own account only.
    function test_RevertGiven_ForeignWallet() external {
        enterSecured();
        by(admin).registerWalletDerivation(SECURED, noWallet, pathOf(3), NAME, DESCRIPTION);
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, GROUP, noWallet);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(), list(noWallet));
        enterManaged();
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    function test_RevertGiven_NoWallet() external inBothModes {
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, noWallet);
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(NO_ACTION), list(noWallet));
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    function test_RevertWhen_TooManyEntries() external {
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, range(1, 11), wallets());
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(), new address[](11));
    }
}
