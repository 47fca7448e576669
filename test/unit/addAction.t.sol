// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract AddActionTest is MasterGuards, LabelGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).addAction(apiKeyHash, NAME, DESCRIPTION, NO_ACTION);
    }

    function label(string memory name, string memory description) internal override {
        by(payer).addAction(MANAGED, name, description, NO_ACTION);
    }

    function test_AddAction() external inBothModes {
        expectEvent();
        emit IActionWrites.ActionAdded(account, NO_ACTION, NAME, DESCRIPTION);
        by(writer).addAction(account, NAME, DESCRIPTION, NO_ACTION);
        assertEvents(1);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION, NO_ACTION));
        (,,, uint256 actions) = accountConfig.listSizes(account);
        vm.assertEq(actions, 3);
        assertGroup(GROUP, list(ACTION), list(wallet));
        assertGroup(EMPTY_GROUP, list(), wallets());
    }

    function test_EventCarriesTheMasterHash() external {
        convert();
        expectEvent();
        emit IActionWrites.ActionAdded(MANAGED, NO_ACTION, NAME, DESCRIPTION);
        by(newAdmin).addAction(identity(newAdmin), NAME, DESCRIPTION, NO_ACTION);
    }

    function test_AccountsDoNotShareActions() external {
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, NO_ACTION);
        vm.assertEq(accountConfig.listActions(SECURED, 0, 10), list(ACTION, LOOSE_ACTION));
        by(admin).addAction(SECURED, NAME, DESCRIPTION, NO_ACTION);
    }

    function test_RevertWhen_HashIsZero() external {
        expectRevert(IErrors.ActionHashIsZero.selector);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, 0);
    }

    /// 127 bits of a hash key the storage. Another action with the same bits is refused in a group, not mistaken for the first.
    function test_RevertGiven_HashSharesTheLowerBits() external inBothModes {
        expectRevert(IErrors.IdCollision.selector, ACTION ^ (1 << 127));
        by(writer).addActionToGroup(account, GROUP, ACTION ^ (1 << 127));
        // The same bits as hash 0, "every".
        expectRevert(IErrors.IdCollision.selector, 1 << 127);
        by(writer).addAction(account, NAME, DESCRIPTION, 1 << 127);
        by(writer).addActionToGroup(account, GROUP, 0);
        expectRevert(IErrors.IdCollision.selector, 1 << 127);
        by(writer).addAction(account, NAME, DESCRIPTION, 1 << 127);
        expectRevert(IErrors.IdCollision.selector, 1 << 255);
        by(writer).addGroup(account, NAME, DESCRIPTION, list(1 << 255), wallets());
    }

    /// A usage key may have registered a look-alike on purpose. The one that the master hash adds takes its place.
    function test_TakesThePlaceOfALookAlike() external inBothModes {
        uint256 real = ACTION ^ (1 << 200);
        expectEvent();
        emit IActionWrites.ActionRemoved(account, ACTION);
        expectEvent();
        emit IActionWrites.ActionAdded(account, real, NAME, DESCRIPTION);
        by(writer).addAction(account, NAME, DESCRIPTION, real);
        assertEvents(2);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(LOOSE_ACTION, real));
        assertGroup(GROUP, list(), list(wallet));
        assertCan(key, ACTION, wallet, false, false);
        assertCan(key, real, wallet, false, false);
        by(writer).addActionToGroup(account, GROUP, real);
        assertCan(key, real, wallet, true, true);
    }

    function test_RevertGiven_ActionExists() external inBothModes {
        expectRevert(IErrors.ActionAlreadyExists.selector, account, ACTION);
        by(writer).addAction(account, NAME, DESCRIPTION, ACTION);
    }

    /// Rule 7: a removed action that is added again is in no group.
    function test_RemovedActionComesBackInNoGroup() external inBothModes {
        by(writer).removeAction(account, ACTION);
        by(writer).addAction(account, NAME, DESCRIPTION, ACTION);
        assertGroup(GROUP, list(), list(wallet));
        assertCan(key, ACTION, wallet, false, false);
    }
}
