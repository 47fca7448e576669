// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "./AccountConfigTest.sol";

/// @notice The callers that every function that writes an account must refuse.
abstract contract WriteGuards is AccountConfigTest {
    /// @notice Calls the function with arguments that are valid on each account of the set-up.
    function writeAs(address caller, uint256 apiKeyHash) internal virtual;

    function test_RevertGiven_NoAccount() external {
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        writeAs(payer, UNKNOWN);
        expectRevert(IErrors.AccountDoesNotExist.selector, 0);
        writeAs(payer, 0);
    }

    function test_RevertGiven_CallerIsStranger() external inBothModes {
        expectNoAccess(account, stranger);
        writeAs(stranger, account);
    }

    function test_RevertGiven_CallerIsOwner() external inBothModes {
        expectNoAccess(account, owner);
        writeAs(owner, account);
    }

    function test_RevertGiven_CallerIsAdminApiPayerOnly() external inBothModes {
        by(owner).setAdminApiPayerAccount(stranger);
        expectNoAccess(account, stranger);
        writeAs(stranger, account);
    }

    function test_RevertGiven_CallerIsPayerOfChainSecuredAccount() external {
        enterSecured();
        expectNoAccess(SECURED, payer);
        writeAs(payer, SECURED);
    }

    function test_RevertGiven_CallerIsAdminOfAnotherAccount() external {
        expectNoAccess(MANAGED, admin);
        writeAs(admin, MANAGED);
    }

    function test_RevertGiven_CallerIsAccountKeyAddress() external {
        expectNoAccess(MANAGED, accountKeyAddress);
        writeAs(accountKeyAddress, MANAGED);
    }

    function test_RevertGiven_CallerWasPayer() external {
        by(owner).setApiPayers(list(otherPayer));
        expectNoAccess(MANAGED, payer);
        writeAs(payer, MANAGED);
        writeAs(otherPayer, MANAGED);
    }

    function test_RevertGiven_PayerAfterConversion() external {
        convert();
        expectNoAccess(MANAGED, payer);
        writeAs(payer, MANAGED);
    }

    function test_RevertGiven_CallerWasAdmin() external {
        enterSecured();
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        (writer, mintedFor) = (newAdmin, newAdmin);
        expectNoAccess(SECURED, admin);
        writeAs(admin, SECURED);
        writeAs(newAdmin, SECURED);
    }

    function test_GivenAliasOfConvertedAccount() external {
        convert();
        writeAs(newAdmin, identity(newAdmin));
    }

    function test_GivenMasterHashOfConvertedAccount() external {
        convert();
        writeAs(newAdmin, MANAGED);
    }
}

/// @notice For functions that take the master hash or an alias only.
abstract contract MasterGuards is WriteGuards {
    function test_RevertGiven_UsageKeyHash() external inBothModes {
        setKey(almightyKey(key));
        expectRevert(IErrors.NotMasterAccount.selector, key);
        writeAs(writer, key);
        expectRevert(IErrors.NotMasterAccount.selector, key);
        writeAs(stranger, key);
    }
}

/// @notice For functions that a usage key may call with a permission.
abstract contract PermissionGuards is WriteGuards {
    /// @notice Adds exactly the permission that `writeAs` needs.
    function grant(UsageKey memory k) internal pure virtual;

    /// @notice Removes that permission, and as few others as possible.
    function withhold(UsageKey memory k) internal pure virtual;

    /// @notice The revert data of a call without the permission.
    function notAllowed() internal view virtual returns (bytes memory);

    function _grantedKey() private view returns (UsageKey memory k) {
        k = newKey(key);
        grant(k);
    }

    function test_GivenUsageKeyWithTheOnePermission() external inBothModes {
        setKey(_grantedKey());
        writeAs(writer, key);
    }

    function test_GivenUsageKeyWithEveryPermission() external inBothModes {
        setKey(almightyKey(key));
        writeAs(writer, key);
    }

    function test_GivenUsageKeyBeforeItsExpiration() external inBothModes {
        UsageKey memory k = _grantedKey();
        k.expiration = NOW + 1;
        setKey(k);
        writeAs(writer, key);
    }

    function test_RevertGiven_UsageKeyExpired() external inBothModes {
        UsageKey memory k = _grantedKey();
        k.expiration = NOW + 1;
        setKey(k);
        vm.warp(NOW + 1);
        expectRevert(IErrors.UsageApiKeyExpired.selector, key);
        writeAs(writer, key);
    }

    function test_RevertGiven_UsageKeyLacksThePermission() external inBothModes {
        UsageKey memory k = almightyKey(key);
        withhold(k);
        setKey(k);
        vm.expectRevert(notAllowed());
        writeAs(writer, key);
        setKey(newKey(key));
        vm.expectRevert(notAllowed());
        writeAs(writer, key);
    }

    function test_RevertGiven_PermissionWasReplaced() external inBothModes {
        setKey(_grantedKey());
        setKey(newKey(key));
        vm.expectRevert(notAllowed());
        writeAs(writer, key);
    }

    function test_RevertGiven_UsageKeyRemoved() external inBothModes {
        setKey(_grantedKey());
        by(writer).removeUsageApiKey(account, key);
        expectRevert(IErrors.AccountDoesNotExist.selector, key);
        writeAs(writer, key);
    }

    function test_RevertGiven_UsageKeyAddedAgainWithoutThePermission() external inBothModes {
        setKey(almightyKey(key));
        by(writer).removeUsageApiKey(account, key);
        setKey(newKey(key));
        vm.expectRevert(notAllowed());
        writeAs(writer, key);
    }

    function test_RevertGiven_UsageKeyAndCallerIsStranger() external inBothModes {
        setKey(_grantedKey());
        expectNoAccess(key, stranger);
        writeAs(stranger, key);
    }

    function test_RevertGiven_UsageKeyAndPayerOfChainSecuredAccount() external {
        enterSecured();
        setKey(_grantedKey());
        expectNoAccess(key, payer);
        writeAs(payer, key);
    }

    /// Rule 2: no call through a usage key changes the permissions of any key.
    function test_UsageKeyChangesNoPermissions() external inBothModes {
        setKey(almightyKey(key));
        UsageKey memory other = newKey(uint256(keccak256("other usage key")));
        setKey(other);
        writeAs(writer, key);
        assertKey(almightyKey(key));
        assertKey(other);
    }
}
