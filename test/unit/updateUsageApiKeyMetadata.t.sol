// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract UpdateUsageApiKeyMetadataTest is MasterGuards, LabelGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).updateUsageApiKeyMetadata(apiKeyHash, key, NAME, DESCRIPTION);
    }

    function label(string memory name, string memory description) internal override {
        by(payer).updateUsageApiKeyMetadata(MANAGED, key, name, description);
    }

    function test_UpdateUsageApiKeyMetadata() external inBothModes {
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP);
        k.expiration = NOW + 5;
        setKey(k);
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyMetadataUpdated(account, key, "new", "newer");
        by(writer).updateUsageApiKeyMetadata(account, key, "new", "newer");
        assertEvents(1);
        assertKey(k);
    }

    function test_ExpiredKey() external inBothModes {
        UsageKey memory k = newKey(key);
        k.expiration = NOW;
        setKey(k);
        by(writer).updateUsageApiKeyMetadata(account, key, "new", "newer");
        assertEvents(1);
        assertKey(k);
    }

    function test_RevertGiven_NoUsageKey() external inBothModes {
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, UNKNOWN);
        by(writer).updateUsageApiKeyMetadata(account, UNKNOWN, NAME, DESCRIPTION);
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, account);
        by(writer).updateUsageApiKeyMetadata(account, account, NAME, DESCRIPTION);
    }

    function test_RevertGiven_UsageKeyOfAnotherAccount() external {
        uint256 managedKey = key;
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, SECURED, managedKey);
        by(admin).updateUsageApiKeyMetadata(SECURED, managedKey, NAME, DESCRIPTION);
    }
}
