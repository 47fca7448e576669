// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice setUsageApiKeyExpiration, rotateUsageApiKey and removeAllUsageApiKeys.
contract UsageKeyLifetimeTest is AccountConfigTest {
    uint256 private constant NEW = uint256(keccak256("new key"));

    function test_Expiration() external inBothModes {
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyExpirationSet(account, key, NOW);
        by(writer).setUsageApiKeyExpiration(account, key, NOW);
        assertEvents(1);
        assertCan(key, ACTION, wallet, false, false);
        // An expired key can be given more time, and keeps its permissions.
        by(writer).setUsageApiKeyExpiration(account, key, NOW + 1);
        assertCan(key, ACTION, wallet, true, true);
        UsageKey memory k = newKey(key);
        (k.expiration, k.executeInGroups) = (NOW + 1, list(GROUP));
        assertKey(k);
        by(writer).setUsageApiKeyExpiration(account, key, type(uint40).max);
        vm.assertEq(usageKey(key).expiration, type(uint40).max);
        by(writer).setUsageApiKeyExpiration(account, key, 0);
        vm.assertEq(usageKey(key).expiration, 0);
    }

    function test_RevertWhen_ExpirationIsTooLarge() external inBothModes {
        uint256 tooLarge = uint256(type(uint40).max) + 1;
        expectRevert(IErrors.ExpirationTooLarge.selector, tooLarge, type(uint40).max);
        by(writer).setUsageApiKeyExpiration(account, key, tooLarge);
    }

    function test_Rotation() external inBothModes {
        UsageKey memory k = almightyKey(key);
        k.expiration = NOW + 5;
        setKey(k);
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyRotated(account, key, NEW);
        by(writer).rotateUsageApiKey(account, key, NEW);
        assertEvents(1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
        assertCan(key, ACTION, wallet, false, false);
        assertCan(NEW, ACTION, wallet, true, true);
        k.usageApiKeyHash = NEW;
        assertKey(k);
        vm.assertEq(accountConfig.listApiKeys(account, 0, 20).length, 1);
        (uint256 keys,,,) = accountConfig.listSizes(account);
        vm.assertEq(keys, 1);
        expectRevert(IErrors.AccountDoesNotExist.selector, key);
        by(writer).addGroup(key, "", "", list(), wallets());
        by(writer).addGroup(NEW, "", "", list(), wallets());
    }

    /// The previous hash is never used again, neither as a usage key nor as an account, in any account.
    function test_RevertWhen_RotatedHashIsUsed() external inBothModes {
        by(writer).rotateUsageApiKey(account, key, NEW);
        uint256 rotated = key;
        expectRevert(IErrors.AccountAlreadyExists.selector, rotated);
        by(writer).rotateUsageApiKey(account, NEW, rotated);
        expectRevert(IErrors.AccountAlreadyExists.selector, rotated);
        by(payer).newAccount(rotated, true, NAME, DESCRIPTION, stranger);
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, rotated);
        by(writer).removeUsageApiKey(account, rotated);
        by(writer).removeAllUsageApiKeys(account);
        this.expectTaken(rotated);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        (account, writer) = (identity(stranger), stranger);
        this.expectTaken(rotated);
    }

    function expectTaken(uint256 hash) external {
        bytes memory data = encodeSetKey(newKey(hash));
        by(writer);
        (bool ok, bytes memory result) = address(accountConfig).call(data);
        vm.assertFalse(ok);
        vm.assertEq(result, abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, hash));
    }

    /// A wallet whose identity was the hash of a rotated key still opens its own account (rule 9).
    function test_RotatedHashGivesWayToItsWallet() external inBothModes {
        setKey(newKey(identity(stranger)));
        by(writer).rotateUsageApiKey(account, identity(stranger), NEW);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(stranger)), identity(stranger));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(NEW), account);
    }

    function test_RevertWhen_NewHashIsTaken() external inBothModes {
        expectRevert(IErrors.UsageApiKeyHashIsZero.selector);
        by(writer).rotateUsageApiKey(account, key, 0);
        uint256[4] memory taken = [key, MANAGED, SECURED, identity(admin)];
        for (uint256 i; i < 4; ++i) {
            expectRevert(IErrors.AccountAlreadyExists.selector, taken[i]);
            by(writer).rotateUsageApiKey(account, key, taken[i]);
        }
    }

    function test_RemovalOfAll() external inBothModes {
        for (uint256 i = 1; i <= 50; ++i) {
            setKey(almightyKey(i));
        }
        expectEvent();
        emit IUsageKeyWrites.AllUsageApiKeysRemoved(account);
        by(writer).removeAllUsageApiKeys(account);
        assertEvents(1);
        vm.assertEq(accountConfig.listApiKeys(account, 0, 20).length, 0);
        vm.assertEq(accountConfig.listApiKeys(account, 1, 20).length, 0);
        vm.assertEq(accountConfig.listApiKeys(account, 2, 20).length, 0);
        for (uint256 i = 1; i <= 50; ++i) {
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(i), 0);
            assertCan(i, ACTION, wallet, false, false);
            expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, i);
            by(writer).removeUsageApiKey(account, i);
            expectRevert(IErrors.AccountDoesNotExist.selector, i);
            by(writer).addGroup(i, "", "", list(), wallets());
        }
        // A hash that is set anew has the new permissions only, and is the only key in the list.
        UsageKey memory k = newKey(7);
        k.addPkpToGroups = list(EMPTY_GROUP);
        setKey(k);
        assertKey(k);
        vm.assertEq(accountConfig.listApiKeys(account, 2, 20).length, 1);
        assertCan(7, ACTION, wallet, false, false);
        by(writer).removeAllUsageApiKeys(account);
        vm.assertEq(accountConfig.listApiKeys(account, 2, 20).length, 0);
    }

    /// A removed key takes the place of another one of its account, with exactly its permissions (rules 4 and 20).
    function test_RotationToARemovedHash() external inBothModes {
        uint256[2] memory removed = [key, UNKNOWN];
        by(writer).removeAllUsageApiKeys(account);
        setKey(almightyKey(UNKNOWN));
        by(writer).removeUsageApiKey(account, UNKNOWN);
        UsageKey memory k = newKey(NEW);
        k.deleteGroups = true;
        k.executeInGroups = list(EMPTY_GROUP);
        for (uint256 i; i < 2; ++i) {
            k.usageApiKeyHash = NEW ^ i;
            setKey(k);
            by(writer).rotateUsageApiKey(account, NEW ^ i, removed[i]);
            k.usageApiKeyHash = removed[i];
            assertKey(k);
            assertCan(removed[i], ACTION, wallet, false, false);
        }
        vm.assertEq(accountConfig.listApiKeys(account, 0, 20).length, 2);
    }

    /// Rule 20: the hashes of removed keys are taken for every other account.
    function test_RevertWhen_RemovedHashIsUsed() external inBothModes {
        uint256 removed = key;
        by(writer).removeAllUsageApiKeys(account);
        expectRevert(IErrors.AccountAlreadyExists.selector, removed);
        by(payer).newAccount(removed, true, NAME, DESCRIPTION, stranger);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        (account, writer) = (identity(stranger), stranger);
        this.expectTaken(removed);
    }

    function test_RevertGiven_NoSuchKey() external inBothModes {
        uint256[2] memory hashes = [UNKNOWN, account];
        for (uint256 i; i < 2; ++i) {
            expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, hashes[i]);
            by(writer).setUsageApiKeyExpiration(account, hashes[i], 0);
            expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, hashes[i]);
            by(writer).rotateUsageApiKey(account, hashes[i], NEW);
        }
    }

    function test_RevertGiven_AnotherCaller() external inBothModes {
        address[3] memory callers = [stranger, account == MANAGED ? admin : payer, newAdmin];
        for (uint256 i; i < 3; ++i) {
            expectNoAccess(account, callers[i]);
            by(callers[i]).setUsageApiKeyExpiration(account, key, 0);
            expectNoAccess(account, callers[i]);
            by(callers[i]).rotateUsageApiKey(account, key, NEW);
            expectNoAccess(account, callers[i]);
            by(callers[i]).removeAllUsageApiKeys(account);
        }
    }

    function test_RevertWhen_CalledByUsageKeyOrUnknownHash() external inBothModes {
        setKey(almightyKey(UNKNOWN));
        expectRevert(IErrors.NotMasterAccount.selector, UNKNOWN);
        by(writer).setUsageApiKeyExpiration(UNKNOWN, key, 0);
        expectRevert(IErrors.NotMasterAccount.selector, UNKNOWN);
        by(writer).rotateUsageApiKey(UNKNOWN, key, NEW);
        expectRevert(IErrors.NotMasterAccount.selector, UNKNOWN);
        by(writer).removeAllUsageApiKeys(UNKNOWN);
        expectRevert(IErrors.AccountDoesNotExist.selector, NEW);
        by(writer).removeAllUsageApiKeys(NEW);
    }
}
