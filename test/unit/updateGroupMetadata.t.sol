// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract UpdateGroupMetadataTest is MasterGuards, LabelGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).updateGroupMetadata(apiKeyHash, GROUP, NAME, DESCRIPTION);
    }

    function label(string memory name, string memory description) internal override {
        by(payer).updateGroupMetadata(MANAGED, GROUP, name, description);
    }

    function test_UpdateGroupMetadata() external inBothModes {
        expectEvent();
        emit IGroupWrites.GroupMetadataUpdated(account, GROUP, "new", "newer");
        by(writer).updateGroupMetadata(account, GROUP, "new", "newer");
        assertEvents(1);
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    function test_EventCarriesTheMasterHash() external {
        convert();
        expectEvent();
        emit IGroupWrites.GroupMetadataUpdated(MANAGED, GROUP, "new", "newer");
        by(newAdmin).updateGroupMetadata(identity(newAdmin), GROUP, "new", "newer");
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).updateGroupMetadata(account, NO_GROUP, NAME, DESCRIPTION);
        by(writer).removeGroup(account, GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, GROUP);
        by(writer).updateGroupMetadata(account, GROUP, NAME, DESCRIPTION);
    }
}
