// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract UpdateActionMetadataTest is MasterGuards, LabelGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).updateActionMetadata(apiKeyHash, ACTION, 0, NAME, DESCRIPTION);
    }

    function label(string memory name, string memory description) internal override {
        by(payer).updateActionMetadata(MANAGED, ACTION, 0, name, description);
    }

    function test_UpdateActionMetadata() external inBothModes {
        expectEvent();
        emit IActionWrites.ActionMetadataUpdated(account, LOOSE_ACTION, "new", "newer");
        by(writer).updateActionMetadata(account, LOOSE_ACTION, 0, "new", "newer");
        assertEvents(1);
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION));
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    function test_GivenGroupThatHoldsTheAction() external inBothModes {
        expectEvent();
        emit IActionWrites.ActionMetadataUpdated(account, ACTION, "new", "newer");
        by(writer).updateActionMetadata(account, ACTION, GROUP, "new", "newer");
        assertEvents(1);
    }

    function test_GivenGroupWithoutWallets() external inBothModes {
        uint256 groupId = by(writer).addGroup(account, NAME, DESCRIPTION, list(LOOSE_ACTION), wallets());
        expectEvent();
        emit IActionWrites.ActionMetadataUpdated(account, LOOSE_ACTION, "new", "newer");
        by(writer).updateActionMetadata(account, LOOSE_ACTION, groupId, "new", "newer");
        assertEvents(1);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, groupId, ACTION);
        by(writer).updateActionMetadata(account, ACTION, groupId, NAME, DESCRIPTION);
    }

    function test_RevertGiven_NoAction() external inBothModes {
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, NO_ACTION);
        by(writer).updateActionMetadata(account, NO_ACTION, 0, NAME, DESCRIPTION);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, 0);
        by(writer).updateActionMetadata(account, 0, 0, NAME, DESCRIPTION);
    }

    function test_RevertGiven_GroupLacksTheAction() external inBothModes {
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, LOOSE_ACTION);
        by(writer).updateActionMetadata(account, LOOSE_ACTION, GROUP, NAME, DESCRIPTION);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, NO_ACTION);
        by(writer).updateActionMetadata(account, NO_ACTION, GROUP, NAME, DESCRIPTION);
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).updateActionMetadata(account, ACTION, NO_GROUP, NAME, DESCRIPTION);
    }
}
