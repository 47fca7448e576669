// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract RemoveUsageApiKeyTest is MasterGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).removeUsageApiKey(apiKeyHash, key);
    }

    function test_RemoveUsageApiKey() external inBothModes {
        uint256 other = uint256(keccak256("other usage key"));
        setKey(newKey(other));
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyRemoved(account, key);
        by(writer).removeUsageApiKey(account, key);
        assertEvents(1);
        IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(account, 0, 10);
        vm.assertEq(keys.length, 1);
        vm.assertEq(keys[0].usageApiKeyHash, other);
        assertCan(key, ACTION, wallet, false, false);
    }

    function test_RemovedKeyNamesNothing() external inBothModes {
        by(writer).removeUsageApiKey(account, key);
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(key);
        vm.assertEq(master, 0);
        vm.assertEq(adminWallet, address(0));
        vm.assertFalse(managed);
        vm.assertFalse(isUsageKey);
        vm.assertEq(expiration, 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
    }

    function test_IndexIsNotReused() external inBothModes {
        by(writer).removeUsageApiKey(account, key);
        setKey(newKey(key));
        (uint256 keys,,,) = accountConfig.listSizes(account);
        vm.assertEq(keys, 2);
        vm.assertEq(accountConfig.listApiKeys(account, 0, 1).length, 0);
        vm.assertEq(accountConfig.listApiKeys(account, 1, 1)[0].usageApiKeyHash, key);
    }

    /// Rules 4 and 20: the account may set the hash again, with exactly the permissions of that call.
    function test_HashIsSetAgain() external inBothModes {
        setKey(almightyKey(key));
        by(writer).removeUsageApiKey(account, key);
        UsageKey memory k = newKey(key);
        (k.expiration, k.deleteGroups, k.executeInGroups) = (NOW + 9, true, list(EMPTY_GROUP));
        setKey(k);
        assertEvents(1);
        assertKey(k);
        assertCan(key, ACTION, wallet, false, false);
        expectRevert(IErrors.NotAllowedToCreateGroup.selector, key);
        by(writer).addGroup(key, "", "", list(), wallets());
        by(writer).removeGroup(key, EMPTY_GROUP);
        by(writer).removeUsageApiKey(account, key);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
    }

    /// Rule 20.
    function test_RevertWhen_AnotherAccountTakesTheHash() external inBothModes {
        uint256 removed = key;
        by(writer).removeUsageApiKey(account, removed);
        (account, writer) = account == MANAGED ? (SECURED, admin) : (MANAGED, payer);
        expectRevert(IErrors.AccountAlreadyExists.selector, removed);
        setKey(newKey(removed));
        expectRevert(IErrors.AccountAlreadyExists.selector, removed);
        by(payer).newAccount(removed, true, NAME, DESCRIPTION, stranger);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(removed), 0);
    }

    function test_ExpiredKey() external inBothModes {
        UsageKey memory k = newKey(key);
        k.expiration = NOW;
        setKey(k);
        by(writer).removeUsageApiKey(account, key);
        assertEvents(1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
    }

    function test_RevertGiven_NoUsageKey() external inBothModes {
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, UNKNOWN);
        by(writer).removeUsageApiKey(account, UNKNOWN);
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, 0);
        by(writer).removeUsageApiKey(account, 0);
        by(writer).removeUsageApiKey(account, key);
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, key);
        by(writer).removeUsageApiKey(account, key);
    }

    /// An account cannot be removed as a usage key.
    function test_RevertGiven_HashIsAnAccountOrAlias() external {
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, MANAGED, MANAGED);
        by(payer).removeUsageApiKey(MANAGED, MANAGED);
        convert();
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, MANAGED, identity(newAdmin));
        by(newAdmin).removeUsageApiKey(MANAGED, identity(newAdmin));
    }

    function test_RevertGiven_UsageKeyOfAnotherAccount() external {
        uint256 managedKey = key;
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, SECURED, managedKey);
        by(admin).removeUsageApiKey(SECURED, managedKey);
        assertCan(managedKey, ACTION, wallet, true, true);
    }
}
